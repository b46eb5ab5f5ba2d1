//! A runner meets real conflicts: the number of its retries, its pauses, and the decisions of its
//! hook. The clock is paused.

#![cfg(test)]

use std::error::Error as _;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fluo_engine::{
    Attempt, Client, ClientOptions, CommitError, Conflict, ConflictCause, RetryDecision,
    RetryPolicy, Runner, SnapshotTooOld,
};
use fluo_table::{Column, Error, ErrorKind, Timestamp};
use fluo_tests::Fixture;
use tokio::time::{Instant, sleep};

/// Longest time by which tokio's timers round up a pause.
const TICK: Duration = Duration::from_millis(2);

async fn client_with(options: ClientOptions) -> Client {
    let fixture = Fixture::in_memory().await;
    fixture.client_of(fixture.table.clone(), options).await
}

async fn client() -> Client {
    client_with(ClientOptions::new()).await
}

fn column() -> Column {
    Column::new("account", "balance")
}

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_millis(400);

fn policy() -> RetryPolicy {
    RetryPolicy::new().first_pause(FIRST_PAUSE).max_pause(MAX_PAUSE)
}

/// An attempt that the hook received.
#[derive(Clone, Debug)]
struct Seen {
    number: u32,
    start: Timestamp,
    elapsed: Duration,
    planned: RetryDecision,
    error: CommitError,
    at: Instant,
}

/// The attempts that the hook received, in order.
#[derive(Clone, Debug, Default)]
struct Asked(Arc<Mutex<Vec<Seen>>>);

impl Asked {
    /// Returns a runner whose hook records each attempt, and returns the decision of `decide`.
    fn by(
        &self,
        runner: Runner,
        decide: impl Fn(&Attempt<'_>) -> RetryDecision + Send + Sync + 'static,
    ) -> Runner {
        let asked = self.clone();
        runner.on_retry(move |attempt| {
            asked.0.lock().unwrap().push(Seen {
                number: attempt.number,
                start: attempt.start,
                elapsed: attempt.elapsed,
                planned: attempt.policy_decision,
                error: attempt.error.clone(),
                at: Instant::now(),
            });
            decide(attempt)
        })
    }

    fn seen(&self) -> Vec<Seen> {
        self.0.lock().unwrap().clone()
    }

    fn numbers(&self) -> Vec<u32> {
        self.seen().iter().map(|seen| seen.number).collect()
    }

    fn planned(&self) -> Vec<RetryDecision> {
        self.seen().iter().map(|seen| seen.planned).collect()
    }
}

/// The attempts of one run.
#[derive(Debug, Default)]
struct Tried {
    /// Start timestamp and time of each attempt.
    begun: Mutex<Vec<(Timestamp, Instant)>>,
}

impl Tried {
    fn starts(&self) -> Vec<Timestamp> {
        self.begun.lock().unwrap().iter().map(|it| it.0).collect()
    }

    fn times(&self) -> Vec<Instant> {
        self.begun.lock().unwrap().iter().map(|it| it.1).collect()
    }

