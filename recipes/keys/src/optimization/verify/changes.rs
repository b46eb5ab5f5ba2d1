//! The changes from one verdict to a later one.

use super::difference::Difference;
use super::unproved::Unproved;
use super::verdict::Verdict;

/// The changes of a table between two verdicts. A difference or a reason with other figures is not
/// a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictChanges {
    /// The differences that no longer exist.
    pub fixed: Vec<Difference>,
    /// The differences that did not exist.
    pub appeared: Vec<Difference>,
    /// `true` if there are no differences now, and there were some, or other reasons why evenness
    /// is not proved.
    pub is_newly_ok: bool,
}

impl Verdict {
    /// Returns the changes since an earlier verdict on the same table.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_table::{Instance, TableAdmin, Versions};
    /// use fluo_keys::{RowHasher, TableOptimizations};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let fluo = Instance::in_memory();
    /// fluo.create_table("pages", Versions::default()).await?;
    /// let optimizations = TableOptimizations::for_row_hasher(&RowHasher::new("p")?, 4)?;
    /// let before = optimizations.verify(&fluo, "pages").await?;
    /// optimizations.plan(&fluo, "pages").await?.apply(&fluo).await?;
    ///
    /// let changes = optimizations.verify(&fluo, "pages").await?.changes_since(&before);
    /// assert_eq!(changes.fixed, before.differences);
    /// assert!(changes.appeared.is_empty() && changes.is_newly_ok);
    /// # Ok(())
    /// # }
    /// ```
    pub fn changes_since(&self, earlier: &Self) -> VerdictChanges {
        let is_as_unproved = are_same(&self.unproved, &earlier.unproved);
        VerdictChanges::between(&earlier.differences, &self.differences, is_as_unproved)
    }
}

impl VerdictChanges {
    fn between(before: &[Difference], now: &[Difference], is_as_unproved: bool) -> Self {
        Self {
            fixed: without(before, now),
            appeared: without(now, before),
            is_newly_ok: now.is_empty() && !(before.is_empty() && is_as_unproved),
        }
    }
}

/// Returns the differences that the others do not contain.
fn without(differences: &[Difference], others: &[Difference]) -> Vec<Difference> {
    let is_new = |one: &&Difference| !others.iter().any(|other| other.is_same(one));
    differences.iter().filter(is_new).cloned().collect()
}

/// Checks whether both are the same reasons, whatever their figures.
fn are_same(some: &[Unproved], others: &[Unproved]) -> bool {
    let is_other = |one: &Unproved| others.iter().any(|other| other.is_same(one));
    some.len() == others.len() && some.iter().all(is_other)
}

#[cfg(test)]
mod tests {
    use super::super::difference::DifferenceKind::RecipeLoad;
    use super::*;

    fn of(subject: &str, figure: u32) -> Difference {
        let sentence = format!("{subject} holds {figure}");
        Difference::new(RecipeLoad, subject, 0.5, sentence)
    }

    fn few(rows: u64) -> Unproved {
        Unproved::TooFewRows {
            recipe: "p".to_owned(),
            rows,
            tablets: 20,
        }
    }

    #[test]
    fn finds_fixed_and_new_differences() {
        let [a, b, c] = ["a", "b", "c"].map(|subject| of(subject, 1));
        let (ab, cb) = ([a.clone(), b.clone()], [c.clone(), b.clone()]);
        let changes = VerdictChanges::between(&ab, &cb, true);
        assert_eq!((changes.fixed, changes.appeared), (vec![a], vec![c]));
        assert!(!changes.is_newly_ok);
        let changes = VerdictChanges::between(&ab, &[], true);
        assert_eq!(changes.fixed, ab);
        assert!(changes.appeared.is_empty() && changes.is_newly_ok);
    }

    /// Covers a bug: while rows were loaded, each check reported that `.. holds 1,000 ..` was
    /// fixed and that `.. holds 2,000 ..` had appeared.
    #[test]
    fn ignores_changes_of_figures() {
        let none = VerdictChanges::default();
        let changes = VerdictChanges::between(&[of("a", 1_000)], &[of("a", 2_000)], true);
        assert_eq!(changes, none);
        assert!(are_same(&[few(5)], &[few(6)]));
        assert_eq!(VerdictChanges::between(&[], &[], true), none);
    }

    /// Covers a bug: an OK that no longer proved evenness was not reported.
    #[test]
    fn reports_that_evenness_is_not_proved_any_more_and_is_again() {
        assert!(!are_same(&[few(3)], &[]) && !are_same(&[], &[few(3)]));
        assert!(!are_same(&[few(3)], &[Unproved::NoRows]));
        assert!(VerdictChanges::between(&[], &[], false).is_newly_ok);
    }
}
