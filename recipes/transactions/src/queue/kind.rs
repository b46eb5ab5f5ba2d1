//! The two kinds of queues, and the names of their parts in the table and in the settings.

use std::fmt;

use fluo_table::Column;

/// The kind of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// A combine queue.
    Combine,
    /// An export queue.
    Export,
}

/// The names by which a kind differs from the other one.
#[derive(Debug)]
pub(crate) struct Names {
    /// The text between the id and the bucket in the row of an entry.
    pub(crate) before_bucket: &'static str,
    pub(crate) entry: Column,
    /// The column of the position at which the next pass begins.
    pub(crate) next: Column,
    /// The first part of the notification column.
    pub(crate) notification: &'static str,
    /// The first part of the id of the observer.
    pub(crate) observer: &'static str,
    /// The part of the names of settings before the id.
    pub(crate) settings: &'static str,
    /// The class that Java applications register for the split points.
    pub(crate) optimizer: &'static str,
    /// The number of bytes that a pass reads, if no other is set.
    pub(crate) buffer_bytes: usize,
}

/// The name `cfm` is that of the predecessor of the combine queue, the collision free map.
static COMBINE: Names = Names {
    before_bucket: ":u:",
    entry: Column::from_static("u", "v"),
    next: Column::from_static("u", "next"),
    notification: "cfm",
    observer: "combineq",
    settings: "cfm",
    optimizer: "org.apache.fluo.recipes.core.combine.CombineQueue$Optimizer",
    buffer_bytes: 4 << 20,
};

static EXPORT: Names = Names {
    before_bucket: ":",
    entry: Column::from_static("e", "v"),
    next: Column::from_static("e", "next"),
    notification: "eq",
    observer: "exportq",
    settings: "exportQueue",
    optimizer: "org.apache.fluo.recipes.core.export.ExportQueue$Optimizer",
    buffer_bytes: 1 << 20,
};

/// The class that applications register for the predecessor of the combine queue, whose rows and
/// settings are the same.
const COLLISION_FREE_MAP: &str = "org.apache.fluo.recipes.core.map.CollisionFreeMap$Optimizer";

impl QueueKind {
    pub(crate) fn from_optimizer(class: &str) -> Option<Self> {
        if class == COLLISION_FREE_MAP {
            return Some(Self::Combine);
        }
        [Self::Combine, Self::Export].into_iter().find(|kind| kind.names().optimizer == class)
    }

    pub(crate) fn names(self) -> &'static Names {
        match self {
            Self::Combine => &COMBINE,
            Self::Export => &EXPORT,
        }
    }
}

impl fmt::Display for QueueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Combine => "combine",
            Self::Export => "export",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::QueueKind;

    #[test]
    fn knows_the_classes_of_java() {
        let package = "org.apache.fluo.recipes.core";
        for (class, kind) in [
            ("combine.CombineQueue$Optimizer", Some(QueueKind::Combine)),
            ("map.CollisionFreeMap$Optimizer", Some(QueueKind::Combine)),
            ("export.ExportQueue$Optimizer", Some(QueueKind::Export)),
            ("combine.CombineQueue", None),
        ] {
            let found = QueueKind::from_optimizer(&format!("{package}.{class}"));
            assert_eq!(found, kind, "{class}");
        }
    }
}
