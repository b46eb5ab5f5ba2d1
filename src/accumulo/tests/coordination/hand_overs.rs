//! Hand-overs: workers begin as soon as all others have given up their earlier shares.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fluo_accumulo::{Oracle, OracleOptions};
use fluo_engine::{Column, InstanceExt};
use fluo_table::coordination::{Coordination, Share, WorkerMembership};
use fluo_table::{Bytes, Error, Instance, MemoryTables};
use fluo_tests::until;
use fluo_zookeeper::Operation;
use futures::FutureExt;
use tokio::sync::{Notify, Semaphore};
use tokio::time::sleep;
use zookeeper_client::{Acls, CreateMode};

use crate::fake::gate;
use crate::ground::{Ground, Process};

const HAND_OVERS: &str = "/fluo/web/hand-overs";
const FINDERS: &str = "/fluo/web/finders";
const VACANCIES: &str = "/fluo/web/vacancies";
const OTHER: &str = "/fluo/web/finders/zzz";
/// The settings with which a pause lasts longer than any test: a minute.
const PAUSES: (&str, &str) = ("fluo.impl.worker.finder.maxSleep", "300000");
const PAUSE: Duration = Duration::from_secs(60);
const GROUP_SIZE: &str = "fluo.impl.worker.finder.partition.groupSize";

async fn ground() -> (Ground, Process) {
    ground_with("7").await
}

async fn ground_with(group_size: &str) -> (Ground, Process) {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize_with(&[PAUSES, (GROUP_SIZE, group_size)]).await;
    (ground, process)
}

async fn join(process: &Process) -> Box<dyn WorkerMembership> {
    process.open().await.join_workers().await.unwrap()
}

/// Two processes, each with a worker that has its share.
struct Pair {
    keeper: Box<dyn WorkerMembership>,
    joined: Box<dyn WorkerMembership>,
    first: Process,
    second: Process,
    ground: Ground,
}

async fn pair() -> Pair {
    let (ground, first) = ground().await;
    let second = ground.process().await;
    let (keeper, joined) = (join(&first).await, join(&second).await);
    wait_for_shares(&[&*keeper, &*joined]).await;
    Pair { keeper, joined, first, second, ground }
}

async fn workers(worker: &dyn WorkerMembership) -> Option<u32> {
    worker.share().await.unwrap().map(|share| share.partition().divisor().get())
}

