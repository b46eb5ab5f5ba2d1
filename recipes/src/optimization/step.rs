//! One step of a plan: how it is done, and how it is undone.

use std::collections::BTreeSet;
use std::fmt;

use fluo_core::{Bytes, Escaped, Result, TableAdmin, row_successor};

use super::state::TableState;

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Adds split points, in one call.
    AddSplits(BTreeSet<Bytes>),
    /// Sets a property of the table.
    SetProperty {
        /// Its name.
        name: String,
        /// Its value before, if it had one.
        before: Option<String>,
        /// Its value after.
        after: String,
    },
    /// Removes neighbouring split points, in one merge.
    RemoveSplits {
        /// The last split point before them that stays; none at the start of the table.
        after: Option<Bytes>,
        /// Those that go.
        splits: BTreeSet<Bytes>,
    },
}

impl Step {
    /// What of this step is not in force yet: the step itself, less of it, or nothing.
    pub(super) fn remaining(&self, state: &TableState) -> Option<Self> {
        match self {
            Self::AddSplits(splits) => {
                let missing: BTreeSet<_> = splits.difference(&state.splits).cloned().collect();
                (!missing.is_empty()).then_some(Self::AddSplits(missing))
            }
            Self::SetProperty { name, after, .. } => {
                (state.properties.get(name) != Some(after)).then(|| self.clone())
            }
            Self::RemoveSplits { after, splits } => {
                let present: BTreeSet<_> = splits.intersection(&state.splits).cloned().collect();
                (!present.is_empty()).then(|| Self::RemoveSplits {
                    after: after.clone(),
                    splits: present,
                })
            }
        }
    }

    pub(super) async fn perform(&self, admin: &dyn TableAdmin, table: &str) -> Result<()> {
        match self {
            Self::AddSplits(splits) => admin.add_splits(table, splits).await,
            Self::SetProperty { name, after, .. } => admin.set_property(table, name, after).await,
            Self::RemoveSplits { after, splits } => {
                merge_away(admin, table, after.as_deref(), splits.last()).await
            }
        }
    }

    /// Takes the step back. `kept` are the split points that were there before it and stay.
    pub(super) async fn undo(
        &self,
        admin: &dyn TableAdmin,
        table: &str,
        kept: &BTreeSet<Bytes>,
    ) -> Result<()> {
        match self {
            Self::AddSplits(splits) => {
                for run in runs(splits, kept) {
                    merge_away(admin, table, run.after.as_deref(), run.splits.last()).await?;
                }
                Ok(())
            }
            Self::SetProperty {
                name,
                before: Some(before),
                ..
            } => admin.set_property(table, name, before).await,
            Self::SetProperty {
                name, before: None, ..
            } => admin.remove_property(table, name).await,
            Self::RemoveSplits { splits, .. } => admin.add_splits(table, splits).await,
        }
    }
}

/// Neighbouring split points that go, and the one before them that stays.
pub(super) struct Run {
    pub(super) after: Option<Bytes>,
    pub(super) splits: BTreeSet<Bytes>,
}

/// Cuts the split points that go into runs between those which stay, so that each run is one merge.
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
            _ => runs.push(Run {
                after: after.clone(),
                splits: BTreeSet::from([split.clone()]),
            }),
        }
    }
    runs
}

/// A merge removes what lies strictly between its bounds: right after the last that goes is the tightest end.
async fn merge_away(
    admin: &dyn TableAdmin,
    table: &str,
    after: Option<&[u8]>,
    last: Option<&Bytes>,
) -> Result<()> {
    let Some(last) = last else { return Ok(()) };
    admin.merge(table, after, Some(&row_successor(last))).await
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddSplits(splits) => write!(f, "add {}", Points(splits)),
            Self::SetProperty {
                name,
                before: None,
                after,
            } => write!(f, "set {name} to `{after}`"),
            Self::SetProperty {
                name,
                before: Some(before),
                after,
            } => {
                write!(f, "set {name} to `{after}` in place of `{before}`")
            }
            Self::RemoveSplits { splits, .. } => write!(f, "remove {}", Points(splits)),
        }
    }
}

struct Points<'a>(&'a BTreeSet<Bytes>);

impl fmt::Display for Points<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else {
            return f.write_str("no split points");
        };
        match self.0.len() {
            1 => write!(f, "the split point `{}`", Escaped(first)),
            count => write!(
                f,
                "{count} split points, `{}` to `{}`",
                Escaped(first),
                Escaped(last)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(rows: &[&'static str]) -> BTreeSet<Bytes> {
        rows.iter().map(|row| Bytes::from(*row)).collect()
    }

    #[test]
    fn a_run_lies_between_two_that_stay() {
        let runs = runs(&set(&["a", "b", "d", "f"]), &set(&["c", "e"]));
        let told: Vec<_> = runs
            .iter()
            .map(|run| (run.after.clone(), run.splits.clone()))
            .collect();
        let after = |row: &'static str| Some(Bytes::from(row));
        assert_eq!(
            told,
            [
                (None, set(&["a", "b"])),
                (after("c"), set(&["d"])),
                (after("e"), set(&["f"]))
            ]
        );
    }

    #[test]
    fn a_step_says_what_it_does() {
        let property = |before: Option<&str>| Step::SetProperty {
            name: "table.balancer".into(),
            before: before.map(Into::into),
            after: "New".into(),
        };
        assert_eq!(
            Step::AddSplits(set(&["p:a\n"])).to_string(),
            r"add the split point `p:a\x0a`"
        );
        assert_eq!(
            Step::AddSplits(set(&["a", "b"])).to_string(),
            "add 2 split points, `a` to `b`"
        );
        assert_eq!(property(None).to_string(), "set table.balancer to `New`");
        assert_eq!(
            property(Some("Old")).to_string(),
            "set table.balancer to `New` in place of `Old`"
        );
        let remove = Step::RemoveSplits {
            after: None,
            splits: set(&["a"]),
        };
        assert_eq!(remove.to_string(), "remove the split point `a`");
    }
}
