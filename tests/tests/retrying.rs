#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
//! A runner meets real conflicts: how often it tries again, after which pauses, and who decides. Time is not waited for.

use std::error::Error as _;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fluo_core::admin::{Initialization, initialize};
use fluo_core::coordination::{Applications, MemoryApplications};
use fluo_core::{
    Attempt, Authorizations, Client, ClientSettings, Column, CommitError, Conflict, Decision,
    Error, ErrorKind, MemoryTables, OtherTransaction, RetryPolicy, Runner, Stale, TableAdmin,
    Timestamp,
};
use tokio::time::{Instant, sleep};

/// What tokio's timers round a pause up by, at most.
const TICK: Duration = Duration::from_millis(2);

async fn client_with(settings: ClientSettings) -> Client {
    let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
    let bank = Initialization::new("8d2fa41c", "bank");
    initialize(&tables, &applications, "bank", bank)
        .await
        .unwrap();
    let table = tables
        .open_table("bank", Authorizations::none())
        .await
        .unwrap();
    let coordination = applications.open("bank").await.unwrap();
    Client::open(table, coordination, settings).await.unwrap()
}

async fn client() -> Client {
    client_with(ClientSettings::default()).await
}

fn column() -> Column {
    Column::new("account", "balance")
}

fn policy() -> RetryPolicy {
    RetryPolicy {
        first_pause: Duration::from_millis(100),
        longest_pause: Duration::from_millis(400),
        ..RetryPolicy::default()
    }
}

/// What the hook was told of an attempt.
#[derive(Clone, Debug)]
struct Seen {
    number: u32,
    start: Timestamp,
    elapsed: Duration,
    planned: Decision,
    error: CommitError,
    at: Instant,
}

/// What the hook was told, in order.
#[derive(Clone, Debug, Default)]
struct Asked(Arc<Mutex<Vec<Seen>>>);

