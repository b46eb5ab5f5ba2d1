//! The verdict on a design, in sentences.

use fluo_recipes::{ChiSquare, DesignSettings, SaltedPart, ScanCost};
use serde::Serialize;

use super::as_it_is::Tried;
use super::keys::quoted;
use super::settings::{AdviceSettings, Read};
use crate::formatting::{grouped, percent, plural};
use crate::number::{count, float, float_len, share};
use crate::{
    DesignForecast, ForecastResult, KeyProfile, LoadForecast, PartSizes, ScanCosts, WithoutKey,
};

/// The largest load over the mean that is even enough for a balancer.
const EVEN_ENOUGH: f64 = 1.5;
/// The promised load over the mean from which a sentence mentions it.
const NEARLY_EVEN: f64 = 1.1;
/// The largest share of the newest keys, as a multiple of the tablet's share, that counts as
/// spread.
const SPREAD_ENOUGH: f64 = 2.0;
/// The number of keys in a tablet below which chance alone makes loads uneven.
const TELLING_KEYS: f64 = 20.0;
/// The number of standard deviations from which chance does not explain unused salts.
const BEYOND_CHANCE: f64 = 4.0;
/// The least number of salts of a row hasher, whose weights are chances and not salts.
const HASHER_SALTS: u64 = 1 << 20;
/// The share of keys from which one tablet takes practically all.
const NEARLY_ALL: f64 = 0.9;
/// The reason why a leading field cannot be read.
pub(super) const NO_FIELD: &str = "the keys have no leading field that a separator ends: omit this read, or begin keys \
                                   with a field and a separator, such as `tenant|`";

/// The reason why a domain cannot be read.
pub(super) const NO_DOMAIN: &str =
    "the keys are not web addresses, such as `https://example.com/docs`: omit this read";

/// The suitability of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Suitability {
    /// The advised design.
    Recommended,
    /// A design that could be used as well.
    Suitable,
    /// A design that spreads the keys, but over fewer tablets than wanted.
    TooFewTablets,
    /// A design that overloads some tablets, or for which the place of new keys is unknown.
    Uneven,
    /// A design that makes a requested read impossible.
    Unreadable,
    /// A design that the keys cannot have.
    Impossible,
}

impl Suitability {
    /// Returns the word for use in a table.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Recommended => "recommended",
            Self::Suitable => "suitable",
            Self::TooFewTablets => "too few tablets",
            Self::Uneven => "uneven",
            Self::Unreadable => "reads unsupported",
            Self::Impossible => "impossible",
        }
    }
}

/// The verdict on a design, with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DesignVerdict {
    /// The label of its candidate.
    pub label: String,
    /// The suitability of the design.
    pub standing: Suitability,
    /// The reasons, each in a sentence.
    pub reasons: Vec<String>,
    /// The reasons against the design.
    pub against: Vec<String>,
}

pub(super) fn verdict(
    profile: &KeyProfile,
    forecast: &DesignForecast,
    settings: &AdviceSettings,
    tried: Tried,
) -> DesignVerdict {
    let (mut reasons, mut against) = (Vec::new(), Vec::new());
    let standing = match &forecast.result {
        ForecastResult::Refused { reason, keys } => {
            reasons.push(match keys {
                0 => format!("It cannot be used: {reason}."),
                some => format!(
                    "It has no key for {} of the sample: {reason}.",
                    plural(*some, "key")
                ),
            });
            against.clone_from(&reasons);
            Suitability::Impossible
        }
        ForecastResult::Possible { load, scans } => {
            reasons.extend(without_key(profile, forecast));
            against.clone_from(&reasons);
            let before = reasons.len();
            let is_even = evenness(profile, forecast, load, &mut reasons);
            if !is_even {
                against.extend(reasons.iter().skip(before).cloned());
            }
            let before = reasons.len();
            let is_spread = tail(load, tried, &mut reasons);
            if !is_spread {
                against.extend(reasons.iter().skip(before).cloned());
            }
            let is_readable = reading(scans, settings, &mut reasons, &mut against);
            let tablets = tablets(forecast, load);
            let wanted = match tried {
                Tried::In(wanted) => wanted,
                Tried::AsItIs => 0,
            };
            let is_large_enough = tablets >= wanted.into();
            if !is_large_enough {
                let what = if load.splits_are_of_the_sample {
                    "The sample gives split points"
                } else {
                    "It has salts"
                };
                let few = format!(
                    "{what} for {} only, but {} are wanted.",
                    plural(tablets, "tablet"),
                    grouped(wanted.into())
                );
                against.push(few.clone());
                reasons.push(few);
            }
            if !is_readable {
                Suitability::Unreadable
            } else if !(is_even && is_spread) {
                Suitability::Uneven
            } else if !is_large_enough {
                Suitability::TooFewTablets
            } else {
                Suitability::Suitable
            }
        }
    };
    let label = forecast.candidate.label.clone();
    DesignVerdict {
        label,
        standing,
        reasons,
        against,
    }
}

