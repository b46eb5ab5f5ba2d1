//! What is different from one look to the next.

use fluo_recipes::Verdict;

/// What a look has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) differences: Vec<String>,
    /// Why evenness is not proved, as the end of a sentence; empty if it is.
    pub(super) reservation: String,
}

/// What a line of the watch tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The first look.
    Begin(Seen),
    /// A difference that was not there before.
    Appeared(String),
    /// A difference that is not there any more.
    Gone(String),
    /// There are no differences any more; what is not proved all the same.
    Ok(String),
    /// The table cannot be looked at, and why.
    CannotLook(String),
    /// It can again.
    LooksAgain,
    /// The table was deleted, which ends the watch.
    Deleted,
}

impl From<Verdict> for Seen {
    fn from(verdict: Verdict) -> Self {
        Self {
            reservation: verdict.reservation(),
            differences: verdict.differences,
        }
    }
}

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Changes {
    differences: Vec<String>,
    error: Option<String>,
}

impl Changes {
    pub(super) fn begin(&mut self, seen: Seen) {
        self.differences = seen.differences;
    }

    /// What has changed since the look before.
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
        let before = std::mem::replace(&mut self.differences, seen.differences);
        let now = &self.differences;
        let gone = before.iter().filter(|difference| !now.contains(difference));
        let appeared = now.iter().filter(|difference| !before.contains(difference));
        let is_ok_again =
            (now.is_empty() && !before.is_empty()).then_some(Change::Ok(seen.reservation));
        gone.cloned()
            .map(Change::Gone)
            .chain(appeared.cloned().map(Change::Appeared))
            .chain(is_ok_again)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(differences: &[&str]) -> Seen {
        Seen {
            differences: differences.iter().map(|text| (*text).to_owned()).collect(),
            reservation: "; so".to_owned(),
        }
    }

    #[test]
    fn only_changes_are_told() {
        let mut changes = Changes::default();
        changes.begin(seen(&["a"]));
        let text = |text: &str| text.to_owned();
        let cannot = || Err(text("no proxy"));
        for (looked, expected) in [
            (Ok(seen(&["a"])), vec![]),
            (Ok(seen(&["a", "b"])), vec![Change::Appeared(text("b"))]),
            (cannot(), vec![Change::CannotLook(text("no proxy"))]),
            (cannot(), vec![]),
            (
                Err(text("no table")),
                vec![Change::CannotLook(text("no table"))],
            ),
            (
                Ok(seen(&["c", "b"])),
                vec![
                    Change::LooksAgain,
                    Change::Gone(text("a")),
                    Change::Appeared(text("c")),
                ],
            ),
            (
                Ok(seen(&[])),
                vec![
                    Change::Gone(text("b")),
                    Change::Gone(text("c")),
                    Change::Ok(text("; so")),
                ],
            ),
            (Ok(seen(&[])), vec![]),
        ] {
            let mut told = changes.after(looked);
            told.sort_by_key(|change| matches!(change, Change::Gone(text) if text == "c"));
            let mut expected = expected;
            expected.sort_by_key(|change| matches!(change, Change::Gone(text) if text == "c"));
            assert_eq!(told, expected);
        }
    }
}
