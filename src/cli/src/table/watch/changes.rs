//! Changes from one check to the next.

use std::mem::discriminant;

use fluo_keys::Verdict;
use serde::Serialize;

use crate::table::verdict_text::{ToldDifference, reservation};

/// The content of a line of the watch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub(super) enum Change {
    Begin {
        differences: Vec<ToldDifference>,
        /// The reason why evenness is not proved, as a clause, if there are no differences.
        #[serde(skip_serializing_if = "Option::is_none")]
        unproved: Option<String>,
    },
    Drift {
        difference: ToldDifference,
    },
    Gone {
        difference: ToldDifference,
    },
    /// There are no differences any more, or another reason why evenness is not proved.
    Ok {
        #[serde(skip_serializing_if = "Option::is_none")]
        unproved: Option<String>,
    },
    /// The table cannot be checked, for this reason.
    CannotLook {
        reason: String,
    },
    /// The table can be checked again.
    LooksAgain,
    /// The table was deleted, which ends the watch.
    Deleted,
}

impl Change {
    pub(super) fn begin(verdict: &Verdict) -> Self {
        let differences = verdict.differences.iter().map(ToldDifference::from);
        let unproved = reservation(verdict.unproved.as_ref());
        Self::Begin {
            differences: differences.collect(),
            unproved: unproved.filter(|_| verdict.ok),
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
    pub(super) fn new(seen: Verdict) -> Self {
        Self { seen, error: None }
    }

    /// Returns the changes since the check before. A difference with other figures is not a change.
    pub(super) fn after(&mut self, looked: Result<Verdict, String>) -> Vec<Change> {
        let seen = match looked {
            Ok(seen) => seen,
            Err(reason) if self.error.as_ref() == Some(&reason) => return Vec::new(),
            Err(reason) => {
                self.error = Some(reason.clone());
                return vec![Change::CannotLook { reason }];
            }
        };
        let looks_again = self.error.take().map(|_| Change::LooksAgain);
        let mut changes = Vec::from_iter(looks_again);
        let gone = self.seen.differences_since(&seen).map(ToldDifference::from);
        changes.extend(gone.map(|difference| Change::Gone { difference }));
        let new = seen.differences_since(&self.seen).map(ToldDifference::from);
        changes.extend(new.map(|difference| Change::Drift { difference }));
        let reason = |verdict: &Verdict| verdict.unproved.as_ref().map(discriminant);
        if seen.ok && (!self.seen.ok || reason(&seen) != reason(&self.seen)) {
            let unproved = reservation(seen.unproved.as_ref());
            changes.push(Change::Ok { unproved });
        }
        self.seen = seen;
        changes
    }
}

#[cfg(test)]
mod tests {
    use fluo_keys::{Difference, RowHasher};
    use fluo_table::{MemoryTables, TableAdmin, Versions};

    use super::*;

    /// Returns a verdict without differences.
    async fn ok() -> Verdict {
        let tables = MemoryTables::new();
        tables.create_table("t", Versions::default()).await.unwrap();
        let hasher = RowHasher::new("p").unwrap();
        let optimizations = hasher.table_optimizations(4).unwrap();
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
        let drift = |difference: &Difference| Change::Drift { difference: difference.into() };
        let gone = |difference: &Difference| Change::Gone { difference: difference.into() };
        let mut changes = Changes::new(seen(&[&a]));
        let cannot = |why: &str| Err(why.to_owned());
        let cannot_look = |why: &str| {
            let reason = why.to_owned();
            vec![Change::CannotLook { reason }]
        };
        let unproved = Some("it has no rows, so evenness is not proved".to_owned());
        for (looked, expected) in [
            (Ok(seen(&[&a])), vec![]),
            // While rows were loaded, each check reported `fixed` and `drift` with other figures.
            (Ok(seen(&[&of("a", 1_000)])), vec![]),
            (Ok(seen(&[&a, &b])), vec![drift(&b)]),
            (cannot("no proxy"), cannot_look("no proxy")),
            (cannot("no proxy"), vec![]),
            (cannot("no table"), cannot_look("no table")),
            (Ok(seen(&[&c, &b])), vec![Change::LooksAgain, gone(&a), drift(&c)]),
            (Ok(seen(&[])), vec![gone(&c), gone(&b), Change::Ok { unproved }]),
            (Ok(seen(&[])), vec![]),
        ] {
            assert_eq!(changes.after(looked), expected);
        }
        let mut counted = ok.clone();
        counted.unproved = None;
        let expected = vec![Change::Ok { unproved: None }];
        assert_eq!(changes.after(Ok(counted)), expected);
    }
}
