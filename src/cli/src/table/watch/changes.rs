//! What is different from one look to the next.

use fluo_recipes::Verdict;

/// What a line of the watch tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The first look, with its differences.
    Begin(Vec<String>),
    /// A difference that was not there before.
    Appeared(String),
    /// A difference that is not there any more.
    Gone(String),
    /// There are no differences any more.
    Ok,
    /// The table cannot be looked at, and why.
    CannotLook(String),
    /// It can again.
    LooksAgain,
}

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Changes {
    differences: Vec<String>,
    error: Option<String>,
}

impl Changes {
    pub(super) fn begin(&mut self, verdict: Verdict) {
        self.differences = verdict.differences;
    }

    /// What has changed since the look before.
    pub(super) fn after(&mut self, looked: Result<Verdict, String>) -> Vec<Change> {
        match looked {
            Err(error) if self.error.as_ref() == Some(&error) => Vec::new(),
            Err(error) => {
                self.error = Some(error.clone());
                vec![Change::CannotLook(error)]
            }
            Ok(verdict) => {
                let again = self.error.take().map(|_| Change::LooksAgain);
                let changed = self.differ(verdict.differences);
                again.into_iter().chain(changed).collect()
            }
        }
    }

    fn differ(&mut self, now: Vec<String>) -> Vec<Change> {
        let before = std::mem::replace(&mut self.differences, now);
        let now = &self.differences;
        let gone = before.iter().filter(|difference| !now.contains(difference));
        let appeared = now.iter().filter(|difference| !before.contains(difference));
        let is_ok_again = (now.is_empty() && !before.is_empty()).then_some(Change::Ok);
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

    fn verdict(differences: &[&str]) -> Verdict {
        let differences = differences.iter().map(|text| (*text).to_owned());
        Verdict {
            table: "pages".to_owned(),
            ok: differences.len() == 0,
            differences: differences.collect(),
            splits: fluo_recipes::SplitsVerdict {
                wanted: 0,
                found: 0,
                missing: Vec::new(),
                extra: Vec::new(),
                extra_allowed: false,
                strays: Vec::new(),
            },
            properties: Vec::new(),
            groups: Vec::new(),
            rows: Vec::new(),
        }
    }

    #[test]
    fn only_changes_are_told() {
        let mut changes = Changes::default();
        changes.begin(verdict(&["a"]));
        let text = |text: &str| text.to_owned();
        let cannot = || Err(text("no proxy"));
        for (looked, expected) in [
            (Ok(verdict(&["a"])), vec![]),
            (Ok(verdict(&["a", "b"])), vec![Change::Appeared(text("b"))]),
            (cannot(), vec![Change::CannotLook(text("no proxy"))]),
            (cannot(), vec![]),
            (
                Err(text("no table")),
                vec![Change::CannotLook(text("no table"))],
            ),
            (
                Ok(verdict(&["c", "b"])),
                vec![
                    Change::LooksAgain,
                    Change::Gone(text("a")),
                    Change::Appeared(text("c")),
                ],
            ),
            (
                Ok(verdict(&[])),
                vec![Change::Gone(text("b")), Change::Gone(text("c")), Change::Ok],
            ),
            (Ok(verdict(&[])), vec![]),
        ] {
            let mut told = changes.after(looked);
            told.sort_by_key(|change| matches!(change, Change::Gone(text) if text == "c"));
            let mut expected = expected;
            expected.sort_by_key(|change| matches!(change, Change::Gone(text) if text == "c"));
            assert_eq!(told, expected);
        }
    }
}
