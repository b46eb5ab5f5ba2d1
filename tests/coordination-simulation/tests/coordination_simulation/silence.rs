//! A process that was suspended for longer than its lease: its readers wait for no lease, and the
//! lease lasts again soon.

use std::cell::RefCell;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Duration;

use fluo_coordination_simulation::world::{self, SESSION};
use fluo_table::MemoryTables;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep};

use crate::crew::{Crew, lead};
use crate::horizon::{initialize, open};
use crate::run::run_part;

/// Longer than a lease, and shorter than a session.
const SILENCE: Duration = Duration::from_millis(10_500);
/// The longest time of a read.
const READ: Duration = Duration::from_secs(1);
const READER: u32 = 2;
/// Seeds without other faults.
const CALM: u64 = 27;

#[derive(Debug)]
struct Read {
    begun: Instant,
    took: Duration,
    is_held: bool,
    is_ok: bool,
}

/// Checks the lease, and asks for the horizon without one, as a reader does.
async fn read(process: u32, tables: MemoryTables, reads: Rc<RefCell<Vec<Read>>>) {
    let web = open(process, &tables).await;
    let transactor = web.begin_transactor().await.unwrap();
    while web.timestamps(NonZeroU32::MIN).await.is_err() {}
    let start = web.timestamps(NonZeroU32::MIN).await.unwrap().first;
    transactor.publish_oldest_active(Some(start)).await.unwrap();
    loop {
        let begun = Instant::now();
        let is_held = transactor.is_holding();
        let is_ok = is_held || web.horizon().await.is_ok_and(|horizon| horizon <= start);
        reads.borrow_mut().push(Read { begun, took: begun.elapsed(), is_held, is_ok });
        sleep(Duration::from_millis(50)).await;
    }
}

async fn play(seed: u64) -> Vec<String> {
    let mut crew = Crew::begin(seed * CALM);
    let tables = MemoryTables::new();
    initialize(&tables, &[]).await;
    crew.start(1, lead);
    let reads = Rc::new(RefCell::new(Vec::new()));
    let seen = reads.clone();
    crew.start(1, move |process| read(process, tables.clone(), seen.clone()));
    sleep(SESSION).await;
    let mut violations = Vec::new();
    if !reads.borrow().last().is_some_and(|read| read.is_held) {
        violations.push("no lease before".to_owned());
    }
    world::freeze(READER, SILENCE).await;
    let resumed = Instant::now();
    sleep(SESSION).await;
    let reads = reads.borrow();
    let later: Vec<_> = reads.iter().filter(|read| read.begun >= resumed).collect();
    if later.first().is_none_or(|read| read.is_held) {
        violations.push("no reads, or a lease after the silence".to_owned());
    }
    violations.extend(
        later.iter().filter(|read| !read.is_ok || read.took > READ).map(|read| format!("{read:?}")),
    );
    // The rest of the timeout after the first request, and the next renewal.
    let returned = later.iter().find(|read| read.is_held).map(|read| read.begun - resumed);
    if returned.is_none_or(|returned| returned > SESSION / 3 + SESSION / 15 * 2) {
        violations.push(format!("the lease lasts again after {returned:?}"));
    }
    violations
}

#[test]
fn readers_wait_for_no_lease_after_a_silence() {
    run_part(3, async |seed| LocalSet::new().run_until(play(seed)).await);
}
