//! A reason for or against a design, and its sentence.

use std::fmt;

use fluo_keys::ScanCost;
use fluo_table::Grouped;
use serde::{Serialize, Serializer};

use super::key_share::KeyShare;
use super::load_reason::LoadReason;
use super::options::Read;
use crate::formatting::plural;

/// A reason for or against a design.
///
/// [`Display`](fmt::Display) writes it as a sentence, which is its serialized form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DesignReason {
    /// The design, or its number of tablets, is invalid. Contains the message of the design.
    Invalid(String),
    /// The design has no key for too many keys.
    RejectsTooMany {
        /// The number of these keys in the sample.
        keys: u64,
        /// The message of the design about the first of them.
        first: String,
    },
    /// The design has no key for some keys, and the verdict is on the others.
    RejectsSome {
        /// The keys that it rejects.
        keys: KeyShare,
        /// The message of the design about the first of them.
        first: String,
    },
    /// The load of the tablets.
    Load(LoadReason),
    /// A read of one row is a scan of several pieces of the table.
    RowInPieces {
        /// The number of pieces.
        pieces: u64,
    },
    /// A read of one row is a scan of several pieces of the table, and rows are read one by one.
    ForScansOnly {
        /// The number of pieces.
        pieces: u64,
    },
    /// The cost of one or more kinds of scans.
    Scan {
        /// The kinds of scans.
        reads: Vec<Read>,
        /// Their cost.
        cost: ScanCost,
    },
    /// The design cannot have as many tablets as are wanted.
    TooFewTablets {
        /// The number of tablets that it can have.
        tablets: u64,
        /// The wanted number.
        wanted: u32,
        /// `true` if the sample has too few keys for more split points; otherwise the design has
        /// too few salts.
        is_of_sample: bool,
    },
    /// The table is split for the design, but no key was found that belongs to it.
    NoKeysFound,
}

impl Serialize for DesignReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for DesignReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) => write!(f, "It cannot be used: {reason}."),
            Self::RejectsTooMany { keys, first } => {
                let keys = plural(*keys, "key");
                write!(f, "It has no key for {keys} of the sample: {first}.")
            }
            Self::RejectsSome { keys, first } => {
                let them = if keys.keys == 1 { "it" } else { "them" };
                write!(
                    f,
                    "{keys} cannot be stored in it: {first}. The verdict is on the others. A load \
                     stops at such a key, so correct or remove {them} first."
                )
            }
            Self::Load(reason) => reason.fmt(f),
            Self::RowInPieces { pieces } => write_row(f, *pieces),
            Self::ForScansOnly { pieces } => {
                write_row(f, *pieces)?;
                f.write_str(" It is advised only if rows are never read one by one.")
            }
            Self::Scan { reads, cost } => write_scan(f, reads, cost),
            Self::TooFewTablets {
                tablets,
                wanted,
                is_of_sample,
            } => write!(
                f,
                "{} for {} only, but {} are wanted.",
                if *is_of_sample {
                    "The sample gives split points"
                } else {
                    "It has salts"
                },
                plural(*tablets, "tablet"),
                Grouped((*wanted).into())
            ),
            Self::NoKeysFound => f.write_str(
                "The table is split for it, but none of the keys that were read belongs to it.",
            ),
        }
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, pieces: u64) -> fmt::Result {
    let pieces = plural(pieces, "piece");
    write!(
        f,
        "One row: {pieces} of the table, because its salt cannot be recomputed."
    )
}

fn write_scan(f: &mut fmt::Formatter<'_>, reads: &[Read], cost: &ScanCost) -> fmt::Result {
    let names: Vec<_> = reads.iter().map(|read| read.selection()).collect();
    write!(f, "A scan of {}: ", names.join(" or "))?;
    match cost {
        ScanCost::SingleRange => f.write_str("one piece of the table."),
        ScanCost::FanOut { ranges } => write!(f, "{} of the table.", plural(*ranges, "piece")),
        ScanCost::Limited { ranges, only } => write!(
            f,
            "{} of the table, but only {only}; others are rejected.",
            plural(*ranges, "piece")
        ),
        ScanCost::Unsupported { reason } => write!(f, "impossible: {reason}."),
        other => write!(f, "{other}."),
    }
}
