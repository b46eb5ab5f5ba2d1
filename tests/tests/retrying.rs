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
    RetryPolicy, Runner, SnapshotTooOld, Transaction,
};
use fluo_table::{Column, Error, ErrorKind, Timestamp};
use fluo_tests::{Call, Fixture, Intercepted, Latch};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, sleep, timeout};

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

/// Adds to a cell in 16 runs at once, and returns the number of their attempts.
async fn attempts_at(client: &Client, row: &'static str) -> Result<usize, Error> {
    let attempts = AtomicUsize::new(0);
    let add = || {
        client.run(async |tx| {
            attempts.fetch_add(1, Ordering::Relaxed);
            let before = tx.get(row, &column()).await?;
            sleep(Duration::from_millis(10)).await;
            let length = before.map_or(0, |value| value.len());
            tx.set(row, &column(), vec![b'|'; length + 1])?;
            Ok::<_, Error>(())
        })
    };
    futures::future::try_join_all((0..RUNS).map(|_| add())).await?;
    let value = client.snapshot().await?.get(row, &column()).await?;
    assert_eq!(value.map(|value| value.len()), Some(RUNS));
    Ok(attempts.into_inner())
}

const RUNS: usize = 16;
/// All first attempts conflict but one; each further attempt has a turn. Without turns each commit
/// costs the other runs an attempt: more than a hundred attempts.
const ATTEMPTS: usize = RUNS + RUNS - 1;

/// Runs a body in a turn at `alice`: its first attempt conflicts there.
async fn in_turn<F>(client: &Client, runner: &Runner, body: impl Fn() -> F) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>>,
{
    let attempts = AtomicUsize::new(0);
    let run = runner.run(async |tx| {
        match attempts.fetch_add(1, Ordering::Relaxed) {
            0 => client.run(async |first| first.set("alice", &column(), "first")).await?,
            _ => body().await?,
        }
        tx.set("alice", &column(), "late")?;
        tx.set("bob", &column(), "late")
    });
    run.await
}

