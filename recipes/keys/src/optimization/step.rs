//! One step of a plan, its effect, and its undoing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fluo_table::{Bytes, Error, Escaped, Result, TableAdmin, counted, row_successor};

use super::balancer::{PROPERTIES, PropertyChange};

/// The part of the state of a live table that steps change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableState {
    pub(super) splits: BTreeSet<Bytes>,
    pub(super) properties: BTreeMap<String, String>,
}

impl TableState {
    pub(super) async fn read(admin: &dyn TableAdmin, table: &str) -> Result<Self> {
        let splits = admin.splits(table).await?.into_iter().collect();
        Ok(Self { splits, properties: properties_of(admin, table).await? })
    }
}

/// Reads the properties that steps change.
pub(super) async fn properties_of(
    admin: &dyn TableAdmin,
    table: &str,
) -> Result<BTreeMap<String, String>> {
    let mut properties = admin.properties(table).await?;
    properties.retain(|name, _| PROPERTIES.contains(&name.as_str()));
    Ok(properties)
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Adds split points, in one call.
    AddSplits(BTreeSet<Bytes>),
    /// Sets a property of the table.
    SetProperty {
        /// Its name.
        name: String,
        /// Its value before, or `None` if it had no value.
        before: Option<String>,
        /// Its value after.
        after: String,
    },
    /// Removes a property of the table, so that the inherited value, if any, is in force.
    RemoveProperty {
        /// Its name.
        name: String,
        /// Its value before.
        before: String,
        /// The inherited value that is in force afterwards, or `None` if there is none.
        inherited: Option<String>,
    },
    /// Removes neighboring split points, in one merge.
    RemoveSplits(BTreeSet<Bytes>),
}

impl From<PropertyChange> for Step {
    fn from(change: PropertyChange) -> Self {
        let PropertyChange { name, before, after, removed } = change;
        if removed {
            let before = before.unwrap_or_default();
            return Self::RemoveProperty { name, before, inherited: after };
        }
        Self::SetProperty { name, before, after: after.unwrap_or_default() }
    }
}

impl Step {
    /// Returns the part of this step that is not in force yet: the step itself, a smaller one, or
    /// `None`.
    pub(super) fn remaining(&self, state: &TableState) -> Option<Self> {
        match self {
            Self::AddSplits(splits) => {
                let missing: BTreeSet<_> = splits.difference(&state.splits).cloned().collect();
                (!missing.is_empty()).then_some(Self::AddSplits(missing))
            }
            Self::SetProperty { name, after, .. } => {
                (state.properties.get(name) != Some(after)).then(|| self.clone())
            }
            Self::RemoveProperty { name, inherited, .. } => {
                (state.properties.get(name) != inherited.as_ref()).then(|| self.clone())
            }
            Self::RemoveSplits(splits) => {
                let present: BTreeSet<_> = splits.intersection(&state.splits).cloned().collect();
                (!present.is_empty()).then_some(Self::RemoveSplits(present))
            }
        }
    }

    pub(super) fn is_undone(&self, state: &TableState) -> bool {
        self.reversed().remaining(state).is_none()
    }

    fn reversed(&self) -> Self {
        match self.clone() {
            Self::AddSplits(splits) => Self::RemoveSplits(splits),
            Self::RemoveSplits(splits) => Self::AddSplits(splits),
            Self::SetProperty { name, before: Some(before), after } => {
                Self::SetProperty { name, before: Some(after), after: before }
            }
            Self::SetProperty { name, before: None, after } => {
                Self::RemoveProperty { name, before: after, inherited: None }
            }
            Self::RemoveProperty { name, before, inherited } => {
                Self::SetProperty { name, before: inherited, after: before }
            }
        }
    }

    pub(super) fn is_property(&self) -> bool {
        self.property_change().is_some()
    }

    /// Returns the property that this step changes, with its value after, which is `None` if the
    /// step removes it.
    fn property_change(&self) -> Option<(&str, Option<&str>)> {
        match self {
            Self::SetProperty { name, after, .. } => Some((name, Some(after))),
            Self::RemoveProperty { name, .. } => Some((name, None)),
            Self::AddSplits(_) | Self::RemoveSplits(_) => None,
        }
    }

    /// Performs steps in order: changes of properties, or a single one of another kind. Returns the
    /// first error with the index of its step.
    pub(super) async fn perform(
        steps: &[Self],
        admin: &dyn TableAdmin,
        table: &str,
    ) -> Result<(), (usize, Error)> {
        let performed = match steps {
            [Self::AddSplits(splits)] => admin.add_splits(table, splits).await,
            [Self::RemoveSplits(splits)] => remove_splits(admin, table, splits).await,
            _ => {
                let changes: Vec<_> = steps.iter().filter_map(Self::property_change).collect();
                return admin.change_properties(table, &changes).await;
            }
        };
        performed.map_err(|error| (0, error))
    }

