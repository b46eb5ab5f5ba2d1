//! The faults of a design.

use fluo_keys::ScanCost;
use fluo_table::{Bytes, Escaped};
use serde::{Serialize, Serializer};

use super::options::Read;

/// A reason against a design.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "fault")]
#[non_exhaustive]
pub enum Fault {
    /// The design, or its number of tablets, is invalid.
    Invalid {
        /// The message of the design.
        reason: String,
    },
    /// The design has no key for more than 1 % of the sample.
    RejectsKeys {
        /// The number of these keys.
        keys: u64,
        /// The message of the design about the first of them.
        reason: String,
    },
    /// The keys get fewer salts than there are tablets, and chance does not explain it.
    FewSalts {
        /// The number of salts that the keys of the sample get.
        used: u64,
        /// `true` if the salt is computed from a part of the key, beyond which the keys differ;
        /// otherwise the hash does not distinguish the keys.
        is_of_a_part: bool,
    },
    /// The fullest tablet is too full.
    FullTablet {
        /// Its load over the mean.
        over_mean: f64,
    },
    /// One salted part alone, such as a domain, overloads a tablet.
    HeavyPart {
        /// The part, in the escaped form; `None` if it is the whole row.
        #[serde(serialize_with = "escaped")]
        part: Option<Bytes>,
        /// The share of the keys that have it.
        share: f64,
    },
    /// The salts cannot be divided evenly among the tablets.
    UnevenSalts {
        /// The salts of the fullest tablet over the mean.
        over_mean: f64,
    },
    /// Too many of the newest keys are in one tablet.
    NewestTogether {
        /// The share of them in that tablet.
        share: f64,
    },
    /// Keys that arrive one after the other go to few tablets at a time.
    RunsTogether {
        /// The mean number of these tablets.
        tablets: f64,
    },
    /// The order of arrival is unknown, and no salt spreads the keys, so all new keys may go to one
    /// tablet.
    UnknownPlace,
    /// A read of one row looks into several pieces of the table, because its salt cannot be
    /// computed again.
    RowInPieces {
        /// The number of pieces.
        pieces: u64,
    },
    /// The design does not support a requested read.
    UnsupportedRead {
        /// The read.
        read: Read,
        /// Its cost in the design; `None` if the keys do not support the read with any design.
        cost: Option<ScanCost>,
    },
    /// The design cannot have as many tablets as are wanted, because it has too few salts, or the
    /// sample too few keys.
    TooFewTablets {
        /// The number of tablets that it can have.
        tablets: u64,
        /// The wanted number.
        wanted: u64,
    },
    /// The fullest tablet is too full, but the keys are so few that chance explains it.
    TooFewKeys {
        /// The number of keys of the sample that the design accepts.
        keys: u64,
        /// The number of its tablets.
        tablets: u64,
    },
    /// The table has fewer tablets than servers.
    FewerThanServers {
        /// The number of tablets.
        tablets: u64,
        /// The number of servers.
        servers: u32,
    },
}

impl Fault {
    /// Checks whether the fault is the place of the newest keys, or of those to come.
    pub(super) fn is_of_new_keys(&self) -> bool {
        matches!(self, Self::NewestTogether { .. } | Self::RunsTogether { .. } | Self::UnknownPlace)
    }
}

fn escaped<S: Serializer>(part: &Option<Bytes>, serializer: S) -> Result<S::Ok, S::Error> {
    part.as_ref().map(|part| Escaped(part).to_string()).serialize(serializer)
}
