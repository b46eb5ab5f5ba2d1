//! The answer about one source of keys, and the properties of the keys as text.

use fluo_advisor::{
    AdvisorReport, Alphabet, Arrivals, Direction, FieldCut, KeyProfile, LeadingFields, OrderProfile,
};
use fluo_table::Grouped;
use serde::Serialize;

use crate::masking::{masked, masked_start, masked_text};
use crate::text::{counted, shortened};

const FIELDS: usize = 3;
/// The share of the keys from which a repeated row is named.
const HOT_SHARE: f64 = 0.01;

/// The answer about one source of keys, which is also its JSON.
#[derive(Serialize)]
pub(super) struct Answer {
    pub(super) source: String,
    /// The number of tablets of which only the first rows were read.
    #[serde(rename = "tablets_cut_short")]
    pub(super) cut_short: u64,
    #[serde(flatten)]
    pub(super) report: AdvisorReport,
    /// The spec file, if designs are advised that one spec can have.
    #[serde(rename = "spec_file")]
    pub(super) spec: Option<String>,
    /// The next step with the spec, or the reason why there is none.
    #[serde(skip)]
    pub(super) next: String,
}

pub(super) fn figures(answer: &Answer) -> Vec<(&'static str, String)> {
    let (report, profile) = (&answer.report, &answer.report.profile);
    let (keys, different) = (Grouped(profile.keys), Grouped(profile.distinct.keys));
    let about = if profile.distinct.standard_error > 0.0 { "about " } else { "" };
    let mut all = vec![
        ("keys", format!("{keys}, {about}{different} different")),
        ("lengths", lengths(profile)),
        ("alphabet", alphabet(profile.alphabet).to_owned()),
        ("order", order(&profile.order)),
    ];
    let mut add = |name, figure: String| all.push((name, figure));
    if !profile.sample.is_complete {
        let sample = Grouped(profile.sample.len);
        add("sample", format!("{sample} keys, from which loads are estimated"));
    }
    if answer.cut_short > 0 {
        let tablets = counted(answer.cut_short, "tablet");
        add("read", format!("the first rows of {tablets}; --rows reads more"));
    }
    if profile.lengths.above_100 > 0 {
        let long = counted(profile.lengths.above_100, "key");
        add("long keys", format!("{long} above 100 bytes; each cell stores its key"));
    }
    if profile.ending_in_return == profile.keys {
        let remedy = "each key ends in `\\x0d`: remove it with `tr -d '\\r'`";
        add("returns", remedy.to_owned());
    }
    if !profile.common_prefix.is_empty() && profile.distinct.keys > 1 {
        add("common prefix", start(&profile.common_prefix, profile));
    }
    if let Some(fields) = fields(&profile.leading_fields, profile) {
        add("leading field", fields);
    }
    let duplicates = profile.distinct.duplicates_at_least(profile.keys);
    if duplicates > 0 {
        let keys = counted(duplicates, "key");
        add("repeated", format!("at least {keys}, which are the same rows"));
    }
    let hottest = profile.hottest_row.as_ref();
    if let Some(hot) = hottest.filter(|hot| hot.share >= HOT_SHARE) {
        let (row, share) = (quoted(&hot.field), percent(hot.share));
        add("hottest row", format!("{row}, {share} of the keys; no design spreads one row"));
    }
    for design in &report.existing {
        let (keys, share) = (counted(design.keys, "key"), percent(design.share));
        add("design", format!("{}: {keys} ({share})", design.label));
    }
    if let Some(others) = &report.others {
        let (keys, share) = (counted(others.keys, "key"), percent(others.share));
        let first = shortened(&masked_text(&others.first));
        add("no design", format!("{keys} ({share}), the first is `{first}`"));
    }
    all
}

fn lengths(profile: &KeyProfile) -> String {
    let lengths = &profile.lengths;
    if lengths.min == lengths.max {
        return counted(lengths.max, "byte");
    }
    let (min, max) = (Grouped(lengths.min), Grouped(lengths.max));
    let (median, most) = (Grouped(lengths.median), Grouped(lengths.percentile_99));
    format!("{min} to {max} bytes, median {median}, 99 % up to {most}")
}

fn alphabet(alphabet: Alphabet) -> &'static str {
    match alphabet {
        Alphabet::Empty => "no bytes",
        Alphabet::Digits => "digits",
        Alphabet::HexLowerCase => "hex digits in lower case",
        Alphabet::HexUpperCase => "hex digits in upper case",
        Alphabet::LowerCaseLetters => "lower-case letters",
        Alphabet::LettersAndDigits => "letters and digits",
        Alphabet::AsciiText => "ASCII text",
        Alphabet::Utf8Text => "UTF-8 text",
        _ => "binary data",
    }
}

fn order(order: &OrderProfile) -> String {
    if order.arrivals == Arrivals::Unordered {
        return "not in order of arrival".to_owned();
    }
    let direction = match order.direction {
        Direction::Ascending => "ascending",
        Direction::Descending => "descending",
        Direction::Partly => "partly in order",
        Direction::Random => "random",
        _ => return "unknown".to_owned(),
    };
    let ascending = percent(order.ascending);
    let hint = if order.is_sorted() {
        "; give --unordered if they are not written in this order"
    } else {
        ""
    };
    let follows = match order.direction {
        Direction::Ascending => order.ascending > 0.6,
        Direction::Descending => order.ascending < 0.4,
        _ => true,
    };
    let although = if follows { ":" } else { " as a whole, although" };
    format!("{direction}{although} {ascending} are greater than the key before{hint}")
}

/// Returns the end of the leading field, and the most frequent fields.
fn fields(fields: &LeadingFields, profile: &KeyProfile) -> Option<String> {
    let end = match fields.cut? {
        FieldCut::UrlHost | FieldCut::Host => "host".to_owned(),
        FieldCut::Separator { byte, fields: 1 } => format!("before {}", quoted(&[byte])),
        FieldCut::Separator { byte, fields } => {
            format!("before the {} {}", ordinal(fields), quoted(&[byte]))
        }
        _ => return None,
    };
    let hot = fields.hot.iter().take(FIELDS);
    let hot: Vec<_> =
        hot.map(|hot| format!("{} {}", start(&hot.field, profile), percent(hot.share))).collect();
    match hot.as_slice() {
        [] => Some(end),
        hot => Some(format!("{end}: {}", hot.join(", "))),
    }
}

fn ordinal(number: usize) -> String {
    let ending = match number {
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// Returns the first bytes of keys as text.
fn start(bytes: &[u8], profile: &KeyProfile) -> String {
    format!("`{}`", shortened(&masked_start(bytes, profile.sample.starting_with(bytes))))
}

pub(super) fn quoted(bytes: &[u8]) -> String {
    format!("`{}`", shortened(&masked(bytes)))
}

/// Returns a share in percent. A share above 0 is not shown as 0 %, and one below 1 not as 100 %.
pub(super) fn percent(share: f64) -> String {
    match share {
        share if share > 0.0 && share < 0.000_5 => "below 0.1 %".to_owned(),
        share if share < 1.0 => format!("{:.1} %", (share * 100.0).min(99.9)),
        _ => "100 %".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_shares_for_readers() {
        let shares = [0.0, 0.000_1, 0.125, 2.0 / 3.0, 0.9999, 1.0].map(percent);
        let expected = ["0.0 %", "below 0.1 %", "12.5 %", "66.7 %", "99.9 %", "100 %"];
        assert_eq!(shares, expected);
    }
}
