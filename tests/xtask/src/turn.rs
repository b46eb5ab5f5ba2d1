//! Turns of checks that are too slow to make all of them in each run of the tests.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// Returns the indices of `count` of `len` things whose turn it is today. Each has its turn within
/// `2 * len / count` days, rounded up, because two kinds of checks [take turns](is_first_day).
pub(crate) fn turn(len: usize, count: usize) -> Result<Vec<usize>> {
    Ok(rotation(len, count, today()? / 2))
}

/// Checks whether today is the first of two days.
pub(crate) fn is_first_day() -> Result<bool> {
    Ok(today()?.is_multiple_of(2))
}

/// Returns the indices for one of the numbered turns. Consecutive turns take consecutive things.
fn rotation(len: usize, count: usize, number: usize) -> Vec<usize> {
    let first = number.wrapping_mul(count).checked_rem(len).unwrap_or_default();
    (0..len).cycle().skip(first).take(count.min(len)).collect()
}

/// Returns the number of days since 1970, in UTC.
fn today() -> Result<usize> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.context("the clock is before 1970")?;
    Ok(usize::try_from(since.as_secs() / SECONDS_OF_A_DAY)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_has_its_turn() {
        for (len, count) in [(12_usize, 3), (13, 3), (3, 3), (2, 3), (1, 1), (40, 7)] {
            for from in [0, 1, 20_780] {
                let days = from..from + len.div_ceil(count);
                let turns: Vec<_> = days.map(|day| rotation(len, count, day)).collect();
                assert!(turns.iter().all(|turn| turn.len() == count.min(len)));
                let seen: BTreeSet<_> = turns.into_iter().flatten().collect();
                assert!(seen.into_iter().eq(0..len), "{count} of {len} from {from}");
            }
        }
        assert!(rotation(0, 3, 5).is_empty());
        assert_eq!(rotation(12, 3, 20_781), [3, 4, 5]);
        assert_eq!(rotation(4, 3, 1), [3, 0, 1]);
    }
}
