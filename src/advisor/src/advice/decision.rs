//! The decision of an advice, and its sentence.

use std::fmt;

use fluo_keys::DesignSettings;
use serde::{Serialize, Serializer};

use super::keys_without_design::KeysWithoutDesign;
use crate::SaltedLook;
use crate::existing::name;
use crate::formatting::{is_or_are, listed, plural};

/// The decision of an advice.
///
/// [`Display`](fmt::Display) writes it as a sentence. It is serialized as its [name](Self::name).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// The keys have designs, and keep them.
    HasDesign {
        /// The designs.
        designs: Vec<DesignInTablets>,
        /// `true` if the table is split for the designs.
        is_split: bool,
        /// The reason why servers are used unevenly; `None` if they are not, so that the table or
        /// its keys stay as they are.
        uneven: Option<Unevenness>,
    },
    /// The keys move from one design to another. Both stay until the last key has moved.
    MigrationUnderWay {
        /// The designs.
        designs: Vec<DesignInTablets>,
        /// The number of keys that still have an earlier design.
        keys: u64,
    },
    /// The table is split for designs of few of its rows; the others are plain.
    MostlyPlain {
        /// The designs.
        designs: Vec<DesignInTablets>,
        /// The other rows.
        keys: KeysWithoutDesign,
    },
    /// An unknown design seems to have salted or hashed the keys. They stay.
    UnknownDesign {
        /// The look of the keys.
        look: SaltedLook,
        /// The keys with this look, if others have a known design. Then there is no spec.
        keys: Option<KeysWithoutDesign>,
    },
    /// The table has plain rows that are spread evenly over its tablets. It stays as it is.
    Plain {
        /// The number of tablets.
        tablets: u64,
    },
    /// Plain keys spread by themselves, if a table is split for them.
    NewSplits {
        /// The number of tablets.
        tablets: u64,
    },
    /// Plain keys need a design that spreads them.
    NewDesign {
        /// The label of the design.
        label: String,
        /// The number of tablets.
        tablets: u64,
    },
    /// No design spreads the keys well; one is the least bad.
    LeastBad {
        /// The label of the design.
        label: String,
        /// The number of tablets.
        tablets: u64,
    },
    /// No design is possible.
    NoDesign {
        /// `true` if there are possible designs, but each of them makes a requested read
        /// impossible.
        is_unreadable: bool,
    },
}

/// A design with its number of tablets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DesignInTablets {
    /// The design.
    pub settings: DesignSettings,
    /// The number of tablets.
    pub tablets: u64,
}

/// The reason why a table that keeps its designs uses its servers unevenly.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Unevenness {
    /// A tablet has too many rows.
    FullTablet {
        /// The label of the recipe, if there are several.
        recipe: Option<String>,
        /// The rows of the fullest tablet as a multiple of the mean.
        over_mean: f64,
    },
    /// There are fewer tablets than servers.
    FewTablets {
        /// The number of tablets.
        tablets: u64,
        /// The number of servers.
        servers: u32,
        /// `true` if the designs can be split into more tablets.
        can_have_more: bool,
    },
}

impl Decision {
    /// Returns the name of the decision in JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::HasDesign {
                uneven: Some(_), ..
            } => "has-uneven-design",
            Self::HasDesign { .. } => "has-design",
            Self::MigrationUnderWay { .. } => "migration-under-way",
            Self::MostlyPlain { .. } => "mostly-plain",
            Self::UnknownDesign { .. } => "unknown-design",
            Self::Plain { .. } => "plain",
            Self::NewSplits { .. } => "new-splits",
            Self::NewDesign { .. } => "new-design",
            Self::LeastBad { .. } => "least-bad",
            Self::NoDesign { .. } => "no-design",
        }
    }
}

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HasDesign {
                designs,
                is_split,
                uneven,
            } => {
                let designs = listed(designs);
                match (is_split, uneven) {
                    (true, None) => write!(f, "Leave the table as it is: {designs}."),
                    (false, None) => write!(
                        f,
                        "Leave the keys as they are, {designs}: they have their salts already."
                    ),
                    (_, Some(uneven)) => {
                        write!(
                            f,
                            "Keep the design of the keys, {designs}, though {uneven}."
                        )
                    }
                }
            }
            Self::MigrationUnderWay { designs, keys } => write!(
                f,
                "Finish the migration to {}: {} {} still in an earlier design. Until it is \
                 finished, the spec has both designs.",
                listed(designs),
                plural(*keys, "key"),
                is_or_are(*keys)
            ),
            Self::MostlyPlain { designs, keys } => write!(
                f,
                "The table is split for {}, but most rows belong to none of its designs: {keys}. \
                 If they were loaded without the design, load them again through it.",
                listed(designs)
            ),
            Self::UnknownDesign { look, keys } => {
                write!(
                    f,
                    "Leave the keys as they are: an unknown design seems to have salted or hashed \
                     them already ({look})."
                )?;
                keys.iter()
                    .try_for_each(|keys| write!(f, " These keys are {keys}, so there is no spec."))
            }
            Self::Plain { tablets } => write!(
                f,
                "Leave the table as it is: its plain rows are spread evenly over {}.",
                plural(*tablets, "tablet")
            ),
            Self::NewSplits { tablets } => write!(
                f,
                "Leave the keys as they are, in {}, with split points from the sample: they spread \
                 by themselves.",
                plural(*tablets, "tablet")
            ),
            Self::NewDesign { label, tablets } => {
                write!(f, "Use {label} in {}.", plural(*tablets, "tablet"))
            }
            Self::LeastBad { label, tablets } => write!(
                f,
                "No design spreads these keys well. The least bad is {label} in {}; it is better \
                 to change the structure of the keys.",
                plural(*tablets, "tablet")
            ),
            Self::NoDesign { is_unreadable } => f.write_str(if *is_unreadable {
                "No design can be advised for these keys: each possible design makes a requested \
                 read impossible."
            } else {
                "No design can be advised for these keys."
            }),
        }
    }
}

impl fmt::Display for Unevenness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FullTablet { recipe, over_mean } => {
                f.write_str("it is uneven: the fullest tablet ")?;
                recipe
                    .iter()
                    .try_for_each(|recipe| write!(f, "of {recipe} "))?;
                write!(f, "takes {over_mean:.2} times the mean")
            }
            Self::FewTablets {
                tablets,
                servers,
                can_have_more,
            } => {
                let tablets = plural(*tablets, "tablet");
                write!(f, "{tablets} cannot use {servers} servers")?;
                f.write_str(match can_have_more {
                    true => ": request more tablets",
                    false => ", and the design allows no more",
                })
            }
        }
    }
}

impl fmt::Display for DesignInTablets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tablets = plural(self.tablets, "tablet");
        write!(f, "{} in {tablets}", name(&self.settings))
    }
}