/// Runs a future while a run is in its turn, which lasts for a second and needs one permit.
async fn during_a_turn(
    client: &Client,
    permits: &Semaphore,
    other: impl Future<Output = Result<(), Error>>,
) {
    let begun = Notify::new();
    let body = async || {
        begun.notify_one();
        sleep(Duration::from_secs(1)).await;
        drop(permits.acquire().await.unwrap());
        Ok(())
    };
    let other = async {
        begun.notified().await;
        other.await
    };
    futures::future::try_join(in_turn(client, &client.runner(), body), other).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn runs_that_conflicted_on_one_cell_take_turns() {
    assert_eq!(attempts_at(&client().await, "alice").await.unwrap(), ATTEMPTS);
}

#[tokio::test(start_paused = true)]
async fn runs_of_another_client_within_a_turn_take_turns() {
    let fixture = Fixture::in_memory().await;
    let (client, other) = (fixture.client().await, fixture.client().await);
    let attempts = AtomicUsize::new(0);
    let body = async || {
        attempts.store(attempts_at(&other, "carol").await?, Ordering::Relaxed);
        Ok(())
    };
    in_turn(&client, &client.runner(), body).await.unwrap();
    assert_eq!(attempts.into_inner(), ATTEMPTS);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_at_another_cell_does_not_grow_the_pause() {
    let attempt = Duration::from_millis(100);
    let (client, asked, number) = (client().await, Asked::default(), AtomicUsize::new(0));
    let runner = asked.by(client.runner(), |attempt| attempt.policy_decision);
    let body = async || {
        if number.fetch_add(1, Ordering::Relaxed) == 0 {
            sleep(attempt).await;
            client.run(async |first| first.set("bob", &column(), "first")).await?;
        }
        Ok(())
    };
    in_turn(&client, &runner, body).await.unwrap();
    assert_eq!(asked.numbers(), [1, 2]);
    assert!(pause(asked.planned()[1]) < attempt / 2, "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn the_wait_of_a_first_attempt_does_not_count_as_an_attempt() {
    let (client, asked, bodies) = (client().await, Asked::default(), AtomicUsize::new(0));
    let twice = policy().max_attempts(NonZeroU32::new(2));
    let runner = asked.by(client.runner().retry(twice), |attempt| attempt.policy_decision);
    let waits = runner.run(async |tx| {
        if bodies.fetch_add(1, Ordering::Relaxed) == 1 {
            client.run(async |first| first.set("alice", &column(), "first")).await?;
        }
        tx.set("alice", &column(), "waited")
    });
    during_a_turn(&client, &Semaphore::new(1), waits).await;
    assert_eq!(asked.numbers(), [1]);
    assert_eq!(bodies.into_inner(), 3);
    assert_eq!(alice(&client).await.as_deref(), Some(&b"waited"[..]));
}

#[tokio::test(start_paused = true)]
async fn the_only_attempt_of_a_run_waits_for_no_turn() {
    let client = client().await;
    let once = client.runner().retry(policy().max_attempts(NonZeroU32::new(1)));
    let does_not_wait = async {
        let begun = Instant::now();
        once.run(async |tx| tx.set("alice", &column(), "once")).await?;
        assert!(begun.elapsed() <= TICK, "{:?}", begun.elapsed());
        Ok(())
    };
    during_a_turn(&client, &Semaphore::new(1), does_not_wait).await;
}

/// The run whose turn it is may need what the result holds.
#[tokio::test(start_paused = true)]
async fn a_first_attempt_drops_its_result_before_it_waits() {
    let (client, permits) = (client().await, Arc::new(Semaphore::new(1)));
    let waits = async {
        let begun = Instant::now();
        let body = async |tx: Transaction| {
            let permit = permits.clone().acquire_owned().await.unwrap();
            tx.set("alice", &column(), "waited")?;
            Ok::<_, Error>(permit)
        };
        drop(client.run(body).await?);
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        Ok(())
    };
    during_a_turn(&client, &permits, waits).await;
}

/// Several transactions may lock a cell for their reads at once.
#[tokio::test(start_paused = true)]
async fn a_read_lock_waits_for_no_turn() {
    let client = client().await;
    let with_read_lock = async {
        let begun = Instant::now();
        let body = async |tx: Transaction| {
            tx.with_read_lock().get("alice", &column()).await?;
            tx.set("carol", &column(), "1")
        };
        client.run(body).await?;
        assert!(begun.elapsed() <= TICK, "{:?}", begun.elapsed());
        Ok(())
    };
    during_a_turn(&client, &Semaphore::new(1), with_read_lock).await;
}

/// Pauses grow in turns for the sake of other clients.
#[tokio::test(start_paused = true)]
async fn a_conflict_with_a_lock_of_the_same_client_does_not_grow_the_pause() {
    let attempt = Duration::from_millis(100);
    let (fixture, writes) = (Fixture::in_memory().await, Arc::new(AtomicUsize::new(0)));
    let held = Arc::new(Latch::default());
    let (counted, latch) = (writes.clone(), held.clone());
    let hooks = move |call: &Call| {
        // The first write locks the cells, and the second one commits.
        let is_held = matches!(call, Call::WriteConditional(_))
            && counted.load(Ordering::Relaxed) > 0
            && counted.fetch_add(1, Ordering::Relaxed) == 2;
        let latch = latch.clone();
        async move {
            if is_held {
                latch.pass().await;
            }
            Ok(None)
        }
    };
    let table = Intercepted::with_hooks(fixture.table.clone(), hooks).row_by_row();
    let client = fixture.client_of(Arc::new(table), ClientOptions::new()).await;
    let (asked, opens) = (Asked::default(), held.clone());
    let runner = asked.by(client.runner(), move |attempt| {
        if attempt.number == 2 {
            opens.open();
        }
        attempt.policy_decision
    });
    let body = async || {
        if writes.load(Ordering::Relaxed) == 0 {
            writes.store(1, Ordering::Relaxed);
            let locks = client.run(async |tx| tx.set("alice", &column(), "locked"));
            timeout(attempt, locks).await.unwrap_err();
        }
        Ok(())
    };
    in_turn(&client, &runner, body).await.unwrap();
    let CommitError::Conflict(conflict) = &asked.seen()[1].error else {
        panic!("{asked:?}");
    };
    let other = conflict.other.unwrap();
    let own = client.transactor();
    assert!(matches!(other, ConflictCause::Locking { transactor, .. } if transactor == own));
    assert!(pause(asked.planned()[1]) < attempt / 2, "{asked:?}");
}
