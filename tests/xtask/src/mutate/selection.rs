//! The selection of the planted bugs of a run.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use super::mutant::Mutant;

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// The planted bugs of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    All,
    Named(Vec<String>),
    /// This number of bugs, by the day.
    Rotation(usize),
}

impl Selection {
    /// Returns the selected bugs in the order of their names, each once.
    ///
    /// # Errors
    ///
    /// There is no bug of a given name.
    pub(super) fn of(&self, all: Vec<Mutant>) -> Result<Vec<Mutant>> {
        let selected: Vec<bool> = match self {
            Self::All => vec![true; all.len()],
            Self::Named(names) => {
                let names_here: Vec<_> = all.iter().map(|mutant| mutant.name.as_str()).collect();
                if let Some(unknown) = names.iter().find(|it| !names_here.contains(&it.as_str())) {
                    bail!(
                        "there is no planted bug `{unknown}`; bugs here: {}",
                        names_here.join(", ")
                    );
                }
                all.iter()
                    .map(|mutant| names.contains(&mutant.name))
                    .collect()
            }
            Self::Rotation(count) => {
                let turn = rotation(all.len(), *count, today()?);
                (0..all.len()).map(|index| turn.contains(&index)).collect()
            }
        };
        let selected = all.into_iter().zip(selected);
        Ok(selected
            .filter_map(|(mutant, is_selected)| is_selected.then_some(mutant))
            .collect())
    }
}

/// Returns the indices of `count` of `len` bugs whose turn it is on a day. Consecutive days take
/// consecutive bugs, so every bug has its turn within `len / count` days, rounded up.
fn rotation(len: usize, count: usize, day: usize) -> Vec<usize> {
    let first = day.wrapping_mul(count).checked_rem(len).unwrap_or_default();
    (0..len).cycle().skip(first).take(count.min(len)).collect()
}

/// Returns the number of days since 1970, in UTC.
fn today() -> Result<usize> {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .context("the clock is before 1970")?;
    Ok(usize::try_from(since.as_secs() / SECONDS_OF_A_DAY)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn mutants(names: &[&str]) -> Vec<Mutant> {
        let mutant = |name: &&str| Mutant {
            name: (*name).to_owned(),
            file: "".into(),
            what: String::new(),
            fails: Vec::new(),
            changes: String::new(),
        };
        names.iter().map(mutant).collect()
    }

    #[test]
    fn every_bug_has_its_turn() {
        for (len, count) in [(12_usize, 3), (13, 3), (3, 3), (2, 3), (1, 1), (40, 7)] {
            let days = len.div_ceil(count);
            for from in [0, 1, 20_780] {
                let turns = (from..from + days).map(|day| rotation(len, count, day));
                let turns: Vec<_> = turns.collect();
                assert!(turns.iter().all(|turn| turn.len() == count.min(len)));
                let seen: BTreeSet<_> = turns.into_iter().flatten().collect();
                assert!(seen.into_iter().eq(0..len), "{count} of {len} from {from}");
            }
        }
        assert!(rotation(0, 3, 5).is_empty());
    }

    #[test]
    fn a_day_always_has_the_same_turn() {
        assert_eq!(rotation(12, 3, 20_780), [0, 1, 2]);
        assert_eq!(rotation(12, 3, 20_781), [3, 4, 5]);
        assert_eq!(rotation(4, 3, 1), [3, 0, 1]);
    }

    #[test]
    fn selects_by_name() {
        let named = Selection::Named(vec!["c".into(), "a".into()]);
        assert_eq!(
            named.of(mutants(&["a", "b", "c"])).unwrap(),
            mutants(&["a", "c"])
        );
        let error = named.of(mutants(&["a", "b"])).unwrap_err().to_string();
        assert_eq!(error, "there is no planted bug `c`; bugs here: a, b");
    }
}