    /// Writes an account in a transaction. In each of the first `conflicts` attempts, another
    /// transaction writes the same account before.
    async fn run(&self, client: &Client, runner: &Runner, conflicts: usize) -> Result<(), Error> {
        runner
            .run(async |tx| {
                let before = {
                    let mut begun = self.begun.lock().unwrap();
                    begun.push((tx.start(), Instant::now()));
                    begun.len()
                };
                if before <= conflicts {
                    client.run(async |first| first.set("alice", &column(), "first")).await?;
                }
                tx.set("alice", &column(), "late")
            })
            .await
    }
}

async fn alice(client: &Client) -> Option<fluo_table::Bytes> {
    let now = client.snapshot().await.unwrap();
    now.get("alice", &column()).await.unwrap()
}

fn pause(decision: RetryDecision) -> Duration {
    match decision {
        RetryDecision::RetryAfter(pause) => pause,
        RetryDecision::GiveUp => panic!("it gives up"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_hook_receives_each_failed_attempt_before_the_pause() {
    let (client, asked, tried) = (client().await, Asked::default(), Tried::default());
    let runner = asked.by(client.runner().retry(policy()), |attempt| attempt.policy_decision);
    let begun = Instant::now();
    tried.run(&client, &runner, 5).await.unwrap();
    assert_eq!(alice(&client).await.as_deref(), Some(&b"late"[..]));

    assert_eq!(asked.numbers(), [1, 2, 3, 4, 5]);
    let (seen, starts, times) = (asked.seen(), tried.starts(), tried.times());
    assert_eq!(starts.len(), 6);
    assert!(starts.is_sorted_by(|one, next| one < next), "{starts:?}");
    let mut whole = FIRST_PAUSE;
    for (attempt, seen) in seen.iter().enumerate() {
        assert_eq!(seen.start, starts[attempt]);
        assert_eq!(begun + seen.elapsed, seen.at);
        // The hook is called at once. The agreed pause comes before the next attempt.
        assert_eq!(seen.at, times[attempt]);
        let pause = pause(seen.planned);
        let waited = times[attempt + 1] - seen.at;
        assert!(waited >= pause && waited <= pause + TICK, "{waited:?} for {pause:?}");
        // Pauses double up to the longest one. Each is shortened by less than a half.
        assert!(pause <= whole && pause > whole / 2, "{pause:?} of {whole:?}");
        whole = (whole * 2).min(MAX_PAUSE);
        let CommitError::Conflict(conflict) = &seen.error else {
            panic!("{:?}", seen.error);
        };
        assert_eq!(conflict.start, seen.start);
        assert_eq!(conflict.cells[0].row, "alice");
        let other = conflict.other.unwrap();
        assert!(
            matches!(other, ConflictCause::Committed { start, .. } if start > seen.start),
            "{other:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_decision_of_the_hook_replaces_the_planned_one() {
    let (client, asked, tried) = (client().await, Asked::default(), Tried::default());
    let runner = asked.by(client.runner().retry(policy()), |attempt| match attempt.number {
        1 => RetryDecision::RetryAfter(Duration::from_secs(77)),
        _ => RetryDecision::GiveUp,
    });
    let error = tried.run(&client, &runner, 9).await.unwrap_err();
    assert_eq!(asked.numbers(), [1, 2]);
    // The policy would have retried, after short pauses.
    for planned in asked.planned() {
        assert!(pause(planned) < Duration::from_secs(1));
    }
    let times = tried.times();
    let waited = times[1] - times[0];
    let wanted = Duration::from_secs(77);
    assert!(waited >= wanted && waited <= wanted + TICK, "{waited:?} for {wanted:?}");
    is_the_conflict_of(&error, tried.starts()[1]);
    assert_eq!(alice(&client).await.as_deref(), Some(&b"first"[..]));

    // The reverse: the policy gives up, and the hook retries.
    let (asked, tried) = (Asked::default(), Tried::default());
    let once = policy().max_attempts(NonZeroU32::new(1));
    let runner =
        asked.by(client.runner().retry(once), |_| RetryDecision::RetryAfter(Duration::ZERO));
    tried.run(&client, &runner, 3).await.unwrap();
    assert_eq!(asked.planned(), [RetryDecision::GiveUp; 3]);
    assert_eq!(tried.starts().len(), 4);
    assert_eq!(alice(&client).await.as_deref(), Some(&b"late"[..]));
}

/// Checks the error after the last attempt: its kind, its message, and the conflict of the attempt
/// as its source.
fn is_the_conflict_of(error: &Error, start: Timestamp) {
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let source = error.source().and_then(|it| it.downcast_ref::<Conflict>());
    let conflict = source.unwrap();
    assert_eq!(conflict.start, start);
    assert_eq!(error.to_string(), conflict.to_string());
}

#[tokio::test(start_paused = true)]
async fn a_runner_stops_after_the_greatest_number_of_attempts() {
    let (client, asked, tried) = (client().await, Asked::default(), Tried::default());
    let three = policy().max_attempts(NonZeroU32::new(3));
    let runner = asked.by(client.runner().retry(three), |attempt| attempt.policy_decision);
    let error = tried.run(&client, &runner, 9).await.unwrap_err();
    is_the_conflict_of(&error, tried.starts()[2]);
    assert_eq!(tried.starts().len(), 3);
    let planned = asked.planned();
    assert_eq!(planned.len(), 3);
    assert!(pause(planned[0]) < pause(planned[1]));
    assert_eq!(planned[2], RetryDecision::GiveUp);

    // The same holds without a hook. The last allowed attempt may commit.
    let (silent, tried) = (client.runner().retry(three), Tried::default());
    tried.run(&client, &silent, 9).await.unwrap_err();
    assert_eq!(tried.starts().len(), 3);
    let tried = Tried::default();
    tried.run(&client, &silent, 2).await.unwrap();
    assert_eq!(tried.starts().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_runner_stops_after_the_longest_time() {
    let (client, asked, tried) = (client().await, Asked::default(), Tried::default());
    let (limit, max_pause) = (Duration::from_secs(10), Duration::from_secs(2));
    let ten_seconds = RetryPolicy::new()
        .max_elapsed(limit)
        .first_pause(Duration::from_secs(1))
        .max_pause(max_pause);
    let runner = asked.by(client.runner().retry(ten_seconds), |it| it.policy_decision);
    let error = tried.run(&client, &runner, 100).await.unwrap_err();
    let seen = asked.seen();
    let (last, before) = seen.split_last().unwrap();
    assert!(before.len() >= 5, "{before:?}");
    for seen in before {
        assert!(seen.elapsed < limit);
        assert_ne!(seen.planned, RetryDecision::GiveUp);
    }
    assert_eq!(last.planned, RetryDecision::GiveUp);
    let most = limit + max_pause + TICK;
    assert!(last.elapsed >= limit && last.elapsed <= most, "{last:?}");
    is_the_conflict_of(&error, last.start);
}

/// A stale transaction has no conflict, but is retried too.
#[tokio::test(start_paused = true)]
async fn the_hook_receives_a_stale_transaction() {
    let age = Duration::from_secs(2);
    let options = ClientOptions::new().max_transaction_age(age);
    let (client, asked) = (client_with(options).await, Asked::default());
    let runner = asked.by(client.runner().retry(policy()), |attempt| match attempt.number {
        1 => attempt.policy_decision,
        _ => RetryDecision::GiveUp,
    });
    let stale = runner
        .run(async |tx| {
            // Without the hook, the runner would retry forever.
            assert!(asked.numbers().len() < 5);
            sleep(age * 2).await;
            client.advance_horizon().await?;
            tx.set("alice", &column(), "late")
        })
        .await
        .unwrap_err();
    assert_eq!(asked.numbers(), [1, 2]);
    for seen in asked.seen() {
        let CommitError::SnapshotTooOld(stale) = seen.error else {
            panic!("{:?}", seen.error);
        };
        assert_eq!(stale.start, seen.start);
        assert!(stale.horizon > stale.start);
        assert!(seen.elapsed >= age * 2 * seen.number);
    }
    assert_eq!(stale.kind(), ErrorKind::Unavailable);
    assert!(stale.source().unwrap().is::<SnapshotTooOld>(), "{stale:?}");
    assert_eq!(alice(&client).await, None);
}

#[tokio::test(start_paused = true)]
async fn the_hook_is_not_called_for_a_failed_body_or_a_successful_commit() {
    let (client, asked) = (client().await, Asked::default());
    let runner = asked.by(client.runner(), |_| RetryDecision::RetryAfter(Duration::ZERO));
    let refused = runner
        .run(async |tx| {
            tx.set("alice", &column(), "1")?;
            tx.set("", &column(), "1")
        })
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    Tried::default().run(&client, &runner, 0).await.unwrap();
    assert_eq!(asked.numbers(), [0_u32; 0]);
}

/// Without turns each commit costs the other runs an attempt: more than a hundred attempts.
#[tokio::test(start_paused = true)]
async fn runs_that_conflicted_on_one_cell_take_turns() {
    const RUNS: usize = 16;
    let client = client().await;
    let attempts = AtomicUsize::new(0);
    let add = || {
        client.run(async |tx| {
            attempts.fetch_add(1, Ordering::Relaxed);
            let before = tx.get("alice", &column()).await?;
            sleep(Duration::from_millis(10)).await;
            let length = before.map_or(0, |value| value.len());
            tx.set("alice", &column(), vec![b'|'; length + 1])?;
            Ok::<_, Error>(())
        })
    };
    futures::future::try_join_all((0..RUNS).map(|_| add())).await.unwrap();
    let snapshot = client.snapshot().await.unwrap();
    let value = snapshot.get("alice", &column()).await.unwrap();
    assert_eq!(value.map(|value| value.len()), Some(RUNS));
    // All first attempts conflict but one; each further attempt has a turn.
    assert_eq!(attempts.into_inner(), RUNS + RUNS - 1);
}
