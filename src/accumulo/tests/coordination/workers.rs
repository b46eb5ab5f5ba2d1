//! Workers that watch each other.

use std::time::{Duration, Instant};

use fluo_table::coordination::{Application, Share, WorkerMembership};
use fluo_table::{Error, ErrorKind, Span};
use fluo_tests::until;
use fluo_zookeeper::Operation;
use tokio::time::sleep;

use crate::ground::{Ground, Process};

const FINDERS: &str = "/fluo/web/finders";
const SPLITS: &str = "/fluo/web/finders/splits";

/// The split point `m`, as Java stores it.
const SPLIT_AT_M: &[u8] = &[
    0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff, 0x63, 0x60, 0x60, 0x60, 0x64, 0, 0xe2, 0x5c, 0, 0xaf,
    0xeb, 0x4d, 0x07, 0x09, 0, 0, 0,
];

/// Two processes, the first of which has a worker that keeps the split points.
struct Workers {
    ground: Ground,
    first: Process,
    /// The process whose worker is observed.
    second: Process,
    keeper: Box<dyn WorkerMembership>,
}

impl Workers {
    async fn new(settings: &[(&str, &str)]) -> Self {
        let ground = Ground::new().await;
        let (first, second) = (ground.process().await, ground.process().await);
        first.initialize_with(settings).await;
        let keeper = first.open().await.join_workers().await.unwrap();
        keeper.share().await.unwrap();
        Self { ground, first, second, keeper }
    }

    /// Joins a worker of the second process.
    async fn join(&self) -> Box<dyn WorkerMembership> {
        self.second.open().await.join_workers().await.unwrap()
    }

    /// Joins another worker of the first process.
    async fn join_first(&self) -> Box<dyn WorkerMembership> {
        self.first.open().await.join_workers().await.unwrap()
    }
}

/// Returns the number of workers that share the rows of a worker.
fn divisor(share: &Share) -> u32 {
    share.partition().divisor().get()
}

/// Waits until a worker is one of this many.
async fn wait_for(worker: &dyn WorkerMembership, workers: u32) {
    let known = async || worker.share().await.unwrap().as_ref().map(divisor);
    until("the share", async || known().await == Some(workers)).await;
}

/// Waits until a worker, which is one of this many, has no share.
async fn wait_for_pause(worker: &dyn WorkerMembership, workers: u32) {
    until("the pause", async || {
        let share = worker.share().await.unwrap();
        let known = share.as_ref().map(divisor);
        assert!(known.is_none_or(|known| known == workers), "no pause before {known:?}");
        known.is_none()
    })
    .await;
}

/// Returns the number of reads of a process.
fn reads(process: &Process) -> u64 {
    let reads = [Operation::Exists, Operation::GetData, Operation::GetChildren, Operation::Sync];
    reads.map(|read| process.link.count(read)).iter().sum()
}

/// A worker listed the nodes of all workers whenever it asked for its share, and every five seconds
/// it read all of them and the split points.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_sends_no_request() {
    let workers = Workers::new(&[]).await;
    let worker = workers.join().await;
    wait_for(&*worker, 2).await;
    wait_for(&*workers.keeper, 2).await;
    let before = (workers.first.link.count_all(), workers.second.link.count_all());
    for _ in 0..500 {
        assert_eq!(worker.share().await.unwrap().as_ref().map(divisor), Some(2));
        workers.keeper.share().await.unwrap();
    }
    let after = (workers.first.link.count_all(), workers.second.link.count_all());
    assert_eq!(after, before);
}

/// One more worker costs one list and one read, however many there are.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_reads_only_what_has_changed() {
    let workers = Workers::new(&[]).await;
    let worker = workers.join().await;
    for count in 3..=6 {
        wait_for(&*worker, count - 1).await;
        let before = reads(&workers.second);
        // Stays until the end of the test.
        std::mem::forget(workers.join_first().await);
        wait_for(&*worker, count).await;
        assert_eq!(reads(&workers.second) - before, 2);
    }
    let before = reads(&workers.second);
    let split = workers.ground.client.set_data(SPLITS, SPLIT_AT_M, None);
    split.await.unwrap();
    until("a read", async || reads(&workers.second) > before).await;
    wait_for(&*worker, 6).await;
    assert_eq!(reads(&workers.second) - before, 1);
}

const PAUSE: Duration = Duration::from_millis(3_000);
const GROUP_SIZE: &str = "fluo.impl.worker.finder.partition.groupSize";
const PAUSES: (&str, &str) = ("fluo.impl.worker.finder.maxSleep", "3000");