impl Asked {
    /// A runner whose hook notes what it is told, and answers with what `decide` makes of it.
    fn by(
        &self,
        runner: Runner,
        decide: impl Fn(&Attempt<'_>) -> Decision + Send + Sync + 'static,
    ) -> Runner {
        let asked = self.clone();
        runner.before_decision(move |attempt| {
            asked.0.lock().unwrap().push(Seen {
                number: attempt.number,
                start: attempt.start,
                elapsed: attempt.elapsed,
                planned: attempt.planned,
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

    fn planned(&self) -> Vec<Decision> {
        self.seen().iter().map(|seen| seen.planned).collect()
    }
}

/// What the attempts of one run did.
#[derive(Debug, Default)]
struct Tried {
    /// Where each of them read, and when it began.
    begun: Mutex<Vec<(Timestamp, Instant)>>,
}

impl Tried {
    fn starts(&self) -> Vec<Timestamp> {
        self.begun.lock().unwrap().iter().map(|it| it.0).collect()
    }

    fn times(&self) -> Vec<Instant> {
        self.begun.lock().unwrap().iter().map(|it| it.1).collect()
    }

    /// Writes an account as a transaction, before which another one writes the same, in each of the first `conflicts`
    /// attempts.
    async fn run(&self, client: &Client, runner: &Runner, conflicts: usize) -> Result<(), Error> {
        runner
            .run(async |tx| {
                let before = {
                    let mut begun = self.begun.lock().unwrap();
                    begun.push((tx.start(), Instant::now()));
                    begun.len()
                };
                if before <= conflicts {
                    client
                        .run(async |first| first.set("alice", &column(), "first"))
                        .await?;
                }
                tx.set("alice", &column(), "late")
            })
            .await
    }
}

async fn alice(client: &Client) -> Option<fluo_core::Bytes> {
    let now = client.snapshot().await.unwrap();
    now.get("alice", &column()).await.unwrap()
}

fn pause(decision: Decision) -> Duration {
    match decision {
        Decision::RetryAfter(pause) => pause,
        Decision::GiveUp => panic!("it gives up"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_hook_is_told_of_each_attempt_that_failed_before_anything_is_done_about_it() {
    let (client, asked, tried) = (client().await, Asked::default(), Tried::default());
    let runner = asked.by(client.runner().retry(policy()), |attempt| attempt.planned);
    let begun = Instant::now();
    tried.run(&client, &runner, 5).await.unwrap();
    assert_eq!(alice(&client).await.as_deref(), Some(&b"late"[..]));

    assert_eq!(asked.numbers(), [1, 2, 3, 4, 5]);
    let (seen, starts, times) = (asked.seen(), tried.starts(), tried.times());
    assert_eq!(starts.len(), 6);
    assert!(starts.is_sorted_by(|one, next| one < next), "{starts:?}");
    let mut whole = policy().first_pause;
    for (attempt, seen) in seen.iter().enumerate() {
        assert_eq!(seen.start, starts[attempt]);
        assert_eq!(begun + seen.elapsed, seen.at);
        // It is asked at once, and the pause that it agrees to is made before the next attempt.
        assert_eq!(seen.at, times[attempt]);
        let pause = pause(seen.planned);
        let waited = times[attempt + 1] - seen.at;
        assert!(
            waited >= pause && waited <= pause + TICK,
            "{waited:?} for {pause:?}"
        );
        // Pauses grow, twofold up to the longest; each is cut by less than a half.
        assert!(
            pause <= whole && pause > whole / 2,
            "{pause:?} of {whole:?}"
        );
        whole = (whole * 2).min(policy().longest_pause);
        let CommitError::Conflict(conflict) = &seen.error else {
            panic!("{:?}", seen.error);
        };
        assert_eq!(conflict.start, seen.start);
        assert_eq!(conflict.cells[0].row, "alice");
        let other = conflict.other.unwrap();
        assert!(
            matches!(other, OtherTransaction::Committed { start, .. } if start > seen.start),
            "{other:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_hook_answers_is_done_in_place_of_what_was_planned() {
    let (client, asked, tried) = (client().await, Asked::default(), Tried::default());
    let runner = asked.by(client.runner().retry(policy()), |attempt| {
        match attempt.number {
            1 => Decision::RetryAfter(Duration::from_secs(77)),
            _ => Decision::GiveUp,
        }
    });
    let error = tried.run(&client, &runner, 9).await.unwrap_err();
    assert_eq!(asked.numbers(), [1, 2]);
    // The policy would have gone on, after short pauses.
    for planned in asked.planned() {
        assert!(pause(planned) < Duration::from_secs(1));
    }
    let times = tried.times();
    let waited = times[1] - times[0];
    let wanted = Duration::from_secs(77);
    assert!(
        waited >= wanted && waited <= wanted + TICK,
        "{waited:?} for {wanted:?}"
    );
    is_the_conflict_of(&error, tried.starts()[1]);
    assert_eq!(alice(&client).await.as_deref(), Some(&b"first"[..]));

    // The other way round: the policy gives up, and the hook does not.
    let (asked, tried) = (Asked::default(), Tried::default());
    let once = RetryPolicy {
        max_attempts: NonZeroU32::new(1),
        ..policy()
    };
    let runner = asked.by(client.runner().retry(once), |_| {
        Decision::RetryAfter(Duration::ZERO)
    });
    tried.run(&client, &runner, 3).await.unwrap();
    assert_eq!(asked.planned(), [Decision::GiveUp; 3]);
    assert_eq!(tried.starts().len(), 4);
    assert_eq!(alice(&client).await.as_deref(), Some(&b"late"[..]));
}

/// The error of a run that was given up: its kind, its sentence, and the conflict of the last attempt as its source.
fn is_the_conflict_of(error: &Error, start: Timestamp) {
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let source = error.source().and_then(|it| it.downcast_ref::<Conflict>());
    let conflict = source.unwrap();
    assert_eq!(conflict.start, start);
    assert_eq!(error.to_string(), conflict.to_string());
}

#[tokio::test(start_paused = true)]
async fn a_runner_gives_up_after_the_most_attempts() {
    let (client, asked, tried) = (client().await, Asked::default(), Tried::default());
    let three = RetryPolicy {
        max_attempts: NonZeroU32::new(3),
        ..policy()
    };
    let runner = asked.by(client.runner().retry(three), |attempt| attempt.planned);
    let error = tried.run(&client, &runner, 9).await.unwrap_err();
    is_the_conflict_of(&error, tried.starts()[2]);
    assert_eq!(tried.starts().len(), 3);
    let planned = asked.planned();
    assert_eq!(planned.len(), 3);
    assert!(pause(planned[0]) < pause(planned[1]));
    assert_eq!(planned[2], Decision::GiveUp);

    // So it does where nobody is asked, and the last of so many may commit.
    let (silent, tried) = (client.runner().retry(three), Tried::default());
    tried.run(&client, &silent, 9).await.unwrap_err();
    assert_eq!(tried.starts().len(), 3);
    let tried = Tried::default();
    tried.run(&client, &silent, 2).await.unwrap();
    assert_eq!(tried.starts().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_runner_gives_up_after_the_longest_time() {
    let (client, asked, tried) = (client().await, Asked::default(), Tried::default());
    let ten_seconds = RetryPolicy {
        max_elapsed: Duration::from_secs(10),
        first_pause: Duration::from_secs(1),
        longest_pause: Duration::from_secs(2),
        max_attempts: None,
    };
    let runner = asked.by(client.runner().retry(ten_seconds), |it| it.planned);
    let error = tried.run(&client, &runner, 100).await.unwrap_err();
    let seen = asked.seen();
    let (last, before) = seen.split_last().unwrap();
    assert!(before.len() >= 5, "{before:?}");
    for seen in before {
        assert!(seen.elapsed < ten_seconds.max_elapsed);
        assert_ne!(seen.planned, Decision::GiveUp);
    }
    assert_eq!(last.planned, Decision::GiveUp);
    let most = ten_seconds.max_elapsed + ten_seconds.longest_pause + TICK;
    assert!(
        last.elapsed >= ten_seconds.max_elapsed && last.elapsed <= most,
        "{last:?}"
    );
    is_the_conflict_of(&error, last.start);
}

/// A transaction that is too old has met nobody, and is tried again all the same.
#[tokio::test(start_paused = true)]
async fn the_hook_is_told_of_one_that_has_become_stale() {
    let age = Duration::from_secs(2);
    let settings = ClientSettings {
        max_transaction_age: age,
        ..ClientSettings::default()
    };
    let (client, asked) = (client_with(settings).await, Asked::default());
    let runner = asked.by(client.runner().retry(policy()), |attempt| {
        match attempt.number {
            1 => attempt.planned,
            _ => Decision::GiveUp,
        }
    });
    let stale = runner
        .run(async |tx| {
            // One who asks nobody would go on for ever.
            assert!(asked.numbers().len() < 5);
            sleep(age * 2).await;
            client.advance_horizon().await?;
            tx.set("alice", &column(), "late")
        })
        .await
        .unwrap_err();
    assert_eq!(asked.numbers(), [1, 2]);
    for seen in asked.seen() {
        let CommitError::Stale(stale) = seen.error else {
            panic!("{:?}", seen.error);
        };
        assert_eq!(stale.start, seen.start);
        assert!(stale.horizon > stale.start);
        assert!(seen.elapsed >= age * 2 * seen.number);
    }
    assert_eq!(stale.kind(), ErrorKind::Unavailable);
    assert!(stale.source().unwrap().is::<Stale>(), "{stale:?}");
    assert_eq!(alice(&client).await, None);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_body_that_fails_or_a_commit_that_succeeds() {
    let (client, asked) = (client().await, Asked::default());
    let runner = asked.by(client.runner(), |_| Decision::RetryAfter(Duration::ZERO));
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
