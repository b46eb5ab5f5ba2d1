//! Workers: no notification is without an owner for long, and none has two for long.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use fluo_coordination_simulation::world;
use fluo_table::coordination::{Coordination, Share};
use fluo_table::{Bytes, MemoryTables, Result, TableAdmin, Versions};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep, timeout};

use crate::crew::{Crew, ROOT};
use crate::horizon::{initialize, open};
use crate::run::{run_all, run_part};

pub(crate) const LENGTH: Duration = Duration::from_secs(600);
const LONGEST: Duration = Duration::from_secs(25);
const PEACE: Duration = Duration::from_secs(60);
/// The longest pause of a worker, which is also that after a change of the shares beside Java.
const PAUSE: (&str, &str) = ("fluo.impl.worker.finder.maxSleep", "5000");
const LOOK: Duration = Duration::from_millis(250);
const QUALIFIER: &[u8] = b"\x04page\x04text";
/// Time without an owner that no notification exceeds, and time with two. Several faults, one after
/// the other, may take away the owner of a notification, and its next ones.
const MAX_IDLE: Duration = Duration::from_secs(180);
const MAX_DOUBLE: Duration = Duration::from_secs(60);
/// The time after the last fault within which each notification has one owner.
const RECOVERY: Duration = Duration::from_secs(60);

type Shares = Rc<RefCell<BTreeMap<u32, Share>>>;

/// Takes away the share of a process that ends.
struct Owned(u32, Shares);

impl Drop for Owned {
    fn drop(&mut self) {
        self.1.borrow_mut().remove(&self.0);
    }
}

async fn work(process: u32, tables: MemoryTables, shares: Shares) {
    let owned = Owned(process, shares);
    let web = open(process, &tables).await;
    loop {
        let _ = work_once(&*web, &owned).await;
        owned.1.borrow_mut().remove(&process);
        sleep(Duration::from_millis(500)).await;
    }
}

/// Joins, and works until an error, or until it stops to begin again.
async fn work_once(web: &dyn Coordination, Owned(process, shares): &Owned) -> Result<()> {
    let membership = web.join_workers().await?;
    let begun = Instant::now();
    let life = Duration::from_secs(fastrand::u64(60..600));
    while begun.elapsed() < life {
        match membership.share().await? {
            Some(share) => drop(shares.borrow_mut().insert(*process, share)),
            None => drop(shares.borrow_mut().remove(process)),
        }
        let pause = Duration::from_millis(fastrand::u64(100..3_000));
        let _ = timeout(pause, membership.changed()).await;
    }
    shares.borrow_mut().remove(process);
    drop(membership);
    sleep(Duration::from_secs_f64(30.0 * fastrand::f64().powi(3))).await;
    Ok(())
}

/// The owners of the notifications, from time to time.
#[derive(Debug, Default)]
struct Owners {
    /// The time since which a row has no owner, or several.
    since: BTreeMap<(Bytes, bool), Instant>,
    longest_idle: Duration,
    longest_double: Duration,
    /// Rows that do not have exactly one owner now.
    wrong: usize,
}

fn rows() -> impl Iterator<Item = Bytes> {
    (0..100).map(|number| Bytes::from(format!("{number:02}")))
}

fn look(shares: &Shares, owners: &mut Owners) {
    let shares = shares.borrow();
    owners.wrong = 0;
    for row in rows() {
        let is_owner = |(process, share): &(&u32, &Share)| {
            !world::is_silent(**process) && share.contains(&row, QUALIFIER)
        };
        let count = shares.iter().filter(is_owner).count();
        owners.wrong += usize::from(count != 1);
        for (is_double, is_so) in [(false, count == 0), (true, count > 1)] {
            let key = (row.clone(), is_double);
            if !is_so {
                owners.since.remove(&key);
                continue;
            }
            let lasts = owners.since.entry(key).or_insert_with(Instant::now).elapsed();
            let longest = match is_double {
                true => &mut owners.longest_double,
                false => &mut owners.longest_idle,
            };
            *longest = lasts.max(*longest);
        }
    }
}

