//! The messages of a wait until the servers have moved the tablets.

use std::time::Duration;

use anyhow::{Context, Error, Result};
use fluo_keys::{GroupVerdict, Plan, WaitEvent};
use fluo_table::{ErrorKind, TableAdmin};
use indicatif::ProgressBar;
use serde::Serialize;
use tokio::time::{Instant, sleep};

use crate::command_name::sibling;
use crate::text::{and_more, counted, seconds};
use crate::{exit, progress};

const MAX_NAMED: usize = 3;

#[derive(Debug, Serialize)]
pub(super) struct Settling {
    pub(super) spread: bool,
    seconds: f64,
    to_move: usize,
    groups: Vec<GroupVerdict>,
}

pub(super) async fn until_spread(
    tables: &dyn TableAdmin,
    plan: &Plan,
    limit: Duration,
) -> Result<Settling> {
    let line = WaitLine::new("looking where the tablets are");
    let waiting = plan.wait_until_balanced(tables, sleep).limit(limit);
    let spread = waiting.on_event(|event| line.show(&event, |groups| still_to_move(groups))).await;
    let groups = spread
        .map_err(|error| line.failure(error))
        .context("the steps are done, but the location of the tablets is unknown")?;
    Ok(Settling::new(groups, line.start.elapsed()))
}

#[derive(Debug)]
pub(super) struct WaitLine {
    bar: ProgressBar,
    start: Instant,
}

impl WaitLine {
    pub(super) fn new(what: &str) -> Self {
        Self { bar: progress::waiting(what.to_owned()), start: Instant::now() }
    }

    pub(super) fn show<T>(&self, event: &WaitEvent<'_, T>, standing: impl Fn(&T) -> String) {
        match event {
            WaitEvent::Look => {}
            WaitEvent::NotYet(seen) => self.bar.set_message(standing(seen)),
            WaitEvent::Unavailable(error) => {
                let cause = exit::sentence(&Error::new((*error).clone()));
                self.bar.set_message(format!("cannot look: {cause}"));
            }
        }
    }

    pub(super) fn failure(&self, error: fluo_table::Error) -> Error {
        match error.kind() {
            ErrorKind::Unavailable => Error::new(error)
                .context(format!("gave up after {}", seconds(self.start.elapsed()))),
            _ => error.into(),
        }
    }
}

fn to_move(groups: &[GroupVerdict]) -> usize {
    groups.iter().map(GroupVerdict::to_move).sum()
}

fn still_to_move(groups: &[GroupVerdict]) -> String {
    let tablets: usize = groups.iter().map(|group| group.tablets).sum();
    let all = counted(tablets, "tablet");
    format!("{} of {all} still have to move", to_move(groups))
}

impl Settling {
    fn new(groups: Vec<GroupVerdict>, waited: Duration) -> Self {
        let spread = groups.iter().all(GroupVerdict::is_spread);
        Self { spread, seconds: waited.as_secs_f64(), to_move: to_move(&groups), groups }
    }

    pub(super) fn sentence(&self) -> String {
        let waited = seconds(Duration::from_secs_f64(self.seconds));
        if self.spread {
            let spread = "spread: every group within one tablet per server";
            // A first look takes less than a second.
            let is_first = self.seconds < 1.0;
            return if is_first { spread.to_owned() } else { format!("{spread} after {waited}") };
        }
        let apart: Vec<_> = self.groups.iter().filter(|group| !group.is_spread()).collect();
        let mut named: Vec<_> = apart.iter().take(MAX_NAMED).map(|group| place(group)).collect();
        named.extend(and_more(apart.len(), MAX_NAMED, "group"));
        let (named, verify) = (named.join(", "), sibling("verify"));
        format!(
            "not spread after {waited}: {named}; the servers continue by themselves, `{verify}` looks again"
        )
    }
}

fn place(group: &GroupVerdict) -> String {
    let (name, least, largest) = (&group.group, group.least, group.largest);
    let hosted = format!("group `{name}` has {least} to {largest} tablets on a server");
    match group.unhosted {
        0 => hosted,
        unhosted => format!("{hosted} and {unhosted} on none"),
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
        let ended =
            |groups, millis| Settling::new(groups, Duration::from_millis(millis)).sentence();
        let spread = || vec![group("p:", 0, [5, 5])];
        let within = "spread: every group within one tablet per server";
        assert_eq!(ended(spread(), 20), within);
        assert_eq!(ended(spread(), 6_200), format!("{within} after 6.2 s"));
        let groups = vec![group("p:", 0, [4, 6]), group("q:", 2, [4, 4]), group("none", 0, [1, 0])];
        assert_eq!(still_to_move(&groups), "3 of 21 tablets still have to move");
        assert_eq!(
            ended(groups, 60_000),
            "not spread after 60 s: group `p:` has 4 to 6 tablets on a server, group `q:` has 4 to 4 tablets on a \
             server and 2 on none; the servers continue by themselves, `fluo verify` looks again"
        );
        let many = (0..9).map(|_| group("x", 0, [0, 9])).collect();
        let many = ended(many, 60_000);
        assert!(many.contains(", and 6 more groups; "), "{many}");
    }

    #[tokio::test(start_paused = true)]
    async fn describes_a_wait_that_failed() {
        let line = WaitLine::new("looking");
        sleep(Duration::from_millis(4_700)).await;
        line.show(&WaitEvent::Look, String::clone);
        sleep(Duration::from_secs(10)).await;
        let of = |kind| fluo_table::Error::new(kind, "no server answers");
        for (error, expected) in [
            (of(ErrorKind::NotFound), "no server answers"),
            (of(ErrorKind::Unavailable), "gave up after 14 s: no server answers"),
        ] {
            assert_eq!(exit::sentence(&line.failure(error)), expected);
        }
    }
}
