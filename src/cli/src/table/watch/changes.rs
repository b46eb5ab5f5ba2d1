//! Changes from one check to the next.

use std::mem::discriminant;

use fluo_keys::{Difference, Verdict};

use crate::table::verdict_text::reservation;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    pub(super) differences: Vec<Difference>,
    /// The reason why evenness is not proved, as a clause.
    pub(super) unproved: Option<String>,
}

/// The content of a line of the watch.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// The first check.
    Begin(Seen),
    /// A new difference.
    Appeared(Difference),
    /// A difference that no longer exists.
    Gone(Difference),
    /// There are no differences any more, or another reason why evenness is not proved.
    Ok(Seen),
    /// The table cannot be checked, for this reason.
    CannotLook(String),
    /// The table can be checked again.
    LooksAgain,
    /// The table was deleted, which ends the watch.
    Deleted,
}

impl From<&Verdict> for Seen {
    fn from(verdict: &Verdict) -> Self {
        Self {
            unproved: reservation(verdict.unproved.as_ref()),
            differences: verdict.differences.clone(),
        }
    }
}

/// The last reported state.
#[derive(Debug)]
pub(super) struct Changes {
    seen: Verdict,
    error: Option<String>,
}

impl Changes {
    /// Starts with the result of the first check.
    pub(super) fn new(seen: Verdict) -> Self {
        Self { seen, error: None }
    }

    /// Returns the changes since the check before. A difference with other figures is not a change.
    pub(super) fn after(&mut self, looked: Result<Verdict, String>) -> Vec<Change> {
        match looked {
            Err(error) if self.error.as_ref() == Some(&error) => Vec::new(),
            Err(error) => {
                self.error = Some(error.clone());
                vec![Change::CannotLook(error)]
            }
            Ok(seen) => {
                let again = self.error.take().map(|_| Change::LooksAgain);
                let reason = |verdict: &Verdict| verdict.unproved.as_ref().map(discriminant);
                let is_new = !self.seen.ok || reason(&seen) != reason(&self.seen);
                let ok = (seen.ok && is_new).then(|| Change::Ok(Seen::from(&seen)));
                let gone = self.seen.differences_since(&seen).cloned();
                let appeared = seen.differences_since(&self.seen).cloned();
                let changes = again
                    .into_iter()
                    .chain(gone.map(Change::Gone))
                    .chain(appeared.map(Change::Appeared))
                    .chain(ok)
                    .collect();
                self.seen = seen;
                changes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fluo_keys::{RowHasher, TableOptimizations};
    use fluo_table::{MemoryTables, TableAdmin, Versions};

    use super::*;

    /// Returns a verdict without differences.
    async fn ok() -> Verdict {
        let tables = MemoryTables::new();
        tables.create_table("t", Versions::default()).await.unwrap();
        let hasher = RowHasher::new("p").unwrap();
        let optimizations = TableOptimizations::for_row_hasher(&hasher, 4).unwrap();
        let plan = optimizations.plan(&tables, "t").await.unwrap();
        plan.apply(&tables).await.unwrap();
        let verdict = optimizations.verify(&tables, "t").await.unwrap();
        verdict.into_result().unwrap()
    }

    #[tokio::test]
    async fn reports_only_changes() {
        let ok = ok().await;
        let of = |recipe: &str, rows| Difference::ForeignRows {
            recipe: recipe.to_owned(),
            rows,
            first: "x".to_owned(),
        };
        let [a, b, c] = ["a", "b", "c"].map(|recipe| of(recipe, 1));
        let seen = |differences: &[&Difference]| {
            let mut verdict = ok.clone();
            for difference in differences.iter().rev() {
                verdict.add((*difference).clone());
            }
            verdict
        };
        let mut changes = Changes::new(seen(&[&a]));
        let cannot = |why: &str| Err(why.to_owned());
        let cannot_look = |why: &str| vec![Change::CannotLook(why.to_owned())];
        for (looked, expected) in [
            (Ok(seen(&[&a])), vec![]),
            // While rows were loaded, each check reported `fixed` and `drift` with other figures.
            (Ok(seen(&[&of("a", 1_000)])), vec![]),
            (Ok(seen(&[&a])), vec![]),
            (Ok(seen(&[&a, &b])), vec![Change::Appeared(b.clone())]),
            (cannot("no proxy"), cannot_look("no proxy")),
            (cannot("no proxy"), vec![]),
            (cannot("no table"), cannot_look("no table")),
            (
                Ok(seen(&[&c, &b])),
                vec![
                    Change::LooksAgain,
                    Change::Gone(a.clone()),
                    Change::Appeared(c.clone()),
                ],
            ),
            (
                Ok(seen(&[])),
                vec![
                    Change::Gone(c.clone()),
                    Change::Gone(b.clone()),
                    Change::Ok(Seen::from(&ok)),
                ],
            ),
            (Ok(seen(&[])), vec![]),
        ] {
            assert_eq!(changes.after(looked), expected);
        }
        let mut counted = ok.clone();
        counted.unproved = None;
        let expected = vec![Change::Ok(Seen::from(&counted))];
        assert_eq!(changes.after(Ok(counted)), expected);
    }
}