/// The pause after a change began when the worker next asked for its share, seconds later.
#[tokio::test(flavor = "multi_thread")]
async fn the_pause_begins_with_the_event() {
    let workers = Workers::new(&[PAUSES]).await;
    let worker = workers.join().await;
    wait_for(&*worker, 2).await;
    let mut others = Vec::new();
    // Two changes: the first event must not be the last one.
    for count in [3, 4] {
        let joined = Instant::now();
        let other = workers.join_first().await;
        let share = other.share().await.unwrap();
        assert!(share.is_none() || joined.elapsed() >= PAUSE, "a worker begins with a pause");
        wait_for_pause(&*worker, count - 1).await;
        wait_for(&*worker, count).await;
        assert!(joined.elapsed() >= PAUSE);
        others.push(other);
    }
    let left = Instant::now();
    // A worker that is stopped leaves a vacancy; this one is lost.
    let last = workers.ground.zookeeper.children(FINDERS).into_iter().rev().nth(1).unwrap();
    workers.ground.client.delete(&format!("{FINDERS}/{last}"), None).await.unwrap();
    wait_for_pause(&*worker, 4).await;
    wait_for(&*worker, 3).await;
    assert!(left.elapsed() >= PAUSE);
    // No call for the share.
    std::mem::forget(workers.join_first().await);
    sleep(2 * PAUSE).await;
    assert_eq!(worker.share().await.unwrap().as_ref().map(divisor), Some(4));
}

/// The node that an unanswered request had created was deleted in the background, possibly after
/// the worker had created it again.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_creation_had_no_answer_has_one_node() {
    let workers = Workers::new(&[]).await;
    let link = &workers.second.link;
    let join = async || {
        link.lose_answer(Operation::Multi, "f-");
        let (worker, ()) = tokio::join!(workers.join(), link.resume_after_cut());
        wait_for(&*worker, 2).await;
        worker
    };
    let worker = join().await;
    let nodes = workers.ground.zookeeper.children(FINDERS);
    assert_eq!(nodes.len(), 3, "two workers and the split points: {nodes:?}");
    link.expire_sessions();
    until("its end", async || worker.share().await.is_err()).await;
    let again = join().await;
    assert_eq!(workers.ground.zookeeper.children(FINDERS), nodes, "it has the same name");
    drop(again);
}

/// The call failed after some connections that broke in turn, and left its node behind for as long
/// as the session. The share of that node had no owner.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_creation_had_no_answer_waits_for_a_connection_that_lasts() {
    let workers = Workers::new(&[]).await;
    let link = &workers.second.link;
    link.lose_answer(Operation::Multi, "f-");
    let resume = async {
        for _ in 0..20 {
            link.wait_for_cut().await;
            link.lose_answer(Operation::Sync, "");
            link.resume();
        }
        link.resume_after_cut().await;
    };
    let (worker, ()) = tokio::join!(workers.join(), resume);
    wait_for(&*worker, 2).await;
    let nodes = workers.ground.zookeeper.children(FINDERS);
    assert_eq!(nodes.len(), 3, "two workers and the split points: {nodes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_join_and_leave_during_a_lost_connection_are_noticed() {
    let workers = Workers::new(&[]).await;
    let worker = workers.join().await;
    let link = &workers.second.link;
    wait_for(&*worker, 2).await;
    link.cut();
    let third = workers.join_first().await;
    link.resume();
    wait_for(&*worker, 3).await;
    // The event is sent, and lost with its connection.
    link.hold();
    drop(third);
    until("it has left", async || workers.ground.zookeeper.children(FINDERS).len() == 3).await;
    link.cut();
    link.release();
    link.resume();
    wait_for(&*worker, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn split_points_that_change_during_a_lost_connection_are_noticed() {
    let settings = [(GROUP_SIZE, "1")];
    let workers = Workers::new(&settings).await;
    let worker = workers.join().await;
    let wait_for_ranges = async |expected: &[Span]| {
        until("the ranges", async || {
            let share = worker.share().await.unwrap();
            share.is_some_and(|share| share.spans() == expected)
        })
        .await;
    };
    // The second of two groups, with the split points of the table.
    wait_for_ranges(&[Span::tablet(None, Some(b"g"))]).await;
    workers.second.link.cut();
    let split = workers.ground.client.set_data(SPLITS, SPLIT_AT_M, None);
    split.await.unwrap();
    workers.second.link.resume();
    wait_for_ranges(&[Span::tablet(Some(b"m"), None)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_joins_again_watches_in_its_new_session() {
    let workers = Workers::new(&[]).await;
    let coordination = workers.second.open().await;
    let ended = coordination.join_workers().await.unwrap();
    wait_for(&*ended, 2).await;
    workers.second.link.expire_sessions();
    wait_for(&*workers.keeper, 1).await;
    // A read that the end interrupts fails in another way.
    let has_ended = |error: Error| error.to_string() == Error::worker_ended().to_string();
    until("its end", async || ended.share().await.is_err_and(has_ended)).await;
    let again = coordination.join_workers().await.unwrap();
    wait_for(&*again, 2).await;
    drop(workers.keeper);
    wait_for(&*again, 1).await;
}

/// Covers a bug: such a setting was stored, and every worker and every look at workers failed.
#[tokio::test]
async fn a_wrong_setting_of_workers_is_not_stored() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let web = process.open().await;
    for (name, value) in [(PAUSES.0, "5 min"), (GROUP_SIZE, "0")] {
        let settings = [(name.to_owned(), value.to_owned())].into();
        let changed = web.update_settings(settings).await.unwrap_err();
        let other = Application::new("1", "other").set(name, value);
        let created = process.applications.initialize("other", other).await.unwrap_err();
        let told = format!("the setting `{name}` of the application is `{value}`; set it to ");
        for error in [changed, created] {
            assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
            assert!(error.to_string().starts_with(&told), "{error}");
        }
    }
    assert!(process.applications.open("other").await.is_err());
    web.join_workers().await.unwrap();
}