    /// Undoes the step. Removes a property whose previous value is the inherited one: a value on
    /// the table itself would stay when a default of the instance changes.
    pub(super) async fn undo(&self, admin: &dyn TableAdmin, table: &str) -> Result<()> {
        let reversed = self.reversed();
        if let Self::SetProperty { .. } = self
            && let Self::SetProperty { name, after, .. } = &reversed
            && admin.inherited_properties(table).await?.get(name) == Some(after)
        {
            return admin.remove_property(table, name).await;
        }
        Self::perform(&[reversed], admin, table).await.map_err(|(_, error)| error)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddSplits(splits) => write!(f, "add {}", points(splits)),
            Self::RemoveSplits(splits) => write!(f, "remove {}", points(splits)),
            Self::SetProperty { name, before, after } => {
                write!(f, "set {name} to `{after}`")?;
                before.iter().try_for_each(|before| write!(f, " in place of `{before}`"))
            }
            Self::RemoveProperty { name, before, inherited } => {
                write!(f, "remove {name}, which is `{before}`")?;
                inherited.iter().try_for_each(|one| write!(f, ", so that `{one}` is in force"))
            }
        }
    }
}

fn points(splits: &BTreeSet<Bytes>) -> String {
    match (splits.first().map(|row| Escaped(row)), splits.last().map(|row| Escaped(row))) {
        (Some(first), Some(_)) if splits.len() == 1 => format!("the split point `{first}`"),
        (Some(first), Some(last)) => {
            format!("{}, `{first}` to `{last}`", counted(splits.len(), "split point"))
        }
        _ => "no split points".to_owned(),
    }
}

/// Removes split points with merges that cover no other split point.
///
/// The split points are read again before each merge, because others may add theirs at the same
/// time, and Accumulo splits tablets by itself. A split point that is added between the read and
/// the merge can still be lost; Accumulo has no merge that prevents this.
async fn remove_splits(admin: &dyn TableAdmin, table: &str, going: &BTreeSet<Bytes>) -> Result<()> {
    // Each merge removes at least one, so this bound ends the loop if they reappear.
    for _ in 0..=going.len() {
        let (mut after, mut last) = (None, None);
        for split in admin.splits(table).await? {
            match going.contains(&split) {
                true => last = Some(split),
                false if last.is_none() => after = Some(split),
                false => break,
            }
        }
        let Some(last) = last else {
            return Ok(());
        };
        // A merge removes the split points strictly between its bounds; the successor of the last
        // one is the tightest end.
        admin.merge(table, after.as_deref(), Some(&row_successor(&last))).await?;
    }
    let first = going.first().map(|split| Escaped(split).to_string()).unwrap_or_default();
    Err(Error::unavailable(format!(
        "the split points of table `{table}` from `{first}` on reappear after they are removed"
    )))
}

/// Divides the split points to remove into runs between the remaining ones, so that each run is one
/// merge. Each run has the remaining split point before it.
pub(super) fn runs(
    going: &BTreeSet<&Bytes>,
    staying: &BTreeSet<&Bytes>,
) -> Vec<(Option<Bytes>, BTreeSet<Bytes>)> {
    let mut runs: Vec<(Option<Bytes>, BTreeSet<Bytes>)> = Vec::new();
    for &split in going {
        let after = staying.range::<&Bytes, _>(..split).next_back().copied();
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
    fn names_its_effect() {
        let property = |before: Option<&str>| Step::SetProperty {
            name: "table.balancer".into(),
            before: before.map(Into::into),
            after: "New".into(),
        };
        let removed = |inherited: Option<&str>| Step::RemoveProperty {
            name: "table.balancer".into(),
            before: "Old".into(),
            inherited: inherited.map(Into::into),
        };
        let thousand = (0..1_000).map(|number| Bytes::from(format!("r{number:03}"))).collect();
        for (step, text) in [
            (Step::AddSplits(set(&["p:a\n"])), r"add the split point `p:a\x0a`"),
            (Step::AddSplits(set(&["a", "b"])), "add 2 split points, `a` to `b`"),
            (Step::AddSplits(thousand), "add 1,000 split points, `r000` to `r999`"),
            (Step::RemoveSplits(set(&["a"])), "remove the split point `a`"),
            (property(None), "set table.balancer to `New`"),
            (property(Some("Old")), "set table.balancer to `New` in place of `Old`"),
            (removed(None), "remove table.balancer, which is `Old`"),
            (
                removed(Some("Any")),
                "remove table.balancer, which is `Old`, so that `Any` is in force",
            ),
        ] {
            assert_eq!(step.to_string(), text);
        }
    }

    #[test]
    fn a_run_ends_at_a_split_point_that_stays() {
        let run = |after: Option<&'static str>, splits| (after.map(Bytes::from), set(splits));
        assert_eq!(
            runs(&set(&["a", "b", "d", "f"]).iter().collect(), &set(&["c", "e"]).iter().collect()),
            [run(None, &["a", "b"]), run(Some("c"), &["d"]), run(Some("e"), &["f"])]
        );
    }
}
