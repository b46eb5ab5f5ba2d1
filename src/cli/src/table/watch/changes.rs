//! Changes from one check to the next.

use fluo_recipes::{Difference, Unproved, Verdict};

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    pub(super) differences: Vec<Difference>,
    /// The reasons why evenness is not proved.
    pub(super) unproved: Vec<Unproved>,
    /// These reasons as the end of a sentence; empty if there are none.
    pub(super) reservation: String,
    /// `true` if the spec itself makes a server too full.
    pub(super) is_hot: bool,
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
    /// There are no differences any more, or other reasons why evenness is not proved.
    Ok(Seen),
    /// The table cannot be checked, for this reason.
    CannotLook(String),
    /// The table can be checked again.
    LooksAgain,
    /// The table was deleted, which ends the watch.
    Deleted,
}

impl From<Verdict> for Seen {
    fn from(verdict: Verdict) -> Self {
        Self {
            reservation: verdict.reservation(),
            is_hot: verdict.is_hot_by_design(),
            differences: verdict.differences,
            unproved: verdict.unproved,
        }
    }
}

impl Seen {
    /// Checks whether the same reasons apply, whatever their figures.
    fn is_as_unproved_as(&self, other: &Self) -> bool {
        let has = |all: &[Unproved], one: &Unproved| all.iter().any(|other| other.is_same(one));
        self.unproved.len() == other.unproved.len()
            && self.unproved.iter().all(|one| has(&other.unproved, one))
    }
}

/// The last reported state.
#[derive(Debug, Default)]
pub(super) struct Changes {
    seen: Seen,
    error: Option<String>,
}

impl Changes {
    pub(super) fn begin(&mut self, seen: Seen) {
        self.seen = seen;
    }

    /// Returns the changes since the check before. A difference with other figures is not a change.
    pub(super) fn after(&mut self, looked: Result<Seen, String>) -> Vec<Change> {
        match looked {
            Err(error) if self.error.as_ref() == Some(&error) => Vec::new(),
            Err(error) => {
                self.error = Some(error.clone());
                vec![Change::CannotLook(error)]
            }
            Ok(seen) => {
                let again = self.error.take().map(|_| Change::LooksAgain);
                let changed = self.differ(seen);
                again.into_iter().chain(changed).collect()
            }
        }
    }

    fn differ(&mut self, seen: Seen) -> Vec<Change> {
        let before = std::mem::replace(&mut self.seen, seen);
        let now = &self.seen;
        let missing =
            |from: &[Difference], one: &&Difference| !from.iter().any(|other| other.is_same(one));
        let gone = before.differences.iter();
        let gone = gone.filter(|one| missing(&now.differences, one));
        let appeared = now.differences.iter();
        let appeared = appeared.filter(|one| missing(&before.differences, one));
        let is_new = !before.differences.is_empty() || !now.is_as_unproved_as(&before);
        let is_ok = (now.differences.is_empty() && is_new).then(|| Change::Ok(now.clone()));
        gone.cloned()
            .map(Change::Gone)
            .chain(appeared.cloned().map(Change::Appeared))
            .chain(is_ok)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use fluo_recipes::DifferenceKind::RecipeLoad;

    use super::*;

    fn of(subject: &str, figure: u32) -> Difference {
        Difference::new(
            RecipeLoad,
            subject,
            0.5,
            format!("{subject} holds {figure}"),
        )
    }

    fn seen(differences: &[Difference], unproved: &[Unproved]) -> Seen {
        Seen {
            differences: differences.to_vec(),
            unproved: unproved.to_vec(),
            ..Seen::default()
        }
    }

    fn few(rows: u64) -> Unproved {
        Unproved::TooFewRows {
            recipe: "p".to_owned(),
            rows,
            tablets: 20,
        }
    }

    #[test]
    fn reports_only_changes() {
        let [a, b, c] = ["a", "b", "c"].map(|subject| of(subject, 1));
        let (ab, cb) = ([a.clone(), b.clone()], [c.clone(), b.clone()]);
        let mut changes = Changes::default();
        changes.begin(seen(&ab[..1], &[]));
        let cannot = |why: &str| Err(why.to_owned());
        let cannot_look = |why: &str| vec![Change::CannotLook(why.to_owned())];
        for (looked, expected) in [
            (Ok(seen(&ab[..1], &[])), vec![]),
            (Ok(seen(&ab, &[])), vec![Change::Appeared(b.clone())]),
            (cannot("no proxy"), cannot_look("no proxy")),
            (cannot("no proxy"), vec![]),
            (cannot("no table"), cannot_look("no table")),
            (
                Ok(seen(&cb, &[])),
                vec![
                    Change::LooksAgain,
                    Change::Gone(a),
                    Change::Appeared(c.clone()),
                ],
            ),
            (
                Ok(seen(&[], &[])),
                vec![Change::Gone(c), Change::Gone(b), Change::Ok(seen(&[], &[]))],
            ),
            (Ok(seen(&[], &[])), vec![]),
        ] {
            assert_eq!(changes.after(looked), expected);
        }
    }

    /// Covers a bug: while rows were loaded, each check reported that `.. holds 1,000 ..` was
    /// fixed and that `.. holds 2,000 ..` had appeared.
    #[test]
    fn ignores_changes_of_figures() {
        let mut changes = Changes::default();
        changes.begin(seen(&[of("a", 1_000)], &[few(3)]));
        assert_eq!(changes.after(Ok(seen(&[of("a", 2_000)], &[few(4)]))), []);
        let fixed = changes.after(Ok(seen(&[], &[few(5)])));
        assert_eq!(
            fixed,
            [
                Change::Gone(of("a", 2_000)),
                Change::Ok(seen(&[], &[few(5)]))
            ]
        );
        assert_eq!(changes.after(Ok(seen(&[], &[few(6)]))), []);
    }

    /// Covers a bug: an OK that no longer proved evenness was not reported.
    #[test]
    fn reports_that_evenness_is_not_proved_any_more_and_is_again() {
        let mut changes = Changes::default();
        changes.begin(seen(&[], &[]));
        for unproved in [&[few(3)][..], &[]] {
            let now = seen(&[], unproved);
            assert_eq!(changes.after(Ok(now.clone())), [Change::Ok(now)]);
        }
    }
}
