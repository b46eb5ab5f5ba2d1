//! Repeated compactions on paused time, by a compactor that sleeps.

use std::future::pending;

use fluo_engine::Instance;
use tokio::task::JoinHandle;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// The starts and the ends of all runs, in seconds, with the first row of the range.
#[derive(Clone, Default)]
struct Runs(Arc<Mutex<Vec<String>>>);

impl Runs {
    fn add(&self, what: &str, span: &Span, start: Instant) {
        let row = String::from_utf8_lossy(&span.start().row).into_owned();
        let (row, second) = (row.trim_end_matches('\0'), start.elapsed().as_secs());
        self.0.lock().unwrap().push(format!("{second} {what} {row}"));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Creates a compaction of ranges with these ids, each of which begins at the row of its name. Each
/// run takes `seconds`. The runs of the range `bad` fail.
fn compaction(ids: &[&str], seconds: u32) -> (TransientCompaction, Runs) {
    let range = |id: &&str| TransientRange::new(*id, (*id).to_owned(), "~").unwrap();
    let ranges = ids.iter().map(range);
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

/// A repeated compaction in a task of its own.
struct Repeated {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<()>>,
}

impl Repeated {
    fn start(compaction: TransientCompaction, interval: u32) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            compaction.repeat_until(SECOND * interval, stopped).await
        });
        Self { stop, task }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
}

/// Lets the tasks run for this time and a moment longer.
async fn pass(seconds: u32) {
    sleep(SECOND * seconds + Duration::from_millis(100)).await;
}

#[tokio::test(start_paused = true)]
async fn pauses_for_the_interval_after_a_short_run() {
    let (compaction, runs) = compaction(&["a"], 10);
    let _repeated = Repeated::start(compaction, 60);
    pass(140).await;
    assert_eq!(runs.take(), ["0 begin a", "10 end a", "70 begin a", "80 end a", "140 begin a"]);
}

#[tokio::test(start_paused = true)]
async fn pauses_for_a_multiple_of_a_long_run() {
    let (compaction, runs) = compaction(&["a"], 30);
    let _repeated = Repeated::start(compaction.multiplier(4), 60);
    pass(150).await;
    assert_eq!(runs.take(), ["0 begin a", "30 end a", "150 begin a"]);
}

#[tokio::test(start_paused = true)]
async fn repeats_one_range_at_a_time() {
    let (compaction, runs) = compaction(&["a", "b", "c"], 10);
    let _repeated = Repeated::start(compaction, 600);
    pass(30).await;
    assert_eq!(
        runs.take(),
        ["0 begin a", "10 end a", "10 begin b", "20 end b", "20 begin c", "30 end c"]
    );
}

#[tokio::test(start_paused = true)]
async fn repeats_a_range_that_failed() {
    let (compaction, runs) = compaction(&["bad", "good"], 5);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let compaction = compaction.on_compacted({
        let seen = seen.clone();
        move |one| {
            let result = one.result.as_ref().map_err(ToString::to_string).copied();
            seen.lock().unwrap().push((one.range.id().to_owned(), result));
        }
    });
    let _repeated = Repeated::start(compaction, 60);
    pass(80).await;
    let (bad, good) = ("bad".to_owned(), "good".to_owned());
    let both = [(bad, Err("no server".to_owned())), (good, Ok(()))];
    assert_eq!(*seen.lock().unwrap(), [both.clone(), both].concat());
    assert_eq!(runs.take().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_runs_in_progress_and_begins_none() {
    let (compaction, runs) = compaction(&["a", "b"], 10);
    let (start, repeated) = (Instant::now(), Repeated::start(compaction, 60));
    pass(5).await;
    repeated.stop().await;
    assert_eq!(start.elapsed().as_secs(), 10);
    pass(1_000).await;
    assert_eq!(runs.take(), ["0 begin a", "10 end a"]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_pause_at_once() {
    let (compaction, runs) = compaction(&["a"], 1);
    let (start, repeated) = (Instant::now(), Repeated::start(compaction, 600));
    pass(2).await;
    repeated.stop().await;
    assert_eq!((runs.take().len(), start.elapsed().as_secs()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_drop_cancels_runs_in_progress() {
    let (compaction, runs) = compaction(&["a"], 10);
    let repeated = compaction.repeat_until(60 * SECOND, pending());
    assert!(tokio::time::timeout(5 * SECOND, repeated).await.is_err());
    pass(1_000).await;
    assert_eq!(runs.take(), ["0 begin a"]);
}

#[tokio::test]
async fn rejects_an_interval_of_zero() {
    let (compaction, runs) = compaction(&["a"], 10);
    let refused = compaction.repeat_until(Duration::ZERO, pending()).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the interval between two compactions is 0; give a pause, such as 10 minutes"
    );
    assert!(runs.take().is_empty());
}

/// The Java command multiplies in 32 bits, so 30 days become a negative pause.
#[tokio::test(start_paused = true)]
async fn a_long_interval_does_not_overflow() {
    let (compaction, runs) = compaction(&["a"], 10);
    let month = 30 * 24 * 3_600;
    let _repeated = Repeated::start(compaction.multiplier(u32::MAX), month);
    pass(month).await;
    assert_eq!(runs.take(), ["0 begin a", "10 end a"]);
}

/// Two processes of an application compacted each range twice as often as the schedule said.
#[tokio::test(start_paused = true)]
async fn one_process_of_an_application_compacts_a_range() {
    let fluo = Instance::in_memory();
    let client = client(&fluo, &["cfm.q!dead"]).await;
    let start = |client: &Client| {
        let runs = Arc::new(Mutex::new(0));
        let counted = runs.clone();
        let compaction = TransientCompaction::for_client(client, Arc::new(fluo.clone())).unwrap();
        let compaction = compaction.on_compacted(move |_| *counted.lock().unwrap() += 1);
        (Repeated::start(compaction, 60), runs)
    };
    let other = fluo.application("web").open().await.unwrap();
    let ((first, first_runs), (second, second_runs)) = (start(&client), start(&other));
    pass(300).await;
    let runs = [&first_runs, &second_runs].map(|runs| *runs.lock().unwrap());
    assert_eq!(runs, [6, 0]);
    first.stop().await;
    pass(120).await;
    assert!(*second_runs.lock().unwrap() >= 1, "it takes over");
    second.stop().await;
}
