//! The messages of a wait until the servers have moved the tablets.

use std::time::Duration;

use anyhow::{Context, Error, Result};
use fluo_keys::{GroupVerdict, Plan, WaitEvent};
use fluo_table::{ErrorKind, TableAdmin};
use indicatif::ProgressBar;
use serde::Serialize;
use tokio::time::{Instant, sleep};

use super::origin::Origin;
use crate::duration::seconds;
use crate::exit;
use crate::progress;
use crate::text::{count_of, plural};

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

/// Waits until every group of the plan is spread or the limit has passed.
pub(super) async fn until_spread(
    tables: &dyn TableAdmin,
    plan: &Plan,
    limit: Duration,
) -> Result<Settling> {
    let mut line = WaitLine::new("looking where the tablets are");
    let groups = plan
        .wait_until_balanced(tables, sleep)
        .limit(limit)
        .on_event(|event| line.show(&event, |groups| still_to_move(groups)))
        .await
        .map_err(|error| line.failure(error))
        .context("the steps are done, but the location of the tablets is unknown")?;
    Ok(Settling::new(groups, line.start.elapsed(), line.looks))
}

/// The progress line of a wait.
#[derive(Debug)]
pub(super) struct WaitLine {
    bar: ProgressBar,
    start: Instant,
    /// The number of checks.
    looks: usize,
}

impl WaitLine {
    /// Starts a line.
    pub(super) fn new(what: &str) -> Self {
        let start = Instant::now();
        Self {
            bar: progress::waiting(what.to_owned()),
            start,
            looks: 0,
        }
    }

    /// Shows an event.
    pub(super) fn show<T>(&mut self, event: &WaitEvent<'_, T>, standing: impl Fn(&T) -> String) {
        match event {
            WaitEvent::Look => self.looks += 1,
            WaitEvent::NotYet(seen) => self.bar.set_message(standing(seen)),
            WaitEvent::Unavailable(error) => {
                let cause = exit::sentence(&Error::new((*error).clone()));
                self.bar.set_message(format!("cannot look: {cause}"));
            }
        }
    }

    /// Returns the error of a wait that failed.
    pub(super) fn failure(&self, error: fluo_table::Error) -> Error {
        match error.kind() {
            ErrorKind::Unavailable => Error::new(error)
                .context(format!("gave up after {}", seconds(self.start.elapsed()))),
            _ => error.into(),
        }
    }
}

impl Drop for WaitLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn still_to_move(groups: &[GroupVerdict]) -> String {
    let tablets: usize = groups.iter().map(|group| group.tablets).sum();
    let to_move: usize = groups.iter().map(GroupVerdict::to_move).sum();
    let all = plural(count_of(tablets), "tablet");
    format!("{to_move} of {all} still have to move")
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

    /// Returns the message for the end of the wait.
    pub(super) fn sentence(&self, origin: Origin) -> String {
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
            "not spread after {seconds}: {}; the servers continue by themselves, `{} verify` looks again",
            apart.join(", "),
            origin.command()
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
    fn describes_the_end_of_a_wait() {
        let at_once = Settling::new(vec![group("p:", 0, [5, 5])], Duration::from_millis(20), 1);
        assert_eq!(
            at_once.sentence(Origin::Spec),
            "spread: every group within one tablet per server"
        );
        let spread = Settling::new(
            vec![group("p:", 0, [5, 5])],
            Duration::from_millis(6_200),
            7,
        );
        assert_eq!(
            spread.sentence(Origin::Spec),
            "spread: every group within one tablet per server after 6.2 s"
        );
        let groups = vec![
            group("p:", 0, [4, 6]),
            group("q:", 2, [4, 4]),
            group("none", 0, [1, 0]),
        ];
        let apart = Settling::new(groups, Duration::from_secs(60), 35);
        assert_eq!(
            apart.sentence(Origin::Spec),
            "not spread after 60 s: group `p:` has 4 to 6 tablets on a server, group `q:` has 4 to 4 tablets on a \
             server and 2 on none; the servers continue by themselves, `fluo table verify` looks again"
        );
        assert_eq!(
            still_to_move(&apart.groups),
            "3 of 21 tablets still have to move"
        );
        let many = Settling::new(
            (0..9).map(|_| group("x", 0, [0, 9])).collect(),
            Duration::from_secs(60),
            35,
        );
        assert!(
            many.sentence(Origin::Spec)
                .contains(", and 6 more groups; "),
            "{}",
            many.sentence(Origin::Spec)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn describes_a_wait_that_failed() {
        let mut line = WaitLine::new("looking");
        sleep(Duration::from_millis(4_700)).await;
        line.show(&WaitEvent::Look, String::clone);
        sleep(Duration::from_secs(10)).await;
        let of = |kind| fluo_table::Error::new(kind, "no server answers");
        for (error, expected) in [
            (of(ErrorKind::NotFound), "no server answers"),
            (
                of(ErrorKind::Unavailable),
                "gave up after 14 s: no server answers",
            ),
        ] {
            assert_eq!(exit::sentence(&line.failure(error)), expected);
        }
    }
}
