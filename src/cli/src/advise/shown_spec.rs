//! The beginning of a spec, for the text and the page of a report.

use fluo_advisor::AdvisedLayout;
use fluo_table::{Bytes, Escaped};

use super::figures::Answer;
use crate::masking::masked_start;
use crate::text::{count_of, counted};

const SPEC_LINES: usize = 100;
/// The maximum number of bytes of these lines: split points are as long as keys.
const SPEC_BYTES: usize = 1 << 16;

/// Returns the first lines of the spec. A spec of keys that may contain a password is not shown:
/// without its split points it would be another spec.
pub(super) fn shown_spec(answer: &Answer) -> Option<String> {
    let spec = answer.spec.as_deref()?;
    let sample = &answer.report.profile.sample;
    let is_secret = |point: &Bytes| {
        masked_start(point, sample.starting_with(point)) != Escaped(point).to_string()
    };
    let mut designs = answer.report.spec.iter().flat_map(|spec| &spec.key_design);
    let has_secret = designs.any(|design| match &design.layout {
        AdvisedLayout::SplitPoints(points) => points.iter().any(is_secret),
        _ => false,
    });
    if has_secret {
        return Some("The spec contains possible passwords; `--write-spec` writes it\n".to_owned());
    }
    Some(start(spec))
}

/// Returns the first lines of a spec. The last line counts the others.
fn start(spec: &str) -> String {
    let mut start = String::new();
    for (number, line) in spec.lines().enumerate() {
        if number == SPEC_LINES || start.len() + line.len() > SPEC_BYTES {
            let more = counted(count_of(spec.lines().count() - number), "more line");
            return format!("{start}.. and {more}; `--write-spec` writes all\n");
        }
        start += line;
        start.push('\n');
    }
    start
}