/// Calls all workers in turns until each has its share, as one of all.
async fn wait_for_shares(all: &[&dyn WorkerMembership]) {
    let expected = u32::try_from(all.len()).ok();
    until("the shares", async || {
        let mut complete = true;
        for worker in all {
            complete &= workers(*worker).await == expected;
        }
        complete
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_begins_when_all_others_have_given_up_their_earlier_shares() {
    let (ground, first) = ground().await;
    let second = ground.process().await;
    let begun = Instant::now();
    let keeper = join(&first).await;
    wait_for_shares(&[&*keeper]).await;
    let joined = join(&second).await;
    for _ in 0..100 {
        assert_eq!(workers(&*joined).await, None, "the first worker uses its share");
    }
    // Its process has not learned that it has no share now, so it hands over with its next call.
    until("the change", async || workers(&*keeper).await.is_none()).await;
    for _ in 0..100 {
        assert_eq!(workers(&*joined).await, None, "the first worker has not handed over");
    }
    wait_for_shares(&[&*keeper, &*joined]).await;
    assert_eq!(ground.zookeeper.children(HAND_OVERS).len(), 2);
    second.link.expire_sessions();
    wait_for_shares(&[&*keeper]).await;
    assert_eq!(ground.zookeeper.children(HAND_OVERS).len(), 1);
    assert!(begun.elapsed() < PAUSE);
}

/// Otherwise another worker may begin before the caller knows that it has no share.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_hands_over_after_its_caller_has_no_share() {
    let (ground, first) = ground().await;
    let second = ground.process().await;
    let keeper = join(&first).await;
    wait_for_shares(&[&*keeper]).await;
    // What was noticed until now.
    while keeper.changed().now_or_never().is_some() {}
    let joined = join(&second).await;
    assert_eq!(workers(&*joined).await, None);
    keeper.changed().await;
    first.link.hold();
    let others = async {
        loop {
            assert_eq!(workers(&*joined).await, None, "a caller may still use another share");
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        now = workers(&*keeper) => assert_eq!(now, None),
        () = others => {}
    }
    first.link.release();
    wait_for_shares(&[&*keeper, &*joined]).await;
}

/// The list of workers is an earlier one again.
#[tokio::test(flavor = "multi_thread")]
async fn a_hand_over_for_an_earlier_list_does_not_count() {
    let Pair { ground, first: _first, second: _second, keeper, joined } = pair().await;
    let process = ground.process().await;
    let third = join(&process).await;
    wait_for_shares(&[&*keeper, &*joined, &*third]).await;
    process.link.expire_sessions();
    until("the change", async || workers(&*joined).await.is_none()).await;
    for _ in 0..100 {
        assert_eq!(workers(&*joined).await, None, "the first worker uses its share of three");
    }
    wait_for_shares(&[&*keeper, &*joined]).await;
}

/// Workers of Java do not take part.
#[tokio::test(flavor = "multi_thread")]
async fn workers_without_a_node_are_waited_for() {
    let (ground, first) = ground().await;
    let keeper = join(&first).await;
    wait_for_shares(&[&*keeper]).await;
    let begun = Instant::now();
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    ground.client.create(OTHER, b"7", &options).await.unwrap();
    until("the change", async || workers(&*keeper).await.is_none()).await;
    until("the node of the worker", async || {
        let now = workers(&*keeper).await;
        assert!(now.is_none() || begun.elapsed() >= PAUSE, "it begins beside a worker of Java");
        begun.elapsed() > Duration::from_millis(200)
    })
    .await;
    ground.client.delete(OTHER, None).await.unwrap();
    wait_for_shares(&[&*keeper]).await;
    assert!(begun.elapsed() < PAUSE);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_leaves_one_node() {
    let (ground, first) = ground().await;
    let second = ground.process().await;
    let keeper = join(&first).await;
    wait_for_shares(&[&*keeper]).await;
    let joined = join(&second).await;
    second.link.lose_answer(Operation::Multi, "hand-overs");
    let (_, ()) = tokio::join!(joined.share(), second.link.resume_after_cut());
    wait_for_shares(&[&*keeper, &*joined]).await;
    assert_eq!(ground.zookeeper.children(HAND_OVERS).len(), 2);
    first.link.lose_answer(Operation::Multi, "hand-overs");
    second.link.expire_sessions();
    until("the change", async || workers(&*keeper).await.is_none()).await;
    let (_, ()) = tokio::join!(keeper.share(), first.link.resume_after_cut());
    wait_for_shares(&[&*keeper]).await;
    assert_eq!(ground.zookeeper.children(HAND_OVERS).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_restarts_changes_no_other_share() {
    let Pair { ground, first: _first, second: _second, keeper, joined } = pair().await;
    let before = ground.zookeeper.children(FINDERS);
    let is_kept =
        async || assert_eq!(workers(&*keeper).await, Some(2), "the share of the other one");
    drop(joined);
    until("the vacancy", async || {
        is_kept().await;
        ground.zookeeper.children(VACANCIES).len() == 1
    })
    .await;
    let third = ground.process().await;
    let again = join(&third).await;
    until("its share", async || {
        is_kept().await;
        workers(&*again).await == Some(2)
    })
    .await;
    assert_eq!(ground.zookeeper.children(FINDERS), before);
    assert!(ground.zookeeper.children(VACANCIES).is_empty());
}

/// The first worker asked the proxy for the split points with its lock. While the proxy did not
/// answer, it noticed no other worker, and all others paused.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_hands_over_while_the_proxy_does_not_answer() {
    let gate = gate();
    let ground = Ground::with_held_splits(&gate).await;
    let (first, second) = (ground.process().await, ground.process().await);
    first.initialize_with(&[PAUSES]).await;
    let (keeper, joined) = (join(&first).await, join(&second).await);
    wait_for_shares(&[&*keeper, &*joined]).await;
    // The other worker is the first one now, and checks the split points.
    first.link.expire_sessions();
    let caller = tokio::spawn(async move {
        loop {
            joined.share().await.unwrap();
            sleep(Duration::from_millis(5)).await;
        }
    });
    until("the call", async || ground.calls("listSplits") > 1).await;
    let begun = Instant::now();
    let third = ground.process().await;
    let third = join(&third).await;
    until("the share", async || workers(&*third).await == Some(2)).await;
    assert!(begun.elapsed() < PAUSE);
    caller.abort();
    gate.close();
}

/// The fifth worker joins the first of two groups. The workers of the second one confirm the new
/// list without a call.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_share_stays_the_same_continues() {
    let (ground, first) = ground_with("2").await;
    let other = ground.process().await;
    let mut callers = Vec::new();
    for _ in 0..4 {
        callers.push(Caller { worker: join(&first).await, used: None });
    }
    let observer = first.open().await;
    wait_for_hand_over(&mut callers, &*observer).await;
    let begun = Instant::now();
    let joined = join(&other).await;
    let members = [&*callers[0].worker, &*callers[2].worker, &*joined];
    wait_for_shares(&members).await;
    assert!(begun.elapsed() < PAUSE);
    assert_eq!(ground.zookeeper.children(HAND_OVERS).len(), 5);
    for caller in [1, 3].map(|number| &callers[number]) {
        assert_eq!(caller.worker.share().await.unwrap(), caller.used);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vacancy_that_nobody_takes_ends() {
    let ground = Ground::new().await;
    let (first, second) = (ground.process().await, ground.process().await);
    first.initialize_with(&[("fluo.impl.worker.finder.maxSleep", "3000")]).await;
    let (keeper, joined) = (join(&first).await, join(&second).await);
    wait_for_shares(&[&*keeper, &*joined]).await;
    let left = Instant::now();
    drop(joined);
    until("the end of the vacancy", async || {
        let now = workers(&*keeper).await;
        let is_kept = now == Some(2);
        assert!(is_kept || left.elapsed() >= Duration::from_secs(1), "it has ended too early");
        !is_kept
    })
    .await;
    wait_for_shares(&[&*keeper]).await;
    assert!(ground.zookeeper.children(VACANCIES).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_worker_of_all_leaves_no_vacancies() {
    let Pair { ground, first, second: _second, keeper, joined } = pair().await;
    drop((keeper, joined));
    until("two vacancies", async || ground.zookeeper.children(VACANCIES).len() == 2).await;
    let begun = Instant::now();
    let alone = join(&first).await;
    wait_for_shares(&[&*alone]).await;
    assert!(ground.zookeeper.children(VACANCIES).is_empty());
    assert!(begun.elapsed() < PAUSE / 3);
}

/// A worker with the share that its caller may use.
struct Caller {
    worker: Box<dyn WorkerMembership>,
    used: Option<Share>,
}

impl Caller {
    async fn ask(&mut self) -> Result<(), Error> {
        self.used = self.worker.share().await?;
        Ok(())
    }
}

/// Asks all callers. Returns whether each uses the share that follows from the nodes.
async fn have_shares(callers: &mut [Caller], observer: &dyn Coordination) -> bool {
    for caller in callers.iter_mut() {
        caller.ask().await.unwrap();
    }
    let expected = observer.presence().await.unwrap().workers;
    expected.len() == callers.len()
        && expected
            .iter()
            .all(|(_, share)| share.is_some() && callers.iter().any(|caller| caller.used == *share))
}

async fn wait_for_hand_over(callers: &mut [Caller], observer: &dyn Coordination) {
    until("the shares", async || have_shares(callers, observer).await).await;
}

/// Workers join, leave and ask in a random order, in one group or in several.
#[tokio::test(flavor = "multi_thread")]
async fn no_two_workers_use_a_notification_at_the_same_time() {
    // The split points are g and p.
    let rows = ["a", "k", "t"]
        .into_iter()
        .flat_map(|range| (0..20).map(move |row| Bytes::from(format!("{range}{row:02}"))));
    let rows: Vec<_> = rows.collect();
    let mut shared = 0;
    for seed in 0..12 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (ground, first) = ground_with(if seed % 2 == 0 { "7" } else { "2" }).await;
        let observer = first.open().await;
        let processes = [first, ground.process().await, ground.process().await];
        let mut callers: Vec<Caller> = Vec::new();
        for _ in 0..150 {
            match random.u8(..20) {
                0 | 1 if callers.len() < 7 => {
                    let process = &processes[random.usize(..processes.len())];
                    callers.push(Caller { worker: join(process).await, used: None });
                }
                2 if callers.len() > 1 => {
                    callers.swap_remove(random.usize(..callers.len()));
                }
                _ if callers.is_empty() => {}
                _ => {
                    let caller = random.usize(..callers.len());
                    callers[caller].ask().await.unwrap();
                }
            }
            for row in &rows {
                let users = callers.iter().filter(|caller| {
                    caller.used.as_ref().is_some_and(|share| share.contains(row, b"q"))
                });
                assert!(users.count() <= 1, "seed {seed}, row {row:?}");
            }
            shared +=
                usize::from(callers.iter().filter(|caller| caller.used.is_some()).count() > 1);
        }
        wait_for_hand_over(&mut callers, &*observer).await;
    }
    assert!(shared > 100, "{shared} steps with two shares");
}

/// A worker of Java is the first one, and knows no vacancies.
#[tokio::test(flavor = "multi_thread")]
async fn a_vacancy_ends_beside_a_worker_of_java() {
    let ground = Ground::new().await;
    let (first, second) = (ground.process().await, ground.process().await);
    first.initialize_with(&[("fluo.impl.worker.finder.maxSleep", "3000")]).await;
    let keeper = join(&first).await;
    wait_for_shares(&[&*keeper]).await;
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    ground.client.create("/fluo/web/finders/a", b"7", &options).await.unwrap();
    let joined = join(&second).await;
    until("the share of three", async || workers(&*keeper).await == Some(3)).await;
    drop(joined);
    until("the share of two", async || workers(&*keeper).await == Some(2)).await;
    assert!(ground.zookeeper.children(VACANCIES).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_parent_of_the_vacancies_is_created_again() {
    let (ground, first) = ground().await;
    let keeper = join(&first).await;
    wait_for_shares(&[&*keeper]).await;
    ground.client.delete(VACANCIES, None).await.unwrap();
    until("the parent", async || {
        keeper.share().await.unwrap();
        ground.zookeeper.data(VACANCIES).is_some()
    })
    .await;
    wait_for_shares(&[&*keeper]).await;
    let before = first.link.count_all();
    for _ in 0..100 {
        assert_eq!(workers(&*keeper).await, Some(1));
    }
    assert_eq!(first.link.count_all(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_leaves_without_an_answer_does_not_delete_its_successor() {
    let Pair { ground, first: _first, second, keeper, joined } = pair().await;
    second.link.lose_answer(Operation::Multi, "vacancies");
    drop(joined);
    second.link.wait_for_cut().await;
    let third = ground.process().await;
    let successor = join(&third).await;
    wait_for_shares(&[&*keeper, &*successor]).await;
    let before = ground.zookeeper.children(FINDERS);
    second.link.resume();
    // The session answers again, after what it had to send first.
    let other = join(&second).await;
    wait_for_shares(&[&*keeper, &*successor, &*other]).await;
    assert!(before.iter().all(|name| ground.zookeeper.children(FINDERS).contains(name)));
}

/// A worker that stops begins nothing more, so others need not wait for its last observers.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stops_hands_over_before_its_last_observers_end() {
    const TEXT: Column = Column::from_static("page", "text");
    let ground = Ground::new().await;
    let tables = MemoryTables::new();
    let (begun, end) = (Arc::new(Notify::new()), Arc::new(Semaphore::new(0)));
    let processes = [ground.process().await, ground.process().await];
    let handles = processes.each_ref().map(|process| {
        let instance = Instance::new(Arc::new(tables.clone()), process.applications.clone());
        let (begun, end) = (begun.clone(), end.clone());
        instance.application(crate::ground::NAME).observe(&TEXT, "wait", move |_, _| {
            let (begun, end) = (begun.clone(), end.clone());
            async move {
                begun.notify_one();
                let _ = end.acquire().await;
                Ok::<_, Error>(())
            }
        })
    });
    handles[0].initialize().await.unwrap();
    let link = ground.zookeeper.link();
    let options = OracleOptions::new(format!("{}/fluo", link.address()), crate::ground::NAME);
    let oracle = Oracle::start(options.unwrap().host("127.0.0.1")).await.unwrap();
    let first = handles[0].open().await.unwrap();
    let second = handles[1].open().await.unwrap();
    let stopped = first.worker().start().await.unwrap();
    first.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await.unwrap();
    begun.notified().await;
    let mut stopping = pin!(stopped.stop());
    assert!(stopping.as_mut().now_or_never().is_none());
    let begun = Instant::now();
    let joined = second.worker().start().await.unwrap();
    let is_ready = until("a share", async || joined.monitor().check().is_ok());
    tokio::select! {
        () = stopping.as_mut() => panic!("its last observer waits"),
        () = is_ready => assert!(begun.elapsed() < PAUSE),
    }
    end.close();
    stopping.await;
    joined.stop().await;
    oracle.stop().await;
}
