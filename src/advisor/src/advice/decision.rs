//! The decision of an advice, and its sentence.

use serde::Serialize;

/// The decision of an advice, which its sentences explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// The keys have designs, and keep them.
    HasDesign,
    /// The keys move from one design to another. Both stay until the last key has moved.
    MigrationUnderWay,
    /// The table is split for designs of few of its rows; the others are plain.
    MostlyPlain,
    /// An unknown design seems to have salted or hashed the keys. They stay.
    UnknownDesign,
    /// The table has plain rows that are spread evenly over its tablets. It stays as it is.
    Plain,
    /// Plain keys spread by themselves, if a table is split for them.
    NewSplits,
    /// Plain keys need a design that spreads them.
    NewDesign,
    /// No design spreads the keys well; one is the least bad.
    LeastBad,
    /// No design is possible.
    NoDesign,
}

/// The facts in the sentence of a decision.
#[derive(Default)]
pub(super) struct Facts {
    /// The designs, each with its tablets if the keys already have it.
    pub(super) designs: String,
    /// The number of tablets, with its noun.
    pub(super) tablets: String,
    /// The keys that have to move, or those without a design, such as `12 keys`.
    pub(super) keys: String,
    /// The look of keys of an unknown design.
    pub(super) look: String,
    /// `true` if the table is split for the designs.
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
                "Finish the migration to {designs}: {keys} in an earlier design. Until it is finished, the spec has both \
                 designs."
            ),
            Self::MostlyPlain => format!(
                "The table is split for {designs}, but most rows belong to none of its designs: {keys}. If they were loaded \
                 without the design, load them again through it."
            ),
            Self::UnknownDesign => format!(
                "Leave the keys as they are: an unknown design seems to have salted or hashed them already ({look}){keys}."
            ),
            Self::Plain => format!(
                "Leave the table as it is: its plain rows are spread evenly over {tablets}."
            ),
            Self::NewSplits => format!(
                "Leave the keys as they are, in {tablets}, with split points from the sample: they spread by themselves."
            ),
            Self::NewDesign => format!("Use {designs} in {tablets}."),
            Self::LeastBad => format!(
                "No design spreads these keys well. The least bad is {designs} in {tablets}; it is better to change the \
                 structure of the keys."
            ),
            Self::NoDesign => "No design can be advised for these keys.".to_owned(),
        }
    }
}
