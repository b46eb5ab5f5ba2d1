//! Waiting until the servers have moved the tablets.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use fluo_core::TableAdmin;
use fluo_recipes::{GroupVerdict, groups};
use serde::Serialize;
use tokio::time::{Instant, sleep, timeout};

use crate::duration::seconds;
use crate::output::{count_of, plural};
use crate::progress;

/// Pauses between two looks: short at first, as servers may be done at once.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Most groups that a message names.
const MOST_NAMED: usize = 3;

/// Where the tablets were at the last look.
#[derive(Debug, Serialize)]
pub(super) struct Settling {
    /// Whether every group is spread.
    spread: bool,
    /// How long it took, or was waited in vain.
    seconds: f64,
    #[serde(skip)]
    waited: Duration,
    #[serde(skip)]
    looks: usize,
    /// Tablets that still have to move.
    to_move: usize,
    groups: Vec<GroupVerdict>,
}

/// Looks until every group of the pattern is spread, or the limit has passed.
pub(super) async fn until_spread(
    tables: &dyn TableAdmin,
    table: &str,
    pattern: Option<&str>,
    limit: Duration,
) -> Result<Settling> {
    let bar = progress::waiting("looking where the tablets are".to_owned());
    let start = Instant::now();
    let mut pauses = Pauses::default();
    let mut looks = 0;
    loop {
        looks += 1;
        let groups = within(start, limit, groups(tables, table, pattern))
            .await
            .context("the steps are done, but where the tablets are cannot be seen")?;
        let settling = Settling::new(groups, start.elapsed(), looks);
        if settling.spread || settling.waited >= limit {
            bar.finish_and_clear();
            return Ok(settling);
        }
        bar.set_message(settling.progress());
        pauses.pause(start, limit).await;
    }
}

/// Least time that a look is given, however little is left of the wait.
const LEAST_LOOK: Duration = Duration::from_secs(10);

/// A look, for as long as is left of a wait of `limit` since `start`: what does not answer must not stretch it.
pub(super) async fn within<T>(
    start: Instant,
    limit: Duration,
    look: impl Future<Output = fluo_core::Result<T>>,
) -> Result<T> {
    let left = limit.saturating_sub(start.elapsed()).max(LEAST_LOOK);
    match timeout(left, look).await {
        Ok(found) => Ok(found?),
        Err(_) => bail!("no answer within {}", seconds(left)),
    }
}

/// The pauses between looks, each longer than the one before.
#[derive(Debug)]
pub(super) struct Pauses(Duration);

impl Default for Pauses {
    fn default() -> Self {
        Self(FIRST_PAUSE)
    }
}

impl Pauses {
    /// Waits for the next look, but no longer than until the limit has passed since `start`.
    pub(super) async fn pause(&mut self, start: Instant, limit: Duration) {
        sleep(self.0.min(limit.saturating_sub(start.elapsed()))).await;
        self.0 = (self.0 * 2).min(LONGEST_PAUSE);
    }
}

impl Settling {
    fn new(groups: Vec<GroupVerdict>, waited: Duration, looks: usize) -> Self {
        Self {
            spread: groups.iter().all(GroupVerdict::is_spread),
            seconds: waited.as_secs_f64(),
            waited,
            looks,
            to_move: groups.iter().map(GroupVerdict::to_move).sum(),
            groups,
        }
    }

    pub(super) fn is_spread(&self) -> bool {
        self.spread
    }

    fn progress(&self) -> String {
        let tablets: usize = self.groups.iter().map(|group| group.tablets).sum();
        let all = plural(count_of(tablets), "tablet");
        format!("{} of {all} still have to move", self.to_move)
    }

    /// The end of the wait, for a person.
    pub(super) fn sentence(&self) -> String {
        let seconds = seconds(self.waited);
        if self.spread {
            let after = match self.looks {
                1 => String::new(),
                _ => format!(" after {seconds}"),
            };
            return format!("spread: every group within one tablet per server{after}");
        }
        let mut apart: Vec<_> = self
            .groups
            .iter()
            .filter(|group| !group.is_spread())
            .map(place)
            .collect();
        if apart.len() > MOST_NAMED {
            let more = count_of(apart.len() - MOST_NAMED);
            apart.truncate(MOST_NAMED);
            apart.push(format!("and {}", plural(more, "more group")));
        }
        format!(
            "not spread after {seconds}: {}; the servers go on by themselves, `fluo table verify` looks again",
            apart.join(", ")
        )
    }
}

fn place(group: &GroupVerdict) -> String {
    let GroupVerdict {
        group: name,
        least,
        largest,
        unhosted,
        ..
    } = group;
    let hosted = format!("group `{name}` has {least} to {largest} tablets on a server");
    match unhosted {
        0 => hosted,
        _ => format!("{hosted} and {unhosted} on none"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn group(name: &str, unhosted: usize, counts: [usize; 2]) -> GroupVerdict {
        let [a, b] = counts;
        GroupVerdict {
            group: name.to_owned(),
            tablets: unhosted + a + b,
            unhosted,
            per_server: BTreeMap::from([("s1".to_owned(), a), ("s2".to_owned(), b)]),
            least: a.min(b),
            mean: 0.0,
            largest: a.max(b),
        }
    }

    #[test]
    fn the_end_of_a_wait_is_told() {
        let at_once = Settling::new(vec![group("p:", 0, [5, 5])], Duration::from_millis(20), 1);
        assert_eq!(
            at_once.sentence(),
            "spread: every group within one tablet per server"
        );
        let spread = Settling::new(
            vec![group("p:", 0, [5, 5])],
            Duration::from_millis(6_200),
            7,
        );
        assert_eq!(
            spread.sentence(),
            "spread: every group within one tablet per server after 6.2 s"
        );
        let groups = vec![
            group("p:", 0, [4, 6]),
            group("q:", 2, [4, 4]),
            group("none", 0, [1, 0]),
        ];
        let apart = Settling::new(groups, Duration::from_secs(60), 35);
        assert_eq!(
            apart.sentence(),
            "not spread after 60 s: group `p:` has 4 to 6 tablets on a server, group `q:` has 4 to 4 tablets on a \
             server and 2 on none; the servers go on by themselves, `fluo table verify` looks again"
        );
        assert_eq!(apart.progress(), "3 of 21 tablets still have to move");
        let many = Settling::new(
            (0..9).map(|_| group("x", 0, [0, 9])).collect(),
            Duration::from_secs(60),
            35,
        );
        assert!(
            many.sentence().contains(", and 6 more groups; "),
            "{}",
            many.sentence()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_end_with_the_limit() {
        let start = Instant::now();
        let mut pauses = Pauses::default();
        let mut ends = Vec::new();
        while start.elapsed() < Duration::from_secs(5) {
            pauses.pause(start, Duration::from_secs(5)).await;
            ends.push(start.elapsed().as_millis());
        }
        assert_eq!(ends, [100, 300, 700, 1_500, 3_100, 5_000]);
    }
}
