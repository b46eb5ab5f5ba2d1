//! The wait until the servers have moved the tablets.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use fluo_recipes::{GroupVerdict, groups};
use fluo_table::{ErrorKind, TableAdmin};
use indicatif::ProgressBar;
use serde::Serialize;
use tokio::time::{Instant, sleep, timeout};

use crate::duration::seconds;
use crate::exit;
use crate::progress;
use crate::text::{count_of, plural};

/// Pauses between checks. The first ones are short, because the servers may already be done.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Maximum number of groups that a message names.
const MOST_NAMED: usize = 3;

/// The state of the tablets at the last check.
#[derive(Debug, Serialize)]
pub(super) struct Settling {
    /// True if every group is spread.
    spread: bool,
    /// The duration of the wait.
    seconds: f64,
    #[serde(skip)]
    waited: Duration,
    #[serde(skip)]
    looks: usize,
    /// Number of tablets that still have to move.
    to_move: usize,
    groups: Vec<GroupVerdict>,
}

/// Checks the tablets until every group is spread or the limit has passed.
pub(super) async fn until_spread(
    tables: &dyn TableAdmin,
    table: &str,
    pattern: Option<&str>,
    limit: Duration,
) -> Result<Settling> {
    let mut wait = Wait::new("looking where the tablets are", limit);
    let mut looks = 0;
    loop {
        looks += 1;
        let groups = wait
            .look(groups(tables, table, pattern))
            .await
            .context("the steps are done, but the location of the tablets is unknown")?;
        let Some(groups) = groups else { continue };
        let settling = Settling::new(groups, wait.elapsed(), looks);
        if settling.spread || wait.is_over() {
            return Ok(settling);
        }
        wait.pause(settling.progress()).await;
    }
}

/// Minimum timeout of a check, however little of the wait is left.
const LEAST_LOOK: Duration = Duration::from_secs(10);

/// A wait with repeated checks, and its progress line.
#[derive(Debug)]
pub(super) struct Wait {
    start: Instant,
    limit: Duration,
    pauses: Pauses,
    bar: ProgressBar,
}

impl Wait {
    /// Starts a wait.
    pub(super) fn new(what: &str, limit: Duration) -> Self {
        Self {
            start: Instant::now(),
            limit,
            pauses: Pauses::default(),
            bar: progress::waiting(what.to_owned()),
        }
    }

    /// Runs a check. Returns `None` if it failed for a temporary reason and is to be repeated. The
    /// check is limited to the rest of the wait, so a server that does not answer cannot extend it.
    pub(super) async fn look<T>(
        &mut self,
        look: impl Future<Output = fluo_table::Result<T>>,
    ) -> Result<Option<T>> {
        let left = self.limit.saturating_sub(self.elapsed()).max(LEAST_LOOK);
        let failure = match timeout(left, look).await {
            Ok(Ok(seen)) => return Ok(Some(seen)),
            // The proxy or its servers are unavailable.
            Ok(Err(error)) if error.kind() == ErrorKind::Unavailable => anyhow!(error),
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => anyhow!("no answer within {}", seconds(left)),
        };
        if self.is_over() {
            return Err(failure.context(format!("gave up after {}", seconds(self.elapsed()))));
        }
        self.pause(format!("cannot look: {}", exit::sentence(&failure)))
            .await;
        Ok(None)
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub(super) fn is_over(&self) -> bool {
        self.elapsed() >= self.limit
    }

    /// Shows the state, and waits for the next check.
    pub(super) async fn pause(&mut self, standing: String) {
        self.bar.set_message(standing);
        self.pauses.pause(self.start, self.limit).await;
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The pauses between checks, each longer than the one before.
#[derive(Debug)]
struct Pauses(Duration);

impl Default for Pauses {
    fn default() -> Self {
        Self(FIRST_PAUSE)
    }
}

impl Pauses {
    /// Waits for the next check, but not beyond `limit` after `start`.
    async fn pause(&mut self, start: Instant, limit: Duration) {
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

    /// Returns the message for the end of the wait.
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
            "not spread after {seconds}: {}; the servers continue by themselves, `fluo table verify` looks again",
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
            load: None,
        }
    }

    #[test]
    fn describes_the_end_of_a_wait() {
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
             server and 2 on none; the servers continue by themselves, `fluo table verify` looks again"
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
    async fn pauses_grow_until_the_limit() {
        let start = Instant::now();
        let mut pauses = Pauses::default();
        let mut ends = Vec::new();
        while start.elapsed() < Duration::from_secs(5) {
            pauses.pause(start, Duration::from_secs(5)).await;
            ends.push(start.elapsed().as_millis());
        }
        assert_eq!(ends, [100, 300, 700, 1_500, 3_100, 5_000]);
    }

    /// Runs checks that fail this often, and then succeed.
    async fn looked(limit: Duration, failures: usize, kind: ErrorKind) -> (Result<u8>, Duration) {
        let mut wait = Wait::new("looking", limit);
        let mut looks = 0;
        let found = loop {
            let fails = looks < failures;
            looks += 1;
            let look = async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                match fails {
                    true => Err(fluo_table::Error::new(kind, "no server answers")),
                    false => Ok(7),
                }
            };
            match wait.look(look).await {
                Ok(None) => {}
                Ok(Some(seen)) => break Ok(seen),
                Err(error) => break Err(error),
            }
        };
        (found, wait.elapsed())
    }

    /// Covers a bug: one failed check ended the wait, although time was left.
    #[tokio::test(start_paused = true)]
    async fn repeats_a_failing_check_until_the_limit() {
        let minute = Duration::from_secs(60);
        let (found, took) = looked(minute, 5, ErrorKind::Unavailable).await;
        assert_eq!((found.unwrap(), took.as_millis()), (7, 6_000 + 3_100));

        let (found, took) = looked(Duration::from_secs(4), 100, ErrorKind::Unavailable).await;
        assert_eq!(
            exit::sentence(&found.unwrap_err()),
            "gave up after 4.7 s: no server answers"
        );
        assert_eq!(took.as_millis(), 4_700);

        let (found, took) = looked(minute, 1, ErrorKind::NotFound).await;
        assert_eq!(exit::sentence(&found.unwrap_err()), "no server answers");
        assert_eq!(took.as_millis(), 1_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_check_ends_with_the_wait() {
        for (limit, ends) in [(60, 60), (1, 10)] {
            let mut wait = Wait::new("looking", Duration::from_secs(limit));
            let silence = std::future::pending::<fluo_table::Result<u8>>();
            let error = wait.look(silence).await.unwrap_err();
            assert_eq!(
                exit::sentence(&error),
                format!("gave up after {ends} s: no answer within {ends} s")
            );
        }
    }
}
