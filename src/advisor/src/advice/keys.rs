//! The findings about a profile, in sentences.

use fluo_table::{Bytes, Escaped};
use serde::Serialize;

use super::as_it_is;
use super::settings::AdviceSettings;
use super::verdict::is_hot;
use crate::existing::Existing;
use crate::formatting::{bytes, grouped, percent, plural};
use crate::number::share;
use crate::profile::{Arrivals, FieldCut};
use crate::{Distinct, KeyProfile};

/// The share of keys greater than the one before from which keys are ascending.
const ASCENDING: f64 = 0.9;
/// The rank correlation from which keys are ascending, too.
const CORRELATED: f64 = 0.5;
/// The share of keys from which a leading field is hot for a table.
const HOT_SHARE: f64 = 0.2;
/// The share of keys beyond all before from which new keys go to an end of the table.
const AT_THE_END: f64 = 0.01;
/// The share of long keys from which they cost something.
const MANY_LONG: f64 = 0.01;
/// The size of the timestamp of a cell.
const TIMESTAMP_BYTES: u64 = 8;
/// The maximum number of bytes of a key in a sentence.
const SHOWN_BYTES: usize = 60;

/// The importance of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Information without consequences.
    Note,
    /// A present or future cost.
    Warning,
}

/// A property of the keys, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The importance of the finding.
    pub weight: Severity,
    /// The sentence.
    pub sentence: String,
}

/// Returns the findings about a profile.
pub(super) fn findings(
    profile: &KeyProfile,
    settings: &AdviceSettings,
    tablets: u32,
    existing: &Existing,
) -> Vec<Finding> {
    if profile.keys == 0 {
        return vec![warning("There are no keys.".to_owned())];
    }
    let mut all = vec![note(shape(profile))];
    all.extend(lengths(profile));
    all.push(note(size(profile, settings)));
    all.extend(carriage_returns(profile));
    all.extend(of_table(settings));
    all.extend(as_it_is::of_existing(profile, existing));
    if existing.is_none() {
        all.extend(order(profile));
        all.extend(sorted(profile));
        all.extend(common_prefix(profile));
        all.extend(hot_fields(profile));
    }
    all.extend(hot_row(profile, tablets));
    all.extend(duplicates(profile));
    all.extend(sampling(profile));
    all
}

pub(super) fn note(sentence: String) -> Finding {
    Finding {
        weight: Severity::Note,
        sentence,
    }
}

pub(super) fn warning(sentence: String) -> Finding {
    Finding {
        weight: Severity::Warning,
        sentence,
    }
}

/// Quotes bytes for a sentence.
pub(super) fn quoted(bytes: &[u8]) -> String {
    match bytes.get(..SHOWN_BYTES) {
        Some(shown) if shown.len() < bytes.len() => format!("`{}`..", Escaped(shown)),
        _ => format!("`{}`", Escaped(bytes)),
    }
}

fn shape(profile: &KeyProfile) -> String {
    let lengths = &profile.lengths;
    let length = if lengths.is_fixed() {
        format!("all of {}", plural(lengths.min, "byte"))
    } else {
        format!(
            "of {} to {}, {:.1} on average",
            grouped(lengths.min),
            plural(lengths.max, "byte"),
            lengths.mean
        )
    };
    let different = match profile.distinct {
        Distinct::Counted { keys } => format!("{} different", grouped(keys)),
        Distinct::Estimated {
            keys,
            standard_error,
        } => {
            format!(
                "about {} different (+- {})",
                grouped(keys),
                percent(standard_error)
            )
        }
    };
    let alphabet = profile.alphabet.all.name();
    format!(
        "{}, {different}, {length}, {alphabet}.",
        plural(profile.keys, "key")
    )
}

fn lengths(profile: &KeyProfile) -> Vec<Finding> {
    let (lengths, keys) = (&profile.lengths, profile.keys);
    let mut all = Vec::new();
    if lengths.below_10 > 0 {
        all.push(note(format!(
            "{} ({}) below 10 bytes: such short keys leave little room for other kinds of rows in the table, and \
             little input for a salt.",
            plural(lengths.below_10, "key"),
            percent(share(lengths.below_10, keys))
        )));
    }
    if lengths.above_100 > 0 {
        let part = share(lengths.above_100, keys);
        let sentence = format!(
            "{} ({}) above 100 bytes: a key is stored with every cell of its row; shorten names, or keep the long part \
             in a value.",
            plural(lengths.above_100, "key"),
            percent(part)
        );
        all.push(if part < MANY_LONG {
            note(sentence)
        } else {
            warning(sentence)
        });
    }
    all
}

