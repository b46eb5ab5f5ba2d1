//! A property of the keys or of their table, and its sentence.

mod designs;
mod order;
mod repeated;
mod table;

use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

pub use self::designs::DesignFinding;
pub(super) use self::order::ASCENDING;
pub use self::order::OrderFinding;
pub use self::repeated::RepeatedFinding;
pub use self::table::TableFinding;

use fluo_table::Grouped;

use crate::formatting::{bytes, percent, plural};
use crate::{Alphabet, Distinct, LengthProfile};

/// The share of long keys from which they cost something.
const MANY_LONG: f64 = 0.01;

/// The importance of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Information without consequences.
    Note,
    /// A present or future cost.
    Warning,
}

/// A property of the keys or of their table.
///
/// [`Display`](fmt::Display) writes it as a sentence. It is serialized as its severity, `weight`,
/// and its `sentence`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// There are no keys.
    NoKeys,
    /// The number of the keys, their lengths and their bytes.
    Keys {
        /// The number of keys.
        keys: u64,
        /// The number of different keys.
        distinct: Distinct,
        /// The lengths of the keys.
        lengths: LengthProfile,
        /// The bytes of the keys.
        alphabet: Alphabet,
    },
    /// Keys with fewer than 10 bytes.
    ShortKeys {
        /// The number of these keys.
        keys: u64,
        /// Their share of all keys.
        share: f64,
    },
    /// Keys with more than 100 bytes.
    LongKeys {
        /// The number of these keys.
        keys: u64,
        /// Their share of all keys.
        share: f64,
    },
    /// The number of bytes in the table before compression.
    Size {
        /// The bytes of keys: each cell stores the key of its row.
        keys: u64,
        /// The bytes of column names.
        columns: u64,
        /// The bytes of timestamps.
        timestamps: u64,
        /// The number of cells in a row.
        cells_per_row: u64,
        /// The number of bytes of the column name of a cell.
        column_bytes: u64,
    },
    /// All keys end in a carriage return.
    CarriageReturns,
    /// The size of the table, and the size that the advice is for.
    Table(TableFinding),
    /// The designs that the keys already have.
    Design(DesignFinding),
    /// The order of arrival.
    Order(OrderFinding),
    /// Keys that are equal, or share a part.
    Repeated(RepeatedFinding),
    /// Loads are estimated from a sample of the keys.
    Sampled {
        /// The number of keys in the sample.
        keys: u64,
        /// The number of keys that are too long for the sample.
        too_long: u64,
        /// The seed of the random choice.
        seed: u64,
    },
}

impl Finding {
    /// Returns the importance of the finding.
    #[must_use]
    pub fn severity(&self) -> Severity {
        let is_warning = match self {
            Self::LongKeys { share, .. } => *share >= MANY_LONG,
            Self::Design(finding) => finding.is_warning(),
            Self::Order(finding) => finding.is_warning(),
            Self::Repeated(finding) => finding.is_warning(),
            Self::NoKeys | Self::CarriageReturns => true,
            _ => false,
        };
        if is_warning {
            Severity::Warning
        } else {
            Severity::Note
        }
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut finding = serializer.serialize_struct("Finding", 2)?;
        finding.serialize_field("weight", &self.severity())?;
        finding.serialize_field("sentence", &self.to_string())?;
        finding.end()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKeys => f.write_str("There are no keys."),
            Self::Keys {
                keys,
                distinct,
                lengths,
                alphabet,
            } => write_keys(f, *keys, distinct, lengths, *alphabet),
            Self::ShortKeys { keys, share } => write!(
                f,
                "{} ({}) below 10 bytes: such short keys leave little room for other kinds of rows \
                 in the table, and little input for a salt.",
                plural(*keys, "key"),
                percent(*share)
            ),
            Self::LongKeys { keys, share } => write!(
                f,
                "{} ({}) above 100 bytes: a key is stored with every cell of its row; shorten \
                 names, or keep the long part in a value.",
                plural(*keys, "key"),
                percent(*share)
            ),
            Self::Size {
                keys,
                columns,
                timestamps,
                cells_per_row,
                column_bytes,
            } => write!(
                f,
                "Before compression, keys take {} in the whole table, column names {} and \
                 timestamps {}, at {} a row with {} of column names each.",
                bytes(*keys),
                bytes(*columns),
                bytes(*timestamps),
                plural(*cells_per_row, "cell"),
                plural(*column_bytes, "byte")
            ),
            Self::CarriageReturns => f.write_str(
                "All keys end in a carriage return, `\\x0d`, which is part of each key: if the \
                 lines come from a Windows file, remove it, as `tr -d '\\r'` does.",
            ),
            Self::Sampled {
                keys,
                too_long,
                seed,
            } => write_sample(f, *keys, *too_long, *seed),
            Self::Table(finding) => finding.fmt(f),
            Self::Design(finding) => finding.fmt(f),
            Self::Order(finding) => finding.fmt(f),
            Self::Repeated(finding) => finding.fmt(f),
        }
    }
}

fn write_keys(
    f: &mut fmt::Formatter<'_>,
    keys: u64,
    distinct: &Distinct,
    lengths: &LengthProfile,
    alphabet: Alphabet,
) -> fmt::Result {
    write!(f, "{}, ", plural(keys, "key"))?;
    match distinct {
        Distinct::Counted { keys } => write!(f, "{} different, ", Grouped(*keys))?,
        Distinct::Estimated {
            keys,
            standard_error,
        } => write!(
            f,
            "about {} different (+- {}), ",
            Grouped(*keys),
            percent(*standard_error)
        )?,
    }
    if lengths.is_fixed() {
        write!(f, "all of {}", plural(lengths.min, "byte"))?;
    } else {
        let (min, max) = (Grouped(lengths.min), plural(lengths.max, "byte"));
        write!(f, "of {min} to {max}, {:.1} on average", lengths.mean)?;
    }
    write!(f, ", {}.", alphabet.name())
}

fn write_sample(f: &mut fmt::Formatter<'_>, keys: u64, too_long: u64, seed: u64) -> fmt::Result {
    write!(
        f,
        "Loads are estimated from a uniform sample of {} (seed {seed}).",
        plural(keys, "key")
    )?;
    match too_long {
        0 => Ok(()),
        some => write!(
            f,
            " {} above 65,536 bytes are not in it.",
            plural(some, "key")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serializes_its_severity_and_its_sentence() {
        let long = |share| Finding::LongKeys { keys: 12, share };
        let json = serde_json::to_value([long(0.009), long(0.01)]).unwrap();
        assert_eq!(json[0]["weight"], "note");
        assert_eq!(json[1]["weight"], "warning");
        let sentence = json[1]["sentence"].as_str().unwrap();
        assert!(
            sentence.starts_with("12 keys (1.0 %) above 100 bytes: "),
            "{sentence}"
        );
        assert_eq!(json[1].as_object().unwrap().len(), 2);
    }
}
