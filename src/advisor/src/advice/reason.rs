//! A reason of an advice, and its sentence.

use std::fmt;

use fluo_keys::DesignSettings;
use serde::{Serialize, Serializer};

use super::decision::Decision;
use super::design_reason::DesignReason;
use super::keys_without_design::KeysWithoutDesign;
use super::options::Read;
use super::tablets::TabletReason;
use crate::existing::name;
use crate::formatting::{is_or_are, listed, plural};

/// A reason of an advice.
///
/// [`Display`](fmt::Display) writes it as a sentence, which is its serialized form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AdviceReason {
    /// The decision, which is the first reason.
    Decision(Decision),
    /// The reason for the number of tablets.
    Tablets(TabletReason),
    /// A reason for a design that is advised.
    Design {
        /// The label of the design, if several are advised.
        label: Option<String>,
        /// The reason.
        reason: DesignReason,
    },
    /// No key supports a requested read.
    UnsupportedRead(Read),
    /// The reads are unknown, and the choice may depend on them.
    UnknownReads,
    /// Keys are still in earlier designs of a recipe.
    EarlierDesigns {
        /// The label of the recipe.
        label: String,
        /// The number of these keys.
        keys: u64,
        /// The earlier designs.
        designs: Vec<DesignSettings>,
    },
    /// The table has split points that a design does not ask for.
    OtherSplitPoints {
        /// The label of the design.
        label: String,
        /// The number of these points.
        points: u64,
    },
    /// The split points of a recipe make no even tablets.
    UnevenSplitPoints {
        /// The label of the recipe.
        label: String,
        /// The number of these points.
        points: u64,
    },
    /// A few keys belong to none of the designs.
    FewWithoutDesign(KeysWithoutDesign),
    /// The balancer's pattern has groups of recipes that no spec can name.
    UnknownGroups(String),
}

impl Serialize for AdviceReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for AdviceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decision(decision) => decision.fmt(f),
            Self::Tablets(reason) => reason.fmt(f),
            Self::Design { label, reason } => {
                label.iter().try_for_each(|label| write!(f, "{label}: "))?;
                reason.fmt(f)
            }
            Self::UnsupportedRead(read) => {
                let reason = read.missing_in_keys().unwrap_or_default();
                write!(f, "A scan of {}: impossible: {reason}.", read.selection())
            }
            Self::UnknownReads => f.write_str(
                "Rows are assumed to be read one by one. If they are scanned, state how: the \
                 choice may differ.",
            ),
            Self::EarlierDesigns {
                label,
                keys,
                designs,
            } => {
                let names: Vec<_> = designs.iter().map(name).collect();
                let (keys, are) = (plural(*keys, "key"), is_or_are(*keys));
                write!(
                    f,
                    "{keys} of {label} {are} in an earlier design, {}.",
                    listed(&names)
                )
            }
            Self::OtherSplitPoints { label, points } => write!(
                f,
                "The table has {} among those of {label} that the design does not ask for; a plan \
                 keeps them.",
                plural(*points, "other split point")
            ),
            Self::UnevenSplitPoints { label, points } => write!(
                f,
                "The {} of {label} make no even tablets, so the spec lists them as they are.",
                plural(*points, "split point")
            ),
            Self::FewWithoutDesign(keys) => write_few(f, keys),
            Self::UnknownGroups(groups) => write!(
                f,
                "The balancer's pattern also has groups of other recipes, `{groups}`. No spec can \
                 name them, and a plan would remove them, so there is no spec: leave the \
                 properties of the table as they are."
            ),
        }
    }
}

fn write_few(f: &mut fmt::Formatter<'_>, keys: &KeysWithoutDesign) -> fmt::Result {
    let first = &keys.others.first;
    write!(
        f,
        "But {} belong to none of these designs, such as `{first}`: ",
        keys.share()
    )?;
    match &keys.others.look {
        Some(look) => write!(
            f,
            "an unknown design seems to have salted or hashed them ({look}), so leave them as they \
             are."
        ),
        None => f.write_str("if they were loaded without the design, load them again through it."),
    }
}