fn size(profile: &KeyProfile, settings: &AdviceSettings) -> String {
    let cells = profile.keys.saturating_mul(settings.cells_per_row);
    let keys = profile.bytes.saturating_mul(settings.cells_per_row);
    let columns = cells.saturating_mul(settings.column_bytes);
    let timestamps = cells.saturating_mul(TIMESTAMP_BYTES);
    format!(
        "Before compression, keys take {} in the whole table, column names {} and timestamps {}, at {} a row with {} \
         of column names each.",
        bytes(keys),
        bytes(columns),
        bytes(timestamps),
        plural(settings.cells_per_row, "cell"),
        plural(settings.column_bytes, "byte")
    )
}

fn order(profile: &KeyProfile) -> Option<Finding> {
    let order = &profile.order;
    if order.arrivals == Arrivals::Unordered || profile.keys < 2 {
        return Some(note(
            "The keys are not in their order of arrival, so the place of new keys is unknown."
                .to_owned(),
        ));
    }
    // One repeated row has no order.
    if order.repeated >= 1.0 {
        return None;
    }
    let descending = 1.0 - order.ascending - order.repeated;
    let figures = |share: f64| {
        format!(
            "{} are {{}} than the one before, rank correlation {:.3}",
            percent(share),
            order.rank_correlation
        )
    };
    if order.ascending >= ASCENDING || order.rank_correlation >= CORRELATED {
        let place = place_of_new(order.new_maxima, "the end");
        Some(warning(format!(
            "Keys {} in their order of arrival ({}; {} are greater than all before): without a salt, new rows go to \
             {place}.",
            in_a_direction(order.ascending, "ascend"),
            figures(order.ascending).replace("{}", "greater"),
            percent(order.new_maxima)
        )))
    } else if descending >= ASCENDING || order.rank_correlation <= -CORRELATED {
        let place = place_of_new(order.new_minima, "the front");
        Some(warning(format!(
            "Keys {} in their order of arrival ({}; {} are less than all before): without a salt, new rows go to \
             {place}.",
            in_a_direction(descending, "descend"),
            figures(descending).replace("{}", "less"),
            percent(order.new_minima)
        )))
    } else if order.rank_correlation.abs() > 3.0 * order.rank_correlation_error
        || (order.ascending - 0.5).abs() > 0.1
    {
        Some(note(format!(
            "Keys arrive partly in order: {} are greater than the one before, {} greater than all before, rank \
             correlation {:.3} (+- {:.3}).",
            percent(order.ascending),
            percent(order.new_maxima),
            order.rank_correlation,
            order.rank_correlation_error
        )))
    } else {
        Some(note(format!(
            "Keys arrive in random order: {} are greater than the one before, rank correlation {:.3} (+- {:.3}).",
            percent(order.ascending),
            order.rank_correlation,
            order.rank_correlation_error
        )))
    }
}

/// Returns the words for keys of which this share goes in one direction. For a smaller share, only
/// the correlation shows the direction.
fn in_a_direction(share: f64, verb: &str) -> String {
    if share >= ASCENDING {
        verb.to_owned()
    } else {
        format!("{verb} on the whole, but not from one to the next,")
    }
}

/// Returns the place of new rows, of which this share is beyond all before.
fn place_of_new(beyond_all: f64, end: &str) -> String {
    if beyond_all < AT_THE_END {
        "one place at a time, which moves through the table: the server of that place takes all of them".to_owned()
    } else {
        format!("{end} of the table, where one server takes all of them")
    }
}

/// Warns that a sorted file looks like one in order of writing.
fn sorted(profile: &KeyProfile) -> Option<Finding> {
    profile.is_sorted_as_written().then(|| {
        note(
            "The keys are sorted, without exception. If that is the order of the file and not of writing, as after \
             `sort` or in an export, the advice for unordered keys may differ."
                .to_owned(),
        )
    })
}

fn carriage_returns(profile: &KeyProfile) -> Option<Finding> {
    (profile.ending_in_return == profile.keys).then(|| {
        warning(
            "All keys end in a carriage return, `\\x0d`, which is part of each key: if the lines come from a Windows \
             file, remove it, as `tr -d '\\r'` does."
                .to_owned(),
        )
    })
}

