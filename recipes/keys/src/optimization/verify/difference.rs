//! Differences between a table and its optimizations, in the order of their weight: the one that
//! explains the most comes first.

use std::fmt;

use serde::Serialize;

use super::load::Load;

/// A difference between a table and its optimizations. Its text is a sentence for an operator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The kind.
    pub kind: DifferenceKind,
    /// The recipe, group, server or property that it concerns, as shown in messages, or the table
    /// if it concerns all of it.
    pub subject: String,
    /// The share of the table that it concerns, from 0 to 1: a share of its rows or of its tablets.
    pub share: f64,
    /// The load of the tablet or the server that is too full, if the difference is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    sentence: String,
}

/// The kinds of differences. Of two that concern the same share, the earlier one explains the later
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The storage of the table is damaged.
    Damage,
    /// Requested split points do not exist.
    MissingSplits,
    /// A property of the balancer has the wrong value.
    Property,
    /// Tablets of a group are on no server.
    Unhosted,
    /// The tablets of a group are not spread over the servers.
    NotSpread,
    /// A tablet is too full by its entries, and the user can see none of its rows.
    UnseenEntries,
    /// Rows belong to no recipe.
    OtherRows,
    /// Rows under the prefix of a recipe are not keys of it.
    ForeignRows,
    /// Rows of a recipe are written in an earlier design.
    EarlierDesigns,
    /// The rows of a recipe are not spread evenly over its hashes or salts.
    UnevenHash,
    /// Split points take tablets of a recipe out of its group.
    StraySplits,
    /// A tablet of a recipe is too full.
    RecipeLoad,
    /// A tablet has too many rows of no recipe.
    OtherLoad,
    /// A tablet of a group is too full.
    GroupLoad,
    /// A server is too full.
    ServerLoad,
    /// The rows could not be counted, because the user may not read them.
    RowsDenied,
    /// Evenness is required but not proved.
    Unproved,
    /// There are split points of no recipe.
    ExtraSplits,
}

impl DifferenceKind {
    /// Returns the part of its share that a difference weighs. A load follows from another
    /// difference, if there is one, and the load of a server from that of its tablets. Extra split
    /// points alone make no tablet fuller.
    fn factor(self) -> f64 {
        match self {
            Self::RecipeLoad | Self::OtherLoad | Self::GroupLoad => 0.5,
            Self::ServerLoad => 0.2,
            Self::RowsDenied | Self::ExtraSplits | Self::Unproved => 0.0,
            _ => 1.0,
        }
    }

    /// Checks whether it is about a tablet or a server that is too full.
    pub fn is_load(self) -> bool {
        matches!(
            self,
            Self::RecipeLoad | Self::OtherLoad | Self::GroupLoad | Self::ServerLoad
        )
    }
}

impl Difference {
    /// Creates a difference that concerns this share of the table, from 0 to 1.
    pub fn new(
        kind: DifferenceKind,
        subject: impl Into<String>,
        share: f64,
        sentence: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            subject: subject.into(),
            share: share.clamp(0.0, 1.0),
            load: None,
            sentence: sentence.into(),
        }
    }

    /// Adds the load that is too full.
    pub(super) fn of_load(self, load: &Load) -> Self {
        let load = Some(load.clone());
        Self { load, ..self }
    }

    /// Checks whether both are the same difference, possibly with other figures.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.kind, &self.subject) == (other.kind, &other.subject)
    }

    fn weight(&self) -> f64 {
        self.share * self.kind.factor()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// Sorts differences: main cause first.
pub(super) fn sort(differences: &mut [Difference]) {
    differences.sort_by(|a, b| {
        let by_weight = b.weight().total_cmp(&a.weight());
        by_weight.then(a.kind.cmp(&b.kind))
    });
}

#[cfg(test)]
mod tests {
    use super::DifferenceKind::{ExtraSplits, ForeignRows, MissingSplits, RecipeLoad};
    use super::*;

    fn of(kind: DifferenceKind, share: f64) -> Difference {
        Difference::new(kind, "x", share, format!("{kind:?}"))
    }

    #[test]
    fn sorts_a_cause_before_its_consequences() {
        let order = |differences: &[(DifferenceKind, f64)]| {
            let differences = differences.iter().map(|(kind, share)| of(*kind, *share));
            let mut differences: Vec<_> = differences.collect();
            sort(&mut differences);
            differences
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            order(&[
                (ExtraSplits, 0.9),
                (RecipeLoad, 0.25),
                (MissingSplits, 0.25)
            ]),
            ["MissingSplits", "RecipeLoad", "ExtraSplits"]
        );
        // One foreign row does not explain a tablet that holds half of the others.
        assert_eq!(
            order(&[(ForeignRows, 0.001), (RecipeLoad, 0.45)]),
            ["RecipeLoad", "ForeignRows"]
        );
    }

    #[test]
    fn a_difference_with_other_figures_is_the_same() {
        let one = of(RecipeLoad, 0.3);
        assert!(one.is_same(&Difference::new(RecipeLoad, "x", 0.4, "other".to_owned())));
        assert!(!one.is_same(&Difference::new(
            RecipeLoad,
            "y",
            0.3,
            "RecipeLoad".to_owned()
        )));
        assert!(!one.is_same(&of(ForeignRows, 0.3)));
    }

    #[test]
    fn serializes_kind_subject_share_and_sentence() {
        assert_eq!(
            serde_json::to_string(&of(MissingSplits, 0.5)).unwrap(),
            r#"{"kind":"missing_splits","subject":"x","share":0.5,"sentence":"MissingSplits"}"#
        );
    }
}
