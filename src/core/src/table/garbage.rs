//! Which compactions drop what transactions have left behind.

use std::collections::BTreeMap;

use crate::data::Timestamp;
use crate::layout::NOTIFICATION_FAMILY;
use crate::layout::garbage::{CellGarbage, NotificationGarbage};
use crate::table::{Versions, property};

const OF_CELLS: &str = "org.apache.fluo.accumulo.iterators.GarbageCollectionIterator";
const OF_NOTIFICATIONS: &str = "org.apache.fluo.accumulo.iterators.NotificationIterator";

/// What compactions of a table drop beside what no scan shows, by its properties: those by which Fluo's iterators run in
/// the compactions of Accumulo.
///
/// | property | value |
/// |---|---|
/// | [`property::GARBAGE`] | a priority, and the class `org.apache.fluo.accumulo.iterators.GarbageCollectionIterator` |
/// | [`property::GARBAGE_HORIZON`] | the horizon in decimal; a negative number is none. Without it, nothing is dropped |
/// | [`property::NOTIFICATION_GARBAGE`] | a priority, and the class `org.apache.fluo.accumulo.iterators.NotificationIterator` |
///
/// Rules of its own, for each table that evaluates it itself:
/// - **G1.** A column is looked at as a whole, and what may go is dropped at once: in between, an entry could hide or
///   show what it should not.
/// - **G2.** A column with a delete marker, and a table that does not show all versions, are left to the rules of
///   [`View`](crate::table::View): nothing of transactions stands there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GarbageRules {
    /// The horizon of cells, if their garbage is dropped.
    cells: Option<Option<Timestamp>>,
    /// Whether that of notifications is dropped.
    notifications: bool,
}

impl GarbageRules {
    /// What the properties of a table say.
    pub fn of_properties(properties: &BTreeMap<String, String>) -> Self {
        if Versions::kept(properties) != Versions::All {
            return Self::default();
        }
        let runs = |property: &str, class: &str| {
            let value = properties.get(property);
            value.is_some_and(|value| {
                value
                    .split_once(',')
                    .is_some_and(|(_, it)| it.trim() == class)
            })
        };
        let horizon = properties
            .get(property::GARBAGE_HORIZON)
            .and_then(|horizon| horizon.parse::<i64>().ok());
        let of_number = |number: i64| {
            let number = u64::try_from(number).ok()?;
            Some(Timestamp::new(number).unwrap_or(Timestamp::MAX))
        };
        Self {
            cells: horizon
                .filter(|_| runs(property::GARBAGE, OF_CELLS))
                .map(of_number),
            notifications: runs(property::NOTIFICATION_GARBAGE, OF_NOTIFICATIONS),
        }
    }

    /// A machine that finds what may be dropped of a column of this family; none if nothing may.
    pub fn of_column(&self, family: &[u8]) -> Option<ColumnGarbage> {
        if family == NOTIFICATION_FAMILY.as_bytes() {
            return self
                .notifications
                .then(|| ColumnGarbage::Notifications(NotificationGarbage::new(true)));
        }
        let horizon = self.cells?;
        Some(ColumnGarbage::Cell(CellGarbage::new(horizon, true)))
    }
}

/// What may be dropped of a column, all entries of which are fed to it in stored order.
#[derive(Clone, Debug)]
pub enum ColumnGarbage {
    /// A column of a cell.
    Cell(CellGarbage),
    /// A column of notifications.
    Notifications(NotificationGarbage),
}

impl ColumnGarbage {
    /// Takes the next entry of the column.
    pub fn look_at(&mut self, stamp: i64, value: &[u8]) {
        match self {
            Self::Cell(garbage) => garbage.look_at(stamp, value),
            Self::Notifications(garbage) => garbage.look_at(stamp),
        }
    }

    /// The timestamps of the entries that may be dropped.
    pub fn finish(self) -> Vec<i64> {
        match self {
            Self::Cell(garbage) => garbage.finish(),
            Self::Notifications(garbage) => garbage.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GARBAGE: (&str, &str) = (
        "table.iterator.majc.gc",
        "10,org.apache.fluo.accumulo.iterators.GarbageCollectionIterator",
    );

    fn rules(properties: &[(&str, &str)]) -> GarbageRules {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        GarbageRules::of_properties(&properties.iter().map(owned).collect())
    }

    fn with_horizon(horizon: &str) -> GarbageRules {
        rules(&[
            GARBAGE,
            ("table.iterator.majc.gc.opt.timestamp.gc", horizon),
        ])
    }

    #[test]
    fn cells_are_collected_up_to_the_horizon() {
        let ten = Timestamp::new(10).unwrap();
        assert_eq!(with_horizon("10").cells, Some(Some(ten)));
        assert_eq!(with_horizon("-1").cells, Some(None));
        assert_eq!(
            with_horizon(&i64::MAX.to_string()).cells,
            Some(Some(Timestamp::MAX))
        );
        assert!(with_horizon("10").of_column(b"f").is_some());
        assert!(with_horizon("10").of_column(b"ntfy").is_none());
    }

    #[test]
    fn nothing_is_collected_without_a_horizon_that_can_be_read() {
        for horizon in ["", "ten", "10 ", "99999999999999999999"] {
            assert_eq!(with_horizon(horizon), GarbageRules::default(), "{horizon}");
        }
        assert_eq!(rules(&[GARBAGE]), GarbageRules::default());
        let other = ("table.iterator.majc.gc", "10,example.Other");
        let horizon = ("table.iterator.majc.gc.opt.timestamp.gc", "10");
        assert_eq!(rules(&[other, horizon]), GarbageRules::default());
    }

    #[test]
    fn notifications_are_collected_by_a_property_of_their_own() {
        let notifications = (
            "table.iterator.majc.ntfy",
            "11,org.apache.fluo.accumulo.iterators.NotificationIterator",
        );
        let rules = rules(&[notifications]);
        assert!(rules.of_column(b"ntfy").is_some() && rules.of_column(b"f").is_none());
    }

    #[test]
    fn nothing_is_collected_where_not_all_versions_are_shown() {
        let mut properties = Versions::default().to_properties();
        for (name, value) in [GARBAGE, ("table.iterator.majc.gc.opt.timestamp.gc", "10")] {
            properties.insert(name.to_owned(), value.to_owned());
        }
        let rules = GarbageRules::of_properties(&properties);
        assert_eq!(rules, GarbageRules::default());
    }
}