/// Notes the size of the table, and that the advice is for another size.
fn of_table(settings: &AdviceSettings) -> Vec<Finding> {
    let Some(table) = &settings.table else {
        return Vec::new();
    };
    let (tablets, servers) = (
        plural(table.tablets(), "tablet"),
        plural(table.servers.into(), "server"),
    );
    let mut all = vec![note(format!("The table has {tablets} on {servers}."))];
    if settings.servers != table.servers {
        all.push(note(format!(
            "The advice is for {}, as requested, and not for the {servers} of the table.",
            plural(settings.servers.into(), "server")
        )));
    }
    if let Some(asked) = settings.tablets
        && u64::from(asked) != table.tablets()
    {
        all.push(note(format!(
            "The advice is for {} of each design, as requested, and not for the {tablets} of the table.",
            plural(asked.into(), "tablet")
        )));
    }
    all
}

/// Warns about one row that alone exceeds the load of a tablet.
fn hot_row(profile: &KeyProfile, tablets: u32) -> Option<Finding> {
    let keys = &profile.sample.keys;
    let hottest = keys
        .chunk_by(|a, b| a.key == b.key)
        .max_by_key(|row| row.len())?;
    let times = crate::number::count(hottest.len());
    if !is_hot(times, profile.sample.len, tablets) {
        return None;
    }
    let about = if profile.sample.is_complete {
        ""
    } else {
        "about "
    };
    Some(warning(format!(
        "One row, {}, has {about}{} of the keys: no salt can spread one row, and one server takes all of its writes. \
         Write it less often, or divide it into several rows.",
        quoted(&hottest.first()?.key),
        percent(share(times, profile.sample.len))
    )))
}

fn common_prefix(profile: &KeyProfile) -> Option<Finding> {
    let common = &profile.prefixes.common;
    (!common.is_empty() && profile.distinct.keys() > 1).then(|| {
        note(format!(
            "All keys begin with {}: {} no keys.",
            quoted(common),
            match common.len() {
                1 => "1 byte that distinguishes".to_owned(),
                some => format!(
                    "{} bytes that distinguish",
                    grouped(crate::number::count(some))
                ),
            }
        ))
    })
}

fn hot_fields(profile: &KeyProfile) -> Vec<Finding> {
    let fields = &profile.leading_fields;
    // Without a separator, the leading bytes are not a field, and can be the same in all numbers.
    if !matches!(
        fields.cut,
        Some(FieldCut::Separator { .. } | FieldCut::UrlHost | FieldCut::Host)
    ) {
        return Vec::new();
    }
    let hot = fields
        .hot
        .iter()
        .filter(|field| field.share >= HOT_SHARE && field.share < 1.0);
    hot.map(|field| {
        let most = share(fields.at_most(field), profile.keys);
        let (least, most) = (percent(field.share), percent(most));
        let share = if least == most {
            least
        } else {
            format!("{least} to {most}")
        };
        warning(format!(
            "One leading field, {}, has {share} of the keys: a design that keeps a field together keeps all of these in \
             one tablet.",
            quoted(&Bytes::clone(&field.field))
        ))
    })
    .collect()
}

fn duplicates(profile: &KeyProfile) -> Option<Finding> {
    let repeated = profile.distinct.duplicates_at_least(profile.keys);
    let at_least = match profile.distinct {
        Distinct::Counted { .. } => "",
        Distinct::Estimated { .. } => "Very likely at least ",
    };
    (repeated > 0).then(|| {
        warning(format!(
            "{at_least}{} of {} repeat a key: they are one row. If each should be a row of its own, write with a \
             condition, so that the second is rejected instead of lost.",
            grouped(repeated),
            plural(profile.keys, "key")
        ))
    })
}

fn sampling(profile: &KeyProfile) -> Option<Finding> {
    let sample = &profile.sample;
    (!sample.is_complete).then(|| {
        let too_long = match sample.too_long {
            0 => String::new(),
            some => format!(" {} above 65,536 bytes are not in it.", plural(some, "key")),
        };
        note(format!(
            "Loads are estimated from a uniform sample of {} (seed {}).{too_long}",
            plural(sample.len, "key"),
            sample.seed
        ))
    })
}
