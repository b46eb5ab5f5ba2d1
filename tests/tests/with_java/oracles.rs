//! The oracle changes from one side to the other and back, and no timestamp is handed out twice.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fluo_accumulo::OracleClient;
use fluo_cluster::JavaPeer;
use fluo_table::Timestamp;
use fluo_tests::until;
use tempfile::TempDir;
use tokio::task::{JoinHandle, block_in_place};

use crate::ground::{SHORT_SESSION, Together, ask};

/// A task or thread that takes timestamps until its end is requested.
struct Taker<H> {
    ends: Arc<AtomicBool>,
    blocks: Arc<AtomicUsize>,
    handle: H,
}

impl<H> Taker<H> {
    fn start(run: impl FnOnce(Arc<AtomicBool>, Arc<AtomicUsize>) -> H) -> Taker<H> {
        let (ends, blocks) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let handle = run(ends.clone(), blocks.clone());
        Taker { ends, blocks, handle }
    }

    /// Waits until two more blocks are taken. The second one was requested after this call.
    async fn goes_on(&self) {
        let taken = || self.blocks.load(Ordering::SeqCst);
        let wanted = taken() + 2;
        until("timestamps are taken", async || taken() >= wanted).await;
    }

    fn end(self) -> H {
        self.ends.store(true, Ordering::SeqCst);
        self.handle
    }
}

/// Takes blocks of timestamps in this process. A request may fail while no oracle leads.
fn take_in_rust(client: OracleClient) -> Taker<JoinHandle<Vec<u64>>> {
    let count = NonZeroU32::new(7).unwrap();
    Taker::start(|ends, blocks| {
        tokio::spawn(async move {
            let mut taken = Vec::new();
            while !ends.load(Ordering::SeqCst) {
                match client.timestamps(count).await {
                    Ok(block) => {
                        let first = block.first.get();
                        taken.extend(first..first + u64::from(count.get()));
                        blocks.fetch_add(1, Ordering::SeqCst);
                    }
                    Err(error) => assert!(error.kind().is_passing(), "{error}"),
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            taken
        })
    })
}

/// Takes blocks of timestamps in a process of Java.
fn take_in_java(mut peer: JavaPeer, folder: &Path) -> Taker<thread::JoinHandle<Vec<u64>>> {
    let file = folder.join("taken");
    Taker::start(|ends, blocks| {
        thread::spawn(move || {
            let mut taken = Vec::new();
            while !ends.load(Ordering::SeqCst) {
                peer.ask(&format!("timestamps 100 {}", file.display())).unwrap();
                taken.extend(written(&file));
                blocks.fetch_add(1, Ordering::SeqCst);
            }
            taken
        })
    })
}

fn written(file: &Path) -> Vec<u64> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lead_changes_sides_twice_and_no_timestamp_is_handed_out_twice() {
    let Some(together) = Together::new("oracles") else { return };
    let folder = TempDir::new().unwrap();
    let first = together.java_with_oracle(&[SHORT_SESSION]);
    let client = OracleClient::connect(&together.oracle_options()).await.unwrap();
    let of_rust = take_in_rust(client);
    let of_java = take_in_java(together.java(), folder.path());
    let mut rust = together.oracle().await;
    of_rust.goes_on().await;
    of_java.goes_on().await;
    // A command to stop it may leave its port open, and then clients wait until the process ends.
    drop(first);
    rust.wait_for_lead().await.unwrap();
    of_rust.goes_on().await;
    of_java.goes_on().await;
    // An oracle of Java that has won an election and is not ready refuses requests, and after 33 of
    // them it is deaf for ever. Clients of Java repeat a refused request at once, so they rest
    // during the change; clients of Rust ask first whether it leads.
    let before = block_in_place(|| of_java.end().join()).unwrap();
    let mut second = together.java();
    ask(&mut second, "start-oracle");
    of_rust.goes_on().await;
    rust.stop().await;
    of_rust.goes_on().await;
    let of_java = take_in_java(together.java(), folder.path());
    of_java.goes_on().await;
    of_rust.goes_on().await;
    let after = block_in_place(|| of_java.end().join()).unwrap();
    let of_rust = of_rust.end().await.unwrap();
    for taken in [&before, &after, &of_rust] {
        assert!(taken.is_sorted() && taken[0] > Timestamp::ZERO.get());
    }
    let all = [before, after, of_rust].concat();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

/// Takes a timestamp.
async fn next(client: &OracleClient) -> u64 {
    let block = client.timestamps(NonZeroU32::MIN).await.unwrap();
    block.first.get()
}

/// A standby in Java waits for a frozen leader for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_java_leader_blocks_no_takeover() {
    let Some(together) = Together::new("frozen") else { return };
    let folder = TempDir::new().unwrap();
    let [before, after] = ["before", "after"].map(|name| folder.path().join(name));
    let leader = together.java_with_oracle(&[SHORT_SESSION]);
    let mut java = together.java();
    ask(&mut java, &format!("timestamps 10 {}", before.display()));
    let client = OracleClient::connect(&together.oracle_options()).await.unwrap();
    let first = next(&client).await;
    let mut rust = together.oracle().await;
    leader.process().unwrap().suspend();
    rust.wait_for_lead().await.unwrap();
    let second = next(&client).await;
    // Until it notices that its session has ended, the resumed leader may answer clients of Java
    // that are still connected to it, from its last reservation: with old timestamps, but with none
    // twice.
    leader.process().unwrap().resume();
    ask(&mut java, &format!("timestamps 10 {}", after.display()));
    let last = next(&client).await;
    assert!(first < second && second < last);
    let (before, after) = (written(&before), written(&after));
    let all = [&before[..], &[first, second], &after, &[last]].concat();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    rust.stop().await;
}
