//! Workers share the notifications as Fluo's workers in Java do.

use std::io::Read;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use flate2::read::GzDecoder;
use fluo_accumulo::ZooKeeperOptions;
use fluo_table::coordination::{Application, Applications, Coordination, Share, WorkerMembership};
use fluo_table::layout::Partition;
use fluo_table::{Bytes, ErrorKind, Instance, Span, Versions};
use fluo_tests::until;
use zookeeper_client::{Acls, Client, CreateMode};

use crate::cluster::{CHROOT, cluster, connect, fresh_name, options, zookeeper, zookeepers};
use crate::relay::Relay;

const GROUP_SIZE: &str = "fluo.impl.worker.finder.partition.groupSize";
const MAX_SLEEP: &str = "fluo.impl.worker.finder.maxSleep";

/// Returns an application whose workers receive new shares without a pause.
pub(crate) fn without_pauses(name: &str) -> Application {
    Application::new("1", name).set(MAX_SLEEP, "0")
}

/// Returns the share of a worker that is alone.
pub(crate) fn everything() -> Share {
    share([Span::all()], 1, 0)
}

/// Returns the share of a worker here: it includes the unpartitioned notifications.
fn share(spans: impl IntoIterator<Item = Span>, divisor: u32, remainder: u32) -> Share {
    let divisor = NonZeroU32::new(divisor).unwrap();
    Share::new(spans, Partition::new(divisor, remainder).unwrap()).with_unpartitioned()
}

fn range(before: Option<&str>, end: Option<&str>) -> Span {
    Span::tablet(before.map(str::as_bytes), end.map(str::as_bytes))
}

/// An application with a table.
struct Ground {
    name: String,
    instance: Instance,
    applications: Arc<dyn Applications>,
    coordination: Arc<dyn Coordination>,
    zookeeper: Client,
}