pub(crate) async fn play(seed: u64, workers: usize, length: Duration) -> Vec<String> {
    let mut crew = Crew::begin(seed);
    let tables = MemoryTables::new();
    tables.create_table("pages", Versions::default()).await.unwrap();
    let splits = rows().step_by(rows().count() / (workers / 2)).collect();
    tables.add_splits("pages", &splits).await.unwrap();
    initialize(&tables, &[PAUSE]).await;
    let shares = Shares::default();
    let working = shares.clone();
    crew.start(workers, move |process| work(process, tables.clone(), working.clone()));
    // The first worker needs some time.
    sleep(Duration::from_secs(20)).await;
    let owners = Rc::new(RefCell::new(Owners::default()));
    let (looked, seen) = (shares.clone(), owners.clone());
    spawn_local(async move {
        loop {
            look(&looked, &mut seen.borrow_mut());
            sleep(LOOK).await;
        }
    });
    crew.suffer(length, LONGEST, PEACE).await;
    let settled = async {
        while owners.borrow().wrong > 0 {
            sleep(LOOK).await;
        }
    };
    let is_settled = timeout(RECOVERY, settled).await.is_ok();
    let owners = owners.borrow();
    let mut violations = Vec::new();
    if !is_settled {
        let nodes = |node| world::children(&format!("{ROOT}/{node}"));
        violations.push(format!(
            "{} rows without exactly one owner: {:?} {:?} {:?}",
            owners.wrong,
            nodes("finders"),
            nodes("hand-overs"),
            nodes("vacancies")
        ));
    }
    if owners.longest_idle > MAX_IDLE {
        violations.push(format!("no owner for {:?}", owners.longest_idle));
    }
    if owners.longest_double > MAX_DOUBLE {
        violations.push(format!("two owners for {:?}", owners.longest_double));
    }
    violations
}

/// A worker that restarts when it is its turn, and passes the turn on once it has its share again.
async fn work_in_turn(process: u32, tables: MemoryTables, shares: Shares, turn: Rc<Cell<u32>>) {
    let owned = Owned(process, shares);
    let web = open(process, &tables).await;
    for has_restarted in [false, true] {
        let membership = web.join_workers().await.unwrap();
        let is_over = || !has_restarted && turn.get() == process;
        while !is_over() {
            if let Some(share) = membership.share().await.unwrap() {
                owned.1.borrow_mut().insert(process, share);
                if has_restarted && turn.get() == process {
                    turn.set(process + 1);
                }
            } else {
                owned.1.borrow_mut().remove(&process);
            }
            let _ = timeout(LOOK, membership.changed()).await;
        }
        owned.1.borrow_mut().remove(&process);
        drop(membership);
        // The time that a program takes to start.
        sleep(Duration::from_secs(1)).await;
    }
}

/// Restarts all workers, one after the other, without faults. Returns the percentage of the
/// notifications that had an owner meanwhile.
async fn restart(seed: u64, workers: u32) -> usize {
    const WITHOUT_FAULTS: u64 = 27;
    let mut crew = Crew::begin(WITHOUT_FAULTS * seed);
    let tables = MemoryTables::new();
    tables.create_table("pages", Versions::default()).await.unwrap();
    tables.add_splits("pages", &rows().collect()).await.unwrap();
    initialize(&tables, &[]).await;
    let (shares, turn) = (Shares::default(), Rc::new(Cell::new(0)));
    let (working, taken) = (shares.clone(), turn.clone());
    crew.start(usize::try_from(workers).unwrap(), move |process| {
        work_in_turn(process, tables.clone(), working.clone(), taken.clone())
    });
    let owned = || {
        let shares = shares.borrow();
        let has_owner = |row: &Bytes| shares.values().any(|share| share.contains(row, QUALIFIER));
        rows().filter(has_owner).count()
    };
    while owned() < rows().count() {
        sleep(LOOK).await;
    }
    turn.set(1);
    let (mut found, mut all) = (0, 0);
    while turn.get() <= workers {
        found += owned();
        all += rows().count();
        sleep(LOOK).await;
    }
    found * 100 / all
}

#[test]
fn each_notification_has_one_owner() {
    run_all(async |seed| LocalSet::new().run_until(play(seed, 5, LENGTH)).await);
}

/// They form groups, each with ranges of the table of its own.
#[test]
fn a_hundred_workers_share_all_notifications() {
    run_part(30, async |seed| LocalSet::new().run_until(play(seed, 100, LENGTH / 10)).await);
}

/// Workers of Java would pause for a minute after each of the hundred changes.
#[test]
fn fifty_workers_that_restart_one_after_the_other_keep_the_work_going() {
    run_part(30, async |seed| {
        let restarted = LocalSet::new().run_until(timeout(LENGTH, restart(seed, 50))).await;
        let Ok(percentage) = restarted else { return vec!["a worker got no share".to_owned()] };
        let violation = format!("only {percentage} % of the notifications had an owner");
        Vec::from_iter((percentage < 90).then_some(violation))
    });
}
