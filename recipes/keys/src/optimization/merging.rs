//! Removal of exactly the given split points.

use std::collections::BTreeSet;

use fluo_table::{Bytes, Error, ErrorKind, Escaped, Result, TableAdmin, row_successor};

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
        let Some(Run { after, splits }) = runs(&going, &staying).into_iter().next() else {
            return Ok(());
        };
        // A merge removes the split points strictly between its bounds; the successor of the last
        // one is the tightest end.
        let end = splits.last().map(|last| row_successor(last));
        admin.merge(table, after.as_deref(), end.as_deref()).await?;
    }
    let first = going.first().map(|split| Escaped(split).to_string()).unwrap_or_default();
    let message = format!(
        "the split points of table `{table}` from `{first}` on reappear after they are removed"
    );
    Err(Error::new(ErrorKind::Unavailable, message))
}

/// Neighboring split points to remove, and the remaining one before them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) after: Option<Bytes>,
    pub(super) splits: BTreeSet<Bytes>,
}

/// Divides the split points to remove into runs between the remaining ones, so that each run is one
/// merge.
pub(super) fn runs(going: &BTreeSet<Bytes>, staying: &BTreeSet<Bytes>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut stays = staying.iter().peekable();
    let mut after = None;
    for split in going {
        while let Some(kept) = stays.next_if(|kept| *kept < split) {
            after = Some(kept.clone());
        }
        match runs.last_mut() {
            Some(run) if run.after == after => {
                run.splits.insert(split.clone());
            }
            _ => runs.push(Run { after: after.clone(), splits: BTreeSet::from([split.clone()]) }),
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
        let run = |after: Option<&'static str>, splits: &[&'static str]| Run {
            after: after.map(Bytes::from),
            splits: set(splits),
        };
        assert_eq!(
            runs(&set(&["a", "b", "d", "f"]), &set(&["c", "e"])),
            [run(None, &["a", "b"]), run(Some("c"), &["d"]), run(Some("e"), &["f"])]
        );
    }
}
