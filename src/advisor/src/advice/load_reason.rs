//! A reason for or against a design by the load of its tablets, and its sentence.

use std::fmt;

use fluo_keys::ChiSquare;
use fluo_table::{Bytes, Grouped};

use crate::Estimate;
use crate::formatting::{percent, plural, quoted};
use crate::number::float;
use crate::profile::WindowSpread;

/// The share of keys from which one tablet takes practically all.
const NEARLY_ALL: f64 = 0.9;

/// A reason for or against a design by the load of its tablets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LoadReason {
    /// The keys get too few different salts.
    FewSalts {
        /// The number of salts that the keys of the sample get.
        used: u64,
        /// `true` if the salt is computed from the whole key.
        is_of_whole_key: bool,
    },
    /// The load of the fullest tablet.
    Fullest(FullestLoad),
    /// One salted part alone overloads a tablet.
    HeavyPart {
        /// The number of keys of the sample that share it.
        keys: u64,
        /// Their number over the mean of a tablet.
        over_mean: f64,
    },
    /// The salted part that overloads a tablet.
    SharedPart {
        /// The part.
        part: Bytes,
        /// The share of the keys that have it.
        share: f64,
    },
    /// The salts cannot be divided evenly among the tablets.
    UnevenSalts {
        /// The salts of the fullest tablet over the mean.
        over_mean: f64,
    },
    /// The place of new keys is unknown, and no salt spreads them.
    UnknownPlace,
    /// The newest keys are spread.
    NewestSpread {
        /// The share of all keys that count as the newest.
        newest: f64,
        /// The largest share of them in one tablet.
        share: f64,
    },
    /// Too many of the newest keys are in one tablet.
    NewestTogether {
        /// The share of all keys that count as the newest.
        newest: f64,
        /// The share of them in that tablet.
        share: f64,
        /// The number of that tablet, from 0.
        tablet: u64,
        /// The number of all tablets.
        tablets: u64,
    },
    /// Keys that arrive one after the other are in few tablets.
    RunsTogether(WindowSpread),
}

/// The load of the fullest tablet of a design, compared with the mean.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FullestLoad {
    /// The judgement.
    pub evenness: Evenness,
    /// The number of tablets.
    pub tablets: u64,
    /// The number of the fullest tablet, from 0.
    pub fullest: u64,
    /// Its load over the mean.
    pub over_mean: Estimate,
    /// `true` if the load is counted over all keys, so that it has no bounds.
    pub is_exact: bool,
    /// The test whether chance explains the loads, if it applies.
    pub test: Option<ChiSquare>,
    /// The number of different salted parts that were tested, if several keys share one.
    pub salted_parts: Option<u64>,
}

/// The judgement of the load of the fullest tablet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Evenness {
    /// The load is too far above the mean.
    Uneven,
    /// There are too few keys to judge.
    TooFewKeys {
        /// The mean number of keys of a tablet.
        mean: f64,
    },
    /// The load is near the mean.
    Even,
    /// The load is far above the mean, but chance explains it.
    Chance,
}

impl fmt::Display for LoadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewSalts {
                used,
                is_of_whole_key,
            } => write_few_salts(f, *used, *is_of_whole_key),
            Self::Fullest(load) => load.fmt(f),
            Self::HeavyPart { keys, over_mean } => write!(
                f,
                "{} of the sample fall together with any salts, {over_mean:.2} times the mean of a \
                 tablet.",
                plural(*keys, "key")
            ),
            Self::SharedPart { part, share } => write!(
                f,
                "They share {}, which is in {} of the keys: only a design that salts the whole key \
                 separates them.",
                quoted(part),
                percent(*share)
            ),
            Self::UnevenSalts { over_mean } => write!(
                f,
                "Its salts cannot be divided evenly among these tablets: by their number alone, \
                 the fullest takes {over_mean:.2} times the mean."
            ),
            Self::UnknownPlace => f.write_str(
                "The place of new keys is unknown, because these are not in order of arrival: \
                 without a salt, all of them may go to one tablet.",
            ),
            Self::NewestSpread { newest, share } => {
                let (newest, share) = (percent(*newest), percent(*share));
                write!(
                    f,
                    "Of the newest {newest} of the keys, no tablet takes more than {share}."
                )
            }
            Self::NewestTogether {
                newest,
                share,
                tablet,
                tablets,
            } => write_together(f, *newest, *share, *tablet, *tablets),
            Self::RunsTogether(windows) => write!(
                f,
                "{} keys of the sample that arrive one after the other go to {:.1} tablets on \
                 average, and random ones to {:.1}: few servers do the work at a time.",
                windows.keys, windows.places, windows.places_of_random
            ),
        }
    }
}

impl fmt::Display for FullestLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.evenness {
            Evenness::Uneven => f.write_str("Uneven"),
            Evenness::TooFewKeys { mean } => write!(f, "Too few keys to tell, {mean:.1} a tablet"),
            Evenness::Even => f.write_str("Even"),
            Evenness::Chance => f.write_str("No more uneven than by chance"),
        }?;
        let Estimate { value, low, high } = self.over_mean;
        let tablets = plural(self.tablets, "tablet");
        let fullest = Grouped(self.fullest + 1);
        write!(
            f,
            ": of {tablets}, number {fullest} takes most, {value:.2} times the mean"
        )?;
        if !self.is_exact {
            write!(f, " (95 %: {low:.2} to {high:.2})")?;
        }
        if let Some(test) = self.test {
            let says = if test.p_value < ChiSquare::LEAST_P_VALUE {
                "chance is unlikely to explain"
            } else {
                "chance can explain"
            };
            write!(f, "; {says}")?;
            match self.salted_parts {
                Some(parts) => write!(
                    f,
                    " how its {} fall",
                    plural(parts, "different salted part")
                ),
                None => f.write_str(" it"),
            }?;
            write!(f, " (chi-square p = {})", p_value(test.p_value))?;
        }
        f.write_str(".")
    }
}

/// Returns a p-value with three digits, or a bound for a very small one.
fn p_value(p: f64) -> String {
    if p < ChiSquare::LEAST_P_VALUE {
        "less than 0.000001".to_owned()
    } else if p < 0.0005 {
        format!("{p:.1e}")
    } else {
        format!("{p:.3}")
    }
}

fn write_few_salts(f: &mut fmt::Formatter<'_>, used: u64, is_of_whole_key: bool) -> fmt::Result {
    match used {
        1 => f.write_str("All keys of the sample get one salt"),
        some => write!(
            f,
            "The keys of the sample get only {}",
            plural(some, "salt")
        ),
    }?;
    f.write_str(if is_of_whole_key {
        ": the hash does not distinguish these keys. Use another hash, such as digest-salt."
    } else {
        ": they differ only beyond the salted part. Salt the whole key, or a longer part."
    })
}

fn write_together(
    f: &mut fmt::Formatter<'_>,
    newest: f64,
    share: f64,
    tablet: u64,
    tablets: u64,
) -> fmt::Result {
    write!(
        f,
        "Of the newest {} of the keys, {} fall in one tablet, number {}",
        percent(newest),
        percent(share),
        Grouped(tablet + 1)
    )?;
    if share >= NEARLY_ALL {
        f.write_str(": one server takes them all.")
    } else {
        write!(f, ", {:.1} times its share.", share * float(tablets))
    }
}
