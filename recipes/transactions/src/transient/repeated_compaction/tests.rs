//! Repeated compactions on paused time, by a compactor that sleeps.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use fluo_engine::{Client, ErrorKind, Instance, InstanceExt, Span};
use tokio::time::Instant;

use super::*;
use crate::transient::TransientRanges;

const SECOND: Duration = Duration::from_secs(1);

/// The starts and the ends of all runs, in seconds, with the first row of the range.
#[derive(Clone, Default)]
struct Runs(Arc<Mutex<Vec<String>>>);

impl Runs {
    fn add(&self, what: &str, span: &Span, start: Instant) {
        let row = String::from_utf8_lossy(&span.start().row).into_owned();
        let (row, second) = (row.trim_end_matches('\0'), start.elapsed().as_secs());
        self.0
            .lock()
            .unwrap()
            .push(format!("{second} {what} {row}"));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Creates a compaction of ranges with these ids, each of which begins at the row of its name. Each
/// run takes `seconds`. The runs of the range `bad` fail.
fn compaction(ids: &[&str], seconds: u32) -> (TransientCompaction, Runs) {
    let range = |id: &&str| TransientRange::new(*id, (*id).to_owned(), "~").unwrap();
    let ranges: TransientRanges = ids.iter().map(range).collect();
    let (runs, start) = (Runs::default(), Instant::now());
    let compaction = TransientCompaction::with_compactor(ranges, {
        let runs = runs.clone();
        move |span| {
            let runs = runs.clone();
            async move {
                runs.add("begin", &span, start);
                sleep(SECOND * seconds).await;
                runs.add("end", &span, start);
                match span.start().row.starts_with(b"bad") {
                    true => Err(fluo_engine::Error::new(ErrorKind::Unavailable, "no server")),
                    false => Ok(()),
                }
            }
        }
    });
    (compaction, runs)
}

fn every(seconds: u32) -> CompactionSchedule {
    CompactionSchedule::new(SECOND * seconds).unwrap()
}

/// Lets the tasks run for this time and a moment longer.
async fn pass(seconds: u32) {
    sleep(SECOND * seconds + Duration::from_millis(100)).await;
}

#[tokio::test(start_paused = true)]
async fn pauses_for_the_interval_after_a_short_run() {
    let (compaction, runs) = compaction(&["a"], 10);
    let repeated = compaction.repeat(every(60));
    pass(140).await;
    assert_eq!(
        runs.take(),
        [
            "0 begin a",
            "10 end a",
            "70 begin a",
            "80 end a",
            "140 begin a"
        ]
    );
    drop(repeated);
}

#[tokio::test(start_paused = true)]
async fn pauses_for_a_multiple_of_a_long_run() {
    let (compaction, runs) = compaction(&["a"], 30);
    let repeated = compaction.repeat(every(60).multiplier(4));
    pass(150).await;
    assert_eq!(runs.take(), ["0 begin a", "30 end a", "150 begin a"]);
    drop(repeated);
}

#[tokio::test(start_paused = true)]
async fn compacts_at_most_as_many_ranges_at_once_as_allowed() {
    let (one, runs) = compaction(&["a", "b", "c"], 10);
    let repeated = one.repeat(every(600));
    pass(30).await;
    assert_eq!(
        runs.take(),
        [
            "0 begin a",
            "10 end a",
            "10 begin b",
            "20 end b",
            "20 begin c",
            "30 end c"
        ]
    );
    drop(repeated);

    let (two, runs) = compaction(&["a", "b", "c"], 10);
    let two = two.ranges_at_once(NonZeroUsize::new(2).unwrap());
    let repeated = two.repeat(every(600));
    pass(5).await;
    assert_eq!(runs.take(), ["0 begin a", "0 begin b"]);
    pass(10).await;
    assert_eq!(runs.take(), ["10 end a", "10 end b", "10 begin c"]);
    drop(repeated);
}

#[tokio::test(start_paused = true)]
async fn repeats_a_range_that_failed() {
    let (compaction, runs) = compaction(&["bad", "good"], 5);
    let repeated = compaction.repeat(every(60));
    let status = repeated.status();
    assert_eq!((status["bad"].runs, status["bad"].last_duration), (0, None));
    pass(2).await;
    assert!(repeated.status()["bad"].is_running);
    assert!(!repeated.status()["good"].is_running);
    pass(78).await;
    let status = repeated.status();
    assert_eq!((status["bad"].runs, status["bad"].failures), (2, 2));
    assert_eq!((status["good"].runs, status["good"].failures), (2, 0));
    assert_eq!(status["bad"].last_duration, Some(5 * SECOND));
    let error = |id: &str| status[id].last_error.as_ref().map(ToString::to_string);
    assert_eq!(
        (error("bad"), error("good")),
        (Some("no server".to_owned()), None)
    );
    assert_eq!(runs.take().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_runs_in_progress_and_begins_none() {
    let (compaction, runs) = compaction(&["a", "b"], 10);
    let (start, repeated) = (Instant::now(), compaction.repeat(every(60)));
    pass(5).await;
    let status = repeated.stop().await;
    assert_eq!(start.elapsed().as_secs(), 10);
    assert_eq!((status["a"].runs, status["b"].runs), (1, 0));
    pass(1_000).await;
    assert_eq!(runs.take(), ["0 begin a", "10 end a"]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_pause_at_once() {
    let (compaction, _) = compaction(&["a"], 1);
    let (start, repeated) = (Instant::now(), compaction.repeat(every(600)));
    pass(2).await;
    let status = repeated.stop().await;
    assert_eq!((status["a"].runs, start.elapsed().as_secs()), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_drop_cancels_runs_in_progress() {
    let (compaction, runs) = compaction(&["a"], 10);
    let repeated = compaction.repeat(every(60));
    pass(5).await;
    drop(repeated);
    pass(1_000).await;
    assert_eq!(runs.take(), ["0 begin a"]);
}

/// Two processes of an application compacted each range twice as often as the schedule said.
#[tokio::test(start_paused = true)]
async fn one_process_of_an_application_compacts_a_range() {
    let fluo = Instance::in_memory();
    let (name, value) = TransientRange::new("cfm.q!dead", "q", "r")
        .unwrap()
        .to_setting();
    let client = fluo
        .application("web")
        .set(name, value)
        .create()
        .await
        .unwrap();
    let start = |client: &Client| {
        let compaction = TransientCompaction::for_client(client, Arc::new(fluo.clone()));
        compaction.unwrap().repeat(every(60))
    };
    let other = fluo.application("web").open().await.unwrap();
    let (first, second) = (start(&client), start(&other));
    pass(300).await;
    let runs = |repeated: &RepeatedCompaction| repeated.status()["cfm.q!dead"].runs;
    assert_eq!([runs(&first), runs(&second)], [6, 0]);
    first.stop().await;
    pass(120).await;
    assert!(runs(&second) >= 1, "it takes over");
    second.stop().await;
}
