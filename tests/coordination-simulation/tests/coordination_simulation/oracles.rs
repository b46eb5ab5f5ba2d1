//! Oracles and their clients: no timestamp is handed out twice, later calls get later timestamps,
//! no age of a timestamp is too high, and timestamps are handed out again soon after the last
//! fault.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Duration;

use fluo_coordination_simulation::{OracleClient, StubbornClient, world};
use fluo_table::coordination::Timeline;
use fluo_table::{Clock, Timestamp};
use tokio::time::{Instant, sleep, timeout};

use crate::crew::{Crew, ROOT, lead, oracle_options};
use crate::run::run_all;

/// The time in which faults happen.
const LENGTH: Duration = Duration::from_secs(180);
/// Longer than a session, and the time for which a candidate waits for a silent leader.
const LONGEST: Duration = Duration::from_secs(60);
const PEACE: Duration = Duration::from_secs(6);
/// The time after the last fault within which an oracle leads.
const RECOVERY: Duration = Duration::from_secs(90);
/// The time after the recovery within which the leader takes a sample.
const SAMPLED: Duration = Duration::from_secs(30);
const ORACLES: usize = 3;
const CLIENTS: usize = 3;
const ID: &str = "id-of-web";

/// A block of timestamps that a client has got.
#[derive(Clone, Copy, Debug)]
struct Block {
    asked: Instant,
    got: Instant,
    first: u64,
    count: u64,
    horizon: u64,
    /// The process of a client of ours; 0 of another one.
    process: u32,
}

pub(crate) fn create_application() {
    for folder in ["/config", "/oracle/server", "/transactor/timestamps", "/transactor/nodes"] {
        world::create(&format!("{ROOT}{folder}"), "");
    }
    for (path, data) in [
        ("/config/fluo.application.id", ID),
        ("/oracle/max-timestamp", "2"),
        ("/oracle/gc-timestamp", "0"),
    ] {
        world::create(&format!("{ROOT}{path}"), data);
    }
}

async fn use_timestamps(number: u32, blocks: Rc<RefCell<Vec<Block>>>) {
    let client = loop {
        match OracleClient::connect(&oracle_options(number)).await {
            Ok(client) => break client,
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    };
    let ask = async || loop {
        let count = NonZeroU32::new(fastrand::u32(1..2_000)).unwrap();
        let asked = Instant::now();
        if let Ok(block) = client.timestamps(count).await {
            blocks.borrow_mut().push(Block {
                asked,
                got: Instant::now(),
                first: block.first.get(),
                count: block.count.get().into(),
                horizon: block.horizon.get(),
                process: number,
            });
        }
        sleep(Duration::from_millis(fastrand::u64(0..300))).await;
    };
    futures::join!(ask(), ask());
}

/// As [`use_timestamps`], with a client that does not look who leads, and is idle at times.
async fn insist(_: u32, blocks: Rc<RefCell<Vec<Block>>>) {
    let mut client = StubbornClient::new(format!("{ROOT}/oracle/server"), ID);
    loop {
        let count = fastrand::u32(1..200);
        let asked = Instant::now();
        if let Some(first) = client.timestamps(count).await {
            let (got, count) = (Instant::now(), count.into());
            blocks.borrow_mut().push(Block { asked, got, first, count, horizon: 0, process: 0 });
        }
        let longest = if fastrand::u8(..4) == 0 { 60_000 } else { 300 };
        sleep(Duration::from_millis(fastrand::u64(..longest))).await;
    }
}

pub(crate) async fn play(seed: u64) -> Vec<String> {
    let mut crew = Crew::begin(seed);
    create_application();
    let blocks = Rc::new(RefCell::new(Vec::new()));
    crew.start(ORACLES, lead);
    let got = blocks.clone();
    crew.start(CLIENTS, move |process| use_timestamps(process, got.clone()));
    let got = blocks.clone();
    crew.start(CLIENTS, move |process| insist(process, got.clone()));
    crew.suffer(LENGTH, LONGEST, PEACE).await;
    let before = blocks.borrow().len();
    let clients = || {
        let blocks = blocks.borrow();
        let later = blocks.iter().skip(before).map(|block| block.process);
        later.filter(|process| *process > 0).collect::<BTreeSet<_>>().len()
    };
    let recovered = async {
        while clients() < CLIENTS {
            sleep(Duration::from_millis(100)).await;
        }
    };
    let mut violations = check(&blocks.borrow());
    let has_recovered = timeout(RECOVERY, recovered).await.is_ok();
    sleep(SAMPLED).await;
    violations.extend(check_ages(&blocks.borrow(), before));
    if !has_recovered {
        violations.push(format!("no timestamps after the faults; {before} blocks before"));
    }
    violations
}

fn check(blocks: &[Block]) -> Vec<String> {
    let mut violations = Vec::new();
    let mut by_first = blocks.to_vec();
    by_first.sort_by_key(|block| block.first);
    for pair in by_first.windows(2) {
        if pair[0].first + pair[0].count > pair[1].first {
            violations.push(format!("handed out twice: {pair:?}"));
        }
    }
    let mut by_end = blocks.to_vec();
    by_end.sort_by_key(|block| block.got);
    let mut by_start = blocks.to_vec();
    by_start.sort_by_key(|block| block.asked);
    let (mut ended, mut highest) = (by_end.iter().peekable(), None::<Block>);
    for block in &by_start {
        while let Some(earlier) = ended.next_if(|earlier| earlier.got < block.asked) {
            highest = highest.filter(|highest| highest.first > earlier.first).or(Some(*earlier));
        }
        if let Some(highest) = highest.filter(|highest| highest.first > block.first) {
            violations.push(format!("{block:?} after {highest:?}"));
        }
    }
    let above = blocks.iter().filter(|block| block.horizon > block.first);
    violations.extend(above.map(|block| format!("the horizon is above: {block:?}")));
    violations
}

/// Checks the ages of all blocks. The first ones, from before the last fault, have an age.
fn check_ages(blocks: &[Block], with_age: usize) -> Vec<String> {
    let text = world::text(&format!("{ROOT}/oracle/timeline")).unwrap_or_default();
    let timeline = Timeline::decode(text.as_bytes()).unwrap_or_default();
    let is_wrong = |(index, block): &(usize, &Block)| {
        let last = Timestamp::new(block.first + block.count - 1).unwrap();
        let age = timeline.ages(&[last], world::WallClock.now_ms())[0];
        match age {
            None => *index < with_age,
            Some(age) => age > block.asked.elapsed() + Duration::from_millis(1),
        }
    };
    let wrong = blocks.iter().enumerate().filter(is_wrong);
    wrong.map(|(_, block)| format!("the age is wrong: {block:?}, {text}")).collect()
}

#[test]
fn timestamps_are_unique_and_increase_in_real_time() {
    run_all(async |seed| tokio::task::LocalSet::new().run_until(play(seed)).await);
}
