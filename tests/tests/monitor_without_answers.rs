//! A monitor of applications and servers that do not answer, or fail.

use std::future::{pending, ready};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Instance, InstanceExt};
use fluo_keys::RowHasher;
use fluo_process::monitor::{Monitor, MonitorOptions, MonitoredTable};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_table::coordination::MemoryApplications;
use fluo_table::{MemoryTables, Result, TableAdmin, Versions};
use fluo_tests::{Call, CoordinationCall, Fault, Hooks, Intercepted};
use tokio::time::Instant;

/// One more than twice the number that a monitor reads at the same time, so that the last ones wait
/// for longer than the limit.
const HANGING: usize = 17;

/// Hooks of applications: those whose names begin with `hung` do not say who is present.
struct Silent {
    is_silent: bool,
}

#[async_trait]
impl Hooks for Silent {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if self.is_silent && matches!(call, Call::Coordination(CoordinationCall::Other("presence")))
        {
            pending::<()>().await;
        }
        Ok(None)
    }

    fn of_application(self: Arc<Self>, name: &str) -> Arc<Self> {
        Arc::new(Self { is_silent: name.starts_with("hung") })
    }
}

/// Covers two bugs: the parts of a reading were read one after the other, each for up to 30 s; and
/// eight that hung left no time for the others.
#[tokio::test(start_paused = true)]
async fn reads_the_others_beside_applications_that_hang() {
    let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
    let applications = Intercepted::with_hooks(Arc::new(applications), Silent { is_silent: false });
    let fluo = Instance::new(Arc::new(tables), Arc::new(applications));
    let hung = (0..HANGING).map(|number| format!("hung{number:02}"));
    let names: Vec<_> = hung.chain((0..HANGING).map(|number| format!("web{number:02}"))).collect();
    for name in &names {
        fluo.application(name).initialize().await.unwrap();
    }
    let options = MonitorOptions::new("memory").limit(Duration::from_secs(3)).unwrap();
    let mut monitor = Monitor::new(fluo, options);
    for _ in 0..2 {
        let begun = Instant::now();
        let figures = monitor.read().await;
        // Three turns of 3 s.
        assert_eq!(begun.elapsed().as_secs(), 9);
        let errors = names.iter().take(HANGING);
        let errors = errors.map(|name| format!("application `{name}`: no answer within 3 s"));
        assert_eq!(figures.errors, errors.collect::<Vec<_>>());
        let found = figures.applications.iter().map(|found| &found.name);
        assert_eq!(found.collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
        let read = figures.applications.iter().filter(|found| found.notifications.is_some());
        assert_eq!(read.count(), HANGING);
        // The tables of all of them answer.
        let found = figures.tables.iter().map(|found| &found.name);
        assert_eq!(found.collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    }
}

/// The name of the calls that fail.
type Failing = Arc<Mutex<&'static str>>;

fn hooks(failing: &Failing) -> impl Hooks {
    let failing = failing.clone();
    move |call: &Call| {
        let name = match call {
            Call::Servers => "servers",
            Call::Coordination(CoordinationCall::Other(name)) => name,
            _ => "another call",
        };
        ready(Ok(
            (name == *failing.lock().expect("no test panics with it")).then_some(Fault::Before)
        ))
    }
}

fn instance(failing: &Failing) -> Instance {
    let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
    let tables = Intercepted::with_hooks(Arc::new(tables), hooks(failing));
    let applications = Intercepted::with_hooks(Arc::new(applications), hooks(failing));
    Instance::new(Arc::new(tables), Arc::new(applications))
}

const CAUSE: &str = "injected fault: the call was not sent; nothing was done";

/// Covers a bug: each table asked again, and failed with the same error.
#[tokio::test]
async fn shows_tables_without_the_list_of_servers() {
    let failing = Failing::default();
    let fluo = instance(&failing);
    let pages = RowHasher::new("p").unwrap().table_optimizations(4).unwrap();
    fluo.application("alone").recipe(&pages).initialize().await.unwrap();
    fluo.create_table("pages", Versions::default()).await.unwrap();
    let options = MonitorOptions::new("memory").tables([MonitoredTable::new("pages")]);
    let mut monitor = Monitor::new(fluo, options);
    for (call, errors) in [("servers", vec![format!("servers: {CAUSE}")]), ("", Vec::new())] {
        *failing.lock().unwrap() = call;
        let figures = monitor.read().await;
        assert_eq!(figures.errors, errors);
        let found = figures.tables.iter();
        let found = found.map(|found| (&*found.name, found.tablets, found.differences.is_some()));
        let is_compared = errors.is_empty();
        let expected = [("pages", 1, false), ("alone", 1, is_compared)];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

/// Covers a bug: after an error, a new client moved the horizon and the number of transactors.
#[tokio::test]
async fn keeps_its_clients_after_a_passing_error() {
    let failing = Failing::default();
    let fluo = instance(&failing);
    let words = CombineQueue::<String, u64>::new("words", Sum).unwrap();
    fluo.application("web").recipe(&words).initialize().await.unwrap();
    let mut monitor = Monitor::new(fluo.clone(), MonitorOptions::new("memory"));
    assert_eq!(monitor.read().await.applications[0].queues.len(), 1);
    let web = fluo.applications().open("web").await.unwrap();
    let own = web.last_transactor().await.unwrap();
    for (call, part) in [("list", "applications"), ("presence", "application `web`")] {
        *failing.lock().unwrap() = call;
        assert_eq!(monitor.read().await.errors, [format!("{part}: {CAUSE}")]);
        *failing.lock().unwrap() = "";
        let figures = monitor.read().await;
        assert!(figures.errors.is_empty(), "{figures:?}");
        assert_eq!(web.last_transactor().await.unwrap(), own);
    }
}

#[tokio::test]
async fn reads_an_application_that_replaces_a_removed_one() {
    let fluo = instance(&Failing::default());
    let mut monitor = Monitor::new(fluo.clone(), MonitorOptions::new("memory"));
    for is_second in [false, true] {
        fluo.application("web").initialize().await.unwrap();
        let removed = monitor.read().await.errors;
        assert_eq!(removed.len(), usize::from(is_second), "{removed:?}");
        assert_eq!(monitor.read().await.errors, <[String; 0]>::default());
        fluo.applications().remove("web").await.unwrap();
        fluo.delete_table("web").await.unwrap();
    }
}