/// Returns the number of keys that a design rejects, in a sentence; `None` if there are none.
fn without_key(profile: &KeyProfile, forecast: &DesignForecast) -> Option<String> {
    let WithoutKey {
        keys, share, first, ..
    } = forecast.without_key.as_ref()?;
    let of_sample = if profile.sample.is_complete {
        ""
    } else {
        " of the sample"
    };
    let them = if *keys == 1 { "it" } else { "them" };
    Some(format!(
        "{}{of_sample} ({}) cannot be stored in it: {first}. The verdict is on the others. A load stops at such a key, so \
         correct or remove {them} first.",
        plural(*keys, "key"),
        percent(*share)
    ))
}

/// Returns the number of tablets that a design can have. If the sample gives the split points, it
/// limits the number.
pub(super) fn tablets(forecast: &DesignForecast, load: &LoadForecast) -> u64 {
    if load.splits_are_of_the_sample {
        count(load.tablets())
    } else {
        forecast.candidate.tablets.into()
    }
}

fn evenness(
    profile: &KeyProfile,
    forecast: &DesignForecast,
    load: &LoadForecast,
    reasons: &mut Vec<String>,
) -> bool {
    reasons.extend(collapse(profile, forecast, load));
    let largest = load.largest_over_mean;
    let bounds = if profile.sample.is_complete {
        String::new()
    } else {
        format!(" (95 %: {:.2} to {:.2})", largest.low, largest.high)
    };
    // The mean is the measure, and not the design's promise, which may be uneven too.
    let most = load.keys.iter().copied().max().unwrap_or(0);
    let mean = float(load.keys.iter().sum()) / float_len(load.tablets().max(1));
    let is_promised = load.promised.is_none_or(|promised| promised <= EVEN_ENOUGH);
    let is_near = largest.low <= EVEN_ENOUGH;
    let is_even =
        is_promised && (is_near || !is_beyond_chance(most, mean, &load.parts, EVEN_ENOUGH));
    let word = if !is_even {
        "Uneven".to_owned()
    } else if mean < TELLING_KEYS {
        format!("Too few keys to tell, {mean:.1} a tablet")
    } else if largest.value <= EVEN_ENOUGH {
        "Even".to_owned()
    } else {
        "No more uneven than by chance".to_owned()
    };
    reasons.push(format!(
        "{word}: of {}, number {} takes most, {:.2} times the mean{bounds}{}.",
        plural(count(load.tablets()), "tablet"),
        grouped(count(load.largest) + 1),
        largest.value,
        chance(load)
    ));
    if !is_even && is_heavy(&load.parts, mean, EVEN_ENOUGH) {
        reasons.push(format!(
            "{} of the sample fall together with any salts, {:.2} times the mean of a tablet.",
            plural(load.parts.largest, "key"),
            float(load.parts.largest) / mean
        ));
        reasons.extend(load.largest_part.as_ref().map(|part| {
            format!(
                "They share {}, which is in {} of the keys: only a design that salts the whole key separates them.",
                quoted(part),
                percent(share(load.parts.largest, load.keys.iter().sum()))
            )
        }));
    }
    if let Some(promised) = load.promised.filter(|promised| *promised > NEARLY_EVEN) {
        reasons.push(format!(
            "Its salts cannot be divided evenly among these tablets: by their number alone, the fullest takes \
             {promised:.2} times the mean."
        ));
    }
    is_even
}

