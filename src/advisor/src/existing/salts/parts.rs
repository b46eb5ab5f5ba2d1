//! The parts of rows that a salt can be made of.

use std::collections::HashMap;

use fluo_keys::SaltedPart;

/// The maximum number of leading bytes of a row that a salt is computed from.
const MOST_FIRST: usize = 16;
/// The maximum number of runs of a row without letters and digits that are examined.
const MOST_RUNS: usize = 4;
/// The maximum number of bytes of a run that can end a part.
const MOST_RUN_BYTES: usize = 4;

/// Returns the parts of rows that a salt can be computed from.
pub(super) fn parts_of(rests: &[&[u8]]) -> Vec<SaltedPart> {
    let first = (1..=MOST_FIRST).map(SaltedPart::First);
    [SaltedPart::Whole]
        .into_iter()
        .chain(ends_of_parts(rests).map(SaltedPart::Before))
        .chain(first)
        .collect()
}

/// Returns the texts that half of the rows contain after a first part, single characters first.
fn ends_of_parts(rests: &[&[u8]]) -> impl Iterator<Item = String> + use<> {
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for rest in rests {
        let mut own: Vec<&[u8]> = Vec::new();
        for run in runs(rest).take(MOST_RUNS) {
            own.extend(run.chunks(1));
            own.extend((run.len() <= MOST_RUN_BYTES).then_some(run));
        }
        own.sort_unstable();
        own.dedup();
        for end in own {
            *counts.entry(end).or_default() += 1;
        }
    }
    let mut ends: Vec<_> = counts
        .into_iter()
        .filter(|(_, count)| count * 2 >= rests.len())
        .filter_map(|(end, _)| Some(std::str::from_utf8(end).ok()?.to_owned()))
        .collect();
    ends.sort_unstable_by_key(|end| (end.len(), end.clone()));
    ends.into_iter()
}

/// Returns the runs of a row without letters and digits, except for one at its beginning.
fn runs(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    let alike = |a: &u8, b: &u8| a.is_ascii_alphanumeric() == b.is_ascii_alphanumeric();
    let is_run = |run: &&[u8]| {
        run.first()
            .is_some_and(|byte| !byte.is_ascii_alphanumeric())
    };
    row.chunk_by(alike).skip(1).filter(is_run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_at_a_text_of_half_of_the_rows() {
        let rests: Vec<&[u8]> = vec![b"/acme::1|x", b"globex::2", b"acme"];
        let ends: Vec<_> = ends_of_parts(&rests).collect();
        assert_eq!(ends, [":", "::"]);
    }
}
