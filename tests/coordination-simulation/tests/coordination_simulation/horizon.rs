//! Transactors: the horizon does not pass a timestamp at which one reads while it is alive, and no
//! number is given twice.

use std::cell::RefCell;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use fluo_coordination_simulation::world;
use fluo_table::coordination::{Application, Coordination};
use fluo_table::{Error, MemoryTables, Result, Timestamp};
use tokio::time::{sleep, timeout};

use crate::crew::{Crew, ROOT, lead};
use crate::run::run_all;

const LENGTH: Duration = Duration::from_secs(180);
const LONGEST: Duration = Duration::from_secs(25);
const PEACE: Duration = Duration::from_secs(6);
const ORACLES: usize = 2;
/// The time after the last fault within which a transactor reads.
const RECOVERY: Duration = Duration::from_secs(90);
/// Few ones, so that the list of a server that is behind may be empty.
const MAX_TRANSACTORS: u64 = 4;

#[derive(Debug, Default)]
struct Seen {
    numbers: Vec<u64>,
    reads: usize,
    /// The highest horizon that an oracle has announced, or that is stored.
    highest: u64,
    violations: Vec<String>,
}

/// Opens the application as this process, until it succeeds.
pub(crate) async fn open(process: u32, tables: &MemoryTables) -> Arc<dyn Coordination> {
    loop {
        let opened = async {
            let applications = world::connect(process, Arc::new(tables.clone())).await?;
            applications.open("web").await
        };
        match opened.await {
            Ok(opened) => return opened,
            Err(_) => sleep(Duration::from_millis(500)).await,
        }
    }
}

/// Creates the application with these settings, without faults.
pub(crate) async fn initialize(tables: &MemoryTables, settings: &[(&str, &str)]) {
    world::create("/accumulo/instances/here", "instance-1");
    let applications = world::connect(0, Arc::new(tables.clone())).await.unwrap();
    let mut application = Application::new("1", "pages");
    for (name, value) in settings {
        application = application.set(*name, *value);
    }
    while applications.initialize("web", application.clone()).await.is_err() {
        sleep(Duration::from_millis(500)).await;
    }
}

async fn transact(process: u32, tables: MemoryTables, seen: Rc<RefCell<Seen>>) {
    let web = open(process, &tables).await;
    loop {
        // A transactor ends with its session.
        let _ = transact_once(&*web, &seen).await;
        sleep(Duration::from_millis(100)).await;
    }
}

async fn transact_once(web: &dyn Coordination, seen: &RefCell<Seen>) -> Result<()> {
    let transactor = web.begin_transactor().await?;
    seen.borrow_mut().numbers.push(transactor.id().0);
    let draw = async || {
        let block = web.timestamps(NonZeroU32::MIN).await?;
        let mut seen = seen.borrow_mut();
        seen.highest = seen.highest.max(block.horizon.get());
        Ok::<_, Error>(block.first)
    };
    let mut earlier = draw().await?;
    loop {
        transactor.publish_oldest_active(Some(earlier)).await?;
        let start = draw().await?;
        for _ in 0..fastrand::u8(1..6) {
            sleep(Duration::from_secs_f64(4.0 * fastrand::f64().powi(2))).await;
            let text = world::text(&format!("{ROOT}/oracle/gc-timestamp")).unwrap();
            let highest = seen.borrow().highest.max(text.parse().unwrap());
            seen.borrow_mut().highest = highest;
            // The answer of the table takes its time.
            sleep(Duration::from_secs_f64(2.0 * fastrand::f64().powi(4))).await;
            let mut seen = seen.borrow_mut();
            if transactor.is_holding() {
                seen.reads += 1;
                if highest > start.get() {
                    let id = transactor.id();
                    seen.violations.push(format!("{id} reads at {start} below {highest}"));
                }
            }
        }
        earlier = Timestamp::new(start.get()).unwrap();
        if fastrand::u8(..4) == 0 {
            transactor.publish_oldest_active(None).await?;
            sleep(Duration::from_secs(fastrand::u64(..5))).await;
        }
    }
}

pub(crate) async fn play(seed: u64) -> Vec<String> {
    let mut crew = Crew::begin(seed);
    let tables = MemoryTables::new();
    initialize(&tables, &[]).await;
    let seen = Rc::new(RefCell::new(Seen::default()));
    crew.start(ORACLES, lead);
    let seeing = seen.clone();
    let transactors = usize::try_from(seed % MAX_TRANSACTORS).unwrap() + 1;
    crew.start(transactors, move |process| transact(process, tables.clone(), seeing.clone()));
    crew.suffer(LENGTH, LONGEST, PEACE).await;
    let reads = seen.borrow().reads;
    let recovered = async {
        while seen.borrow().reads == reads || seen.borrow().highest == 0 {
            sleep(Duration::from_millis(100)).await;
        }
    };
    let has_recovered = timeout(RECOVERY, recovered).await.is_ok();
    let mut seen = seen.take();
    let mut violations = std::mem::take(&mut seen.violations);
    seen.numbers.sort_unstable();
    let twice = seen.numbers.windows(2).find(|pair| pair[0] == pair[1]);
    violations.extend(twice.map(|pair| format!("the number {} was given twice", pair[0])));
    if !has_recovered {
        violations.push(format!("no reads after the faults; {reads} before, {}", seen.highest));
    }
    violations
}

#[test]
fn the_horizon_never_passes_a_living_reader() {
    run_all(async |seed| tokio::task::LocalSet::new().run_until(play(seed)).await);
}