/// Returns the result of the chi-square test, as the end of a sentence.
fn chance(load: &LoadForecast) -> String {
    let Some(test) = load.chi_square else {
        return String::new();
    };
    let parts = load.parts.different;
    let fall = if parts < load.keys.iter().sum() {
        format!(" how its {} fall", plural(parts, "different salted part"))
    } else {
        " it".to_owned()
    };
    let says = if test.p_value < ChiSquare::LEAST_P_VALUE {
        "chance is unlikely to explain"
    } else {
        "chance can explain"
    };
    format!("; {says}{fall} (chi-square p = {})", p_value(test.p_value))
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

/// Checks whether chance does not explain the fullest tablet: it is fuller than salted parts of
/// these sizes make it, or one part alone overloads it.
fn is_beyond_chance(most: u64, mean: f64, parts: &PartSizes, enough: f64) -> bool {
    let size = parts.of_a_key.max(1.0);
    is_far_above(float(most) / size, mean / size) || is_heavy(parts, mean, enough)
}

/// Checks whether the largest salted part alone is too much for a tablet.
fn is_heavy(parts: &PartSizes, mean: f64, enough: f64) -> bool {
    let largest = float(parts.largest);
    largest > enough * mean && is_far_above(largest, mean)
}

/// Checks whether a row that is this often in a sample is too much for a tablet.
pub(super) fn is_hot(times: u64, keys: u64, tablets: u32) -> bool {
    let mean = float(keys) / f64::from(tablets.max(1));
    let times = float(times);
    times > EVEN_ENOUGH * mean && is_far_above(times, mean)
}

/// Checks whether a count exceeds its expectation by too much for chance, for any number of
/// tablets: by four standard deviations of a Poisson count, and four for small counts.
fn is_far_above(count: f64, mean: f64) -> bool {
    count > mean + 4.0 * mean.sqrt() + 4.0
}

fn collapse(
    profile: &KeyProfile,
    forecast: &DesignForecast,
    load: &LoadForecast,
) -> Option<String> {
    let tablets = count(load.tablets());
    let different = profile.distinct.keys().min(profile.sample.len);
    let salts_used = load
        .salts_used
        .filter(|salts| *salts < tablets.min(different))
        .filter(|used| is_below_chance(*used, different, load.salts.unwrap_or(tablets)))?;
    let used = match salts_used {
        1 => "All keys of the sample get one salt".to_owned(),
        some => format!("The keys of the sample get only {}", plural(some, "salt")),
    };
    Some(match salted_part(&forecast.candidate.settings) {
        Some(SaltedPart::Whole) | None => format!(
            "{used}: the hash does not distinguish these keys. Use another hash, such as digest-salt."
        ),
        Some(_) => format!(
            "{used}: they differ only beyond the salted part. Salt the whole key, or a longer part."
        ),
    })
}

/// Checks whether chance does not explain the small number of used salts. Of `s` salts, `n` rows
/// leave `s * exp(-n / s)` unused.
fn is_below_chance(used: u64, rows: u64, salts: u64) -> bool {
    let salts = float(salts.clamp(1, HASHER_SALTS));
    let per_salt = float(rows) / salts;
    let unused = (-per_salt).exp();
    let variance = salts * unused * (1.0 - (1.0 + per_salt) * unused);
    let deviation = variance.max(0.0).sqrt();
    float(used) + BEYOND_CHANCE * deviation + 1.0 <= salts * (1.0 - unused)
}

fn salted_part(settings: &DesignSettings) -> Option<&SaltedPart> {
    match settings {
        DesignSettings::Modulo(settings) => Some(&settings.over),
        DesignSettings::DigestSalt(settings) => Some(&settings.over),
        DesignSettings::ReverseTime(_) | DesignSettings::WebTable(_) => Some(&SaltedPart::Entity),
        _ => None,
    }
}

fn tail(load: &LoadForecast, tried: Tried, reasons: &mut Vec<String>) -> bool {
    let Some(tail) = &load.tail else {
        if tried == Tried::AsItIs {
            return true;
        }
        if load.splits_are_of_the_sample {
            reasons.push(
                "The place of new keys is unknown, because these are not in order of arrival: without a salt, all of them \
                 may go to one tablet."
                    .to_owned(),
            );
        }
        return !load.splits_are_of_the_sample;
    };
    let tablets = float_len(load.tablets());
    let mean = float(tail.keys) / tablets;
    let share = tail.busiest_share;
    let is_spread = share.low * tablets <= SPREAD_ENOUGH
        || !is_beyond_chance(
            most_of(share.value, tail.keys),
            mean,
            &tail.parts,
            SPREAD_ENOUGH,
        );
    let newest = percent(tail.newest);
    let share = percent(share.value);
    reasons.push(if is_spread {
        format!("Of the newest {newest} of the keys, no tablet takes more than {share}.")
    } else {
        let busiest = grouped(count(tail.busiest) + 1);
        let much = if tail.busiest_share.value >= NEARLY_ALL {
            ": one server takes them all".to_owned()
        } else {
            format!(", {:.1} times its share", tail.busiest_share.value * tablets)
        };
        format!("Of the newest {newest} of the keys, {share} fall in one tablet, number {busiest}{much}.")
    });
    is_spread
}

/// Returns a share of a count as a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count lies between 0 and the count"
)]
fn most_of(share: f64, keys: u64) -> u64 {
    (share * float(keys)).round() as u64
}

