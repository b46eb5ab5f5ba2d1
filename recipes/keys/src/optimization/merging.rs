//! Removal of exactly the given split points.

use std::collections::BTreeSet;

use fluo_table::{Bytes, Error, Escaped, Result, TableAdmin, row_successor};

/// Removes split points with merges that cover no other split point.
///
/// The split points are read again before each merge, because others may add theirs at the same
/// time, and Accumulo splits tablets by itself. A split point that is added between the read and
/// the merge can still be lost; Accumulo has no merge that prevents this.
pub(super) async fn remove_splits(
    admin: &dyn TableAdmin,
    table: &str,
    going: &BTreeSet<Bytes>,
) -> Result<()> {
    // Each merge removes at least one, so this bound ends the loop if they reappear.
    for _ in 0..=going.len() {
        let present: BTreeSet<Bytes> = admin.splits(table).await?.into_iter().collect();
        let (going, staying) = present.into_iter().partition(|split| going.contains(split));
        let Some((after, splits)) = runs(&going, &staying).into_iter().next() else {
            return Ok(());
        };
        // A merge removes the split points strictly between its bounds; the successor of the last
        // one is the tightest end.
        let end = splits.last().map(|last| row_successor(last));
        admin.merge(table, after.as_deref(), end.as_deref()).await?;
    }
    let first = going.first().map(|split| Escaped(split).to_string()).unwrap_or_default();
    Err(Error::unavailable(format!(
        "the split points of table `{table}` from `{first}` on reappear after they are removed"
    )))
}

/// Divides the split points to remove into runs between the remaining ones, so that each run is one
/// merge. Each run has the remaining split point before it.
pub(super) fn runs(
    going: &BTreeSet<Bytes>,
    staying: &BTreeSet<Bytes>,
) -> Vec<(Option<Bytes>, BTreeSet<Bytes>)> {
    let mut runs: Vec<(Option<Bytes>, BTreeSet<Bytes>)> = Vec::new();
    for split in going {
        let after = staying.range(..split.clone()).next_back();
        match runs.last_mut() {
            Some((last, run)) if last.as_ref() == after => {
                run.insert(split.clone());
            }
            _ => runs.push((after.cloned(), BTreeSet::from([split.clone()]))),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(rows: &[&'static str]) -> BTreeSet<Bytes> {
        rows.iter().map(|row| Bytes::from(*row)).collect()
    }

    #[test]
    fn a_run_ends_at_a_split_point_that_stays() {
        let run = |after: Option<&'static str>, splits| (after.map(Bytes::from), set(splits));
        assert_eq!(
            runs(&set(&["a", "b", "d", "f"]), &set(&["c", "e"])),
            [run(None, &["a", "b"]), run(Some("c"), &["d"]), run(Some("e"), &["f"])]
        );
    }
}