impl Ground {
    /// Creates an application, or returns `None` if live tests are not wanted.
    async fn new(splits: &[&'static str], settings: &[(&str, &str)]) -> Option<Self> {
        let cluster = cluster()?;
        let name = fresh_name("workers");
        let instance = fluo_accumulo::connect(options(cluster, zookeepers(cluster))).await.unwrap();
        let tables = instance.table_admin();
        tables.create_table(&name, Versions::All).await.unwrap();
        let splits = splits.iter().copied().map(Bytes::from).collect();
        tables.add_splits(&name, &splits).await.unwrap();
        let applications = instance.applications().clone();
        let application = Application::new("1", &name);
        let application = settings
            .iter()
            .fold(application, |application, (name, value)| application.set(*name, *value));
        applications.initialize(&name, application).await.unwrap();
        Some(Self {
            coordination: applications.open(&name).await.unwrap(),
            zookeeper: zookeeper(cluster).await,
            name,
            instance,
            applications,
        })
    }

    async fn join(&self) -> Box<dyn WorkerMembership> {
        self.coordination.join_workers().await.unwrap()
    }

    async fn join_all(&self, workers: usize) -> Vec<Box<dyn WorkerMembership>> {
        let mut joined = Vec::new();
        for _ in 0..workers {
            joined.push(self.join().await);
        }
        joined
    }

    fn path(&self, name: &str) -> String {
        format!("{CHROOT}/{}/finders/{name}", self.name)
    }

    /// Creates the node of a worker of another program.
    async fn create(&self, name: &str, data: &str) {
        let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
        let path = self.path(name);
        self.zookeeper.create(&path, data.as_bytes(), &options).await.unwrap();
    }

    async fn delete(&self, name: &str) {
        self.zookeeper.delete(&self.path(name), None).await.unwrap();
    }

    /// Returns the names of all nodes, sorted.
    async fn nodes(&self) -> Vec<String> {
        let parent = format!("{CHROOT}/{}/finders", self.name);
        let mut names = self.zookeeper.list_children(&parent).await.unwrap();
        names.sort();
        names
    }

    /// Returns the stored split points without the compression, and the number of changes of them.
    async fn splits(&self) -> (Vec<u8>, i32) {
        let (data, stat) = self.zookeeper.get_data(&self.path("splits")).await.unwrap();
        let mut bytes = Vec::new();
        GzDecoder::new(&data[..]).read_to_end(&mut bytes).unwrap();
        (bytes, stat.version)
    }

    async fn end(self) {
        drop(self.coordination);
        while self.applications.is_running(&self.name).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.applications.remove(&self.name).await.unwrap();
        let tables = self.instance.table_admin();
        tables.delete_table(&self.name).await.unwrap();
    }
}

/// Returns the current shares. The first call may store the split points.
async fn shares(workers: &[Box<dyn WorkerMembership>]) -> Vec<Share> {
    let mut shares = Vec::new();
    for worker in workers.iter().take(1).chain(workers) {
        shares.push(worker.share().await.unwrap());
    }
    shares.into_iter().skip(1).map(Option::unwrap).collect()
}

/// Waits until a worker has another share than before, and returns it.
async fn changed(worker: &dyn WorkerMembership, before: Option<&Share>) -> Option<Share> {
    let mut now = None;
    until("the share changes", async || {
        now = worker.share().await.unwrap();
        now.as_ref() != before
    })
    .await;
    now
}

/// Waits until the workers have these shares: they notice with a delay that others have left.
async fn wait_for_shares(workers: &[Box<dyn WorkerMembership>], expected: &[Share]) {
    until("the workers have their shares", async || shares(workers).await == expected).await;
}

/// The ranges are those that three workers of Java had.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_of_one_worker_have_the_ranges_of_java() {
    let settings = [(MAX_SLEEP, "0"), (GROUP_SIZE, "1")];
    let Some(ground) = Ground::new(&["g", "m", "s"], &settings).await else { return };
    let workers = ground.join_all(3).await;
    let (data, _) = ground.zookeeper.get_data(&ground.path("f-0000000000")).await.unwrap();
    assert_eq!(data, b"1");
    let (g, m, s) = (Some("g"), Some("m"), Some("s"));
    let expected = [
        share([range(m, s), range(s, None)], 1, 0),
        share([range(g, m)], 1, 0),
        share([range(None, g)], 1, 0),
    ];
    assert_eq!(shares(&workers).await, expected);
    drop(workers);
    ground.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_worker_keeps_the_split_points_up_to_date() {
    let settings = [(MAX_SLEEP, "0"), (GROUP_SIZE, "1")];
    let Some(ground) = Ground::new(&[], &settings).await else { return };
    let workers = ground.join_all(2).await;
    assert_eq!(workers[1].share().await.unwrap(), None, "no split points");
    shares(&workers).await;
    assert_eq!(ground.splits().await, (vec![0; 4], 0));

    let before = workers[1].share().await.unwrap();
    let tables = ground.instance.table_admin();
    tables.add_splits(&ground.name, &["m".into()].into()).await.unwrap();
    changed(&*workers[0], before.as_ref()).await;
    until("the split point is stored", async || {
        workers[0].share().await.unwrap();
        ground.splits().await.1 > 0
    })
    .await;
    let one = b"\0\0\0\x01\0\0\0\x01m".to_vec();
    assert_eq!(ground.splits().await, (one.clone(), 1));
    let ranges = [range(None, Some("m")), range(Some("m"), None)];
    let expected = ranges.map(|range| share([range], 1, 0));
    wait_for_shares(&workers, &expected).await;
    // The second one is the first of all now.
    let [first, second] = <[_; 2]>::try_from(workers).unwrap();
    drop(first);
    ground.delete("splits").await;
    changed(&*second, Some(&expected[1])).await;
    until("the split points are stored again", async || {
        second.share().await.unwrap();
        ground.nodes().await == ["f-0000000001", "splits"]
    })
    .await;
    let second = [second];
    wait_for_shares(&second, &[everything()]).await;
    drop(second);
    ground.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_with_another_group_size_stops_all() {
    let Some(ground) = Ground::new(&[], &[(MAX_SLEEP, "0")]).await else { return };
    let worker = ground.join().await;
    assert_eq!(worker.share().await.unwrap(), Some(everything()));
    ground.create("zzz", "7").await;
    let shared = share([Span::all()], 2, 0);
    assert_eq!(changed(&*worker, Some(&everything())).await, Some(shared.clone()));
    ground.create("zzz-other", "8").await;
    let error = loop {
        match worker.share().await {
            Ok(share) => assert_eq!(share.as_ref(), Some(&shared)),
            Err(error) => break error,
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        format!(
            "the worker at `{}` in ZooKeeper has the group size `8`; restart it with `{GROUP_SIZE}` 7",
            ground.path("zzz-other")
        )
    );
    ground.delete("zzz-other").await;
    ground.delete("zzz").await;
    let is_alone = async || worker.share().await.ok().flatten() == Some(everything());
    until("the worker is alone", is_alone).await;
    drop(worker);
    ground.end().await;
}

/// Otherwise the numbers of all workers would change.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_keeps_its_name_after_its_session_or_its_node_is_lost() {
    let Some(ground) = Ground::new(&[], &[(MAX_SLEEP, "0")]).await else { return };
    let cluster = cluster().unwrap();
    let mut relay = Relay::new(&cluster.site().zookeepers).await;
    let through = ZooKeeperOptions::new(format!("{}{CHROOT}", relay.address()));
    let through = through.session_timeout(Duration::from_secs(4));
    let cut = connect(options(cluster, through)).await;
    let own = cut.open(&ground.name).await.unwrap();
    let first = own.join_workers().await.unwrap();
    let second = ground.join().await;
    assert!(second.share().await.unwrap().is_none(), "no split points");
    assert!(first.share().await.unwrap().is_some());
    let names = ["f-0000000000", "f-0000000001", "splits"];
    assert_eq!(ground.nodes().await, names);

    relay.cut();
    while ground.nodes().await.len() == 3 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    relay.resume().await;
    let ended = async |worker: &dyn WorkerMembership| {
        until("the worker ends", async || {
            let ended = worker.share().await.err();
            ended.is_some_and(|error| error.to_string().contains("session of this worker"))
        })
        .await;
    };
    ended(&*first).await;
    let again = own.join_workers().await.unwrap();
    drop(first);
    assert_eq!(ground.nodes().await, names);

    ground.delete("f-0000000000").await;
    ended(&*again).await;
    let third = own.join_workers().await.unwrap();
    drop(again);
    assert_eq!(ground.nodes().await, names);
    assert!(third.share().await.unwrap().is_some());
    // Another one gets a new name.
    let fourth = own.join_workers().await.unwrap();
    assert_eq!(ground.nodes().await.len(), 4);
    drop((third, fourth, second));
    ground.end().await;
}