fn reading(
    scans: &ScanCosts,
    settings: &AdviceSettings,
    reasons: &mut Vec<String>,
    against: &mut Vec<String>,
) -> bool {
    let reads = &settings.reads;
    let mut is_readable = true;
    if let ScanCost::FanOut { ranges: pieces } = scans.by_row {
        let cost = format!(
            "One row: {} of the table, because its salt cannot be recomputed.",
            plural(pieces, "piece")
        );
        if !settings.scans_only {
            is_readable = false;
            against.push(format!(
                "{cost} It is advised only if rows are never read one by one."
            ));
        }
        reasons.push(cost);
    }
    let [no_field, no_domain] = [NO_FIELD, NO_DOMAIN].map(|reason| ScanCost::Unsupported {
        reason: reason.to_owned(),
    });
    // A read that is impossible for all keys needs a sentence only if it is requested.
    let or_none =
        |read, none| -> Option<&ScanCost> { Some(none).filter(|_| reads.contains(&read)) };
    let asked = [
        (Read::Prefix, "a prefix", Some(&scans.by_prefix)),
        (Read::Range, "a range", Some(&scans.by_range)),
        (
            Read::Field,
            "one leading field",
            scans
                .by_leading_field
                .as_ref()
                .or_else(|| or_none(Read::Field, &no_field)),
        ),
        (
            Read::Domain,
            "a domain",
            scans
                .by_domain
                .as_ref()
                .filter(|_| reads.contains(&Read::Domain))
                .or_else(|| or_none(Read::Domain, &no_domain)),
        ),
    ];
    let costs: Vec<_> = asked
        .into_iter()
        .filter_map(|(read, what, cost)| Some((read, what, cost?)))
        .collect();
    for alike in costs.chunk_by(|(_, _, a), (_, _, b)| a == b) {
        let names: Vec<_> = alike.iter().map(|(_, what, _)| *what).collect();
        let Some((_, _, cost)) = alike.first() else {
            continue;
        };
        let cost = match cost {
            ScanCost::SingleRange => "one piece of the table".to_owned(),
            ScanCost::FanOut { ranges: pieces } => {
                format!("{} of the table", plural(*pieces, "piece"))
            }
            ScanCost::Limited {
                ranges: pieces,
                only,
            } => format!(
                "{} of the table, but only {only}; others are rejected",
                plural(*pieces, "piece")
            ),
            ScanCost::Unsupported { reason } => format!("impossible: {reason}"),
            _ => "at an unknown cost".to_owned(),
        };
        let sentence = format!("A scan of {}: {cost}.", names.join(" or "));
        let is_refused = |(read, _, cost): &(Read, _, &ScanCost)| {
            reads.contains(read) && cost.ranges().is_none()
        };
        if alike.iter().any(is_refused) {
            is_readable = false;
            against.push(sentence.clone());
        }
        reasons.push(sentence);
    }
    is_readable
}
