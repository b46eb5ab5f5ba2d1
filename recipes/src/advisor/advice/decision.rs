//! The decision of an advice, and its sentence.

use serde::Serialize;

/// The decision of an advice, one for all of its sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// The keys have designs: they stay.
    HasDesign,
    /// The keys go from one design to another: both stay until the last key has gone.
    MigrationUnderWay,
    /// The table is split for designs that have made few of its rows; the others are plain.
    MostlyPlain,
    /// The keys are salted or hashed by a design that is not known: they stay.
    UnknownDesign,
    /// The table has plain rows, which lie evenly in its tablets: it stays as it is.
    Plain,
    /// Plain keys spread by themselves, in a table that is split for them.
    NewSplits,
    /// A design spreads plain keys.
    NewDesign,
    /// No design spreads the keys well: one is the least bad.
    LeastBad,
    /// No design is possible.
    NoDesign,
}

/// The facts of a decision, as its sentence has them.
#[derive(Default)]
pub(super) struct Facts {
    /// The designs, each with its tablets where the keys have it already.
    pub(super) designs: String,
    /// The tablets.
    pub(super) tablets: String,
    /// The keys that go on, or those of no design, such as `12 keys`.
    pub(super) keys: String,
    /// The look of keys of an unknown design.
    pub(super) look: String,
    /// Whether the table is split for the designs.
    pub(super) is_split: bool,
}

impl Decision {
    pub(super) fn sentence(self, facts: &Facts) -> String {
        let Facts {
            designs,
            tablets,
            keys,
            look,
            is_split,
        } = facts;
        match self {
            Self::HasDesign if *is_split => format!("Leave the table as it is: {designs}."),
            Self::HasDesign => {
                format!("Leave the keys as they are, {designs}: they have their salts already.")
            }
            Self::MigrationUnderWay => format!(
                "Finish the migration that is under way to {designs}: {keys} in an earlier design. Until then the spec has \
                 both."
            ),
            Self::MostlyPlain => format!(
                "The table is split for {designs}, but most rows are of no design that is there: {keys}. If they were loaded \
                 without it, load them again through it."
            ),
            Self::UnknownDesign => format!(
                "Leave the keys as they are: they look salted or hashed already, as {look}, by a design that is not known \
                 here{keys}."
            ),
            Self::Plain => format!(
                "Leave the table as it is: rows as they are in {tablets}, in which they lie evenly."
            ),
            Self::NewSplits => format!(
                "Leave the keys as they are, in {tablets}, split where the keys seen so far say: they spread by themselves."
            ),
            Self::NewDesign => format!("Use {designs} in {tablets}."),
            Self::LeastBad => format!(
                "No design spreads these keys well. The least bad is {designs} in {tablets}; better change what the keys are \
                 made of."
            ),
            Self::NoDesign => "No design can be advised for these keys.".to_owned(),
        }
    }
}
