//! The oracle changes from one side to the other and back, and no timestamp is handed out twice.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fluo_accumulo::OracleClient;
use fluo_table::Timestamp;
use tempfile::TempDir;

use crate::ground::{SHORT_SESSION, Together, ask, until};

const OF_JAVA: usize = 100;

/// What the two takers of timestamps share with their test.
#[derive(Default)]
struct Takers {
    ends: AtomicBool,
    blocks_of_rust: AtomicUsize,
    blocks_of_java: AtomicUsize,
}

impl Takers {
    /// Waits until each side has taken two more blocks. The second one was requested after the call.
    async fn continue_both(&self) {
        let taken =
            || [&self.blocks_of_rust, &self.blocks_of_java].map(|n| n.load(Ordering::SeqCst));
        let before = taken();
        until("both sides take timestamps", async || {
            taken()
                .iter()
                .zip(before)
                .all(|(now, before)| *now >= before + 2)
        })
        .await;
    }
}

/// Takes timestamps in blocks until the end. A request may fail while no oracle leads.
async fn take(client: OracleClient, takers: Arc<Takers>) -> Vec<u64> {
    let count = NonZeroU32::new(7).unwrap();
    let mut taken = Vec::new();
    while !takers.ends.load(Ordering::Relaxed) {
        match client.timestamps(count).await {
            Ok(block) => {
                taken.extend((0..u64::from(count.get())).map(|number| block.first.get() + number));
                takers.blocks_of_rust.fetch_add(1, Ordering::SeqCst);
            }
            Err(error) => assert!(error.kind().is_passing(), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    taken
}

fn written(file: &PathBuf) -> Vec<u64> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lead_changes_sides_twice_and_no_timestamp_is_handed_out_twice() {
    let Some(together) = Together::new("oracles") else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let mut first = together.java();
    ask(&mut first, "initialize");
    ask(&mut first, "start-oracle");
    let takers = Arc::new(Takers::default());
    let of_rust = {
        let client = OracleClient::connect(&together.oracle_options())
            .await
            .unwrap();
        tokio::spawn(take(client, takers.clone()))
    };
    let of_java = {
        let (mut peer, takers) = (together.java(), takers.clone());
        let folder = folder.path().to_owned();
        thread::spawn(move || {
            let mut files = Vec::new();
            while !takers.ends.load(Ordering::Relaxed) {
                let file = folder.join(files.len().to_string());
                let command = format!("timestamps {OF_JAVA} {}", file.display());
                peer.ask(&command).unwrap();
                files.push(file);
                takers.blocks_of_java.fetch_add(1, Ordering::SeqCst);
            }
            files.iter().flat_map(written).collect::<Vec<u64>>()
        })
    };
    let mut rust = together.oracle().await;
    takers.continue_both().await;
    ask(&mut first, "stop-oracle");
    rust.wait_for_lead().await.unwrap();
    takers.continue_both().await;
    let mut second = together.java();
    ask(&mut second, "start-oracle");
    takers.continue_both().await;
    rust.stop().await;
    // The second oracle of Java leads as soon as it answers.
    let client = OracleClient::connect(&together.oracle_options())
        .await
        .unwrap();
    let last = client.timestamps(NonZeroU32::MIN).await.unwrap();
    takers.continue_both().await;
    takers.ends.store(true, Ordering::Relaxed);
    let of_rust = of_rust.await.unwrap();
    let of_java = of_java.join().unwrap();
    assert!(of_rust.is_sorted() && of_java.is_sorted());
    assert!(!of_rust.is_empty() && of_java.len() >= OF_JAVA);
    let all = [&of_rust[..], &of_java, &[last.first.get()]].concat();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert!(all.iter().all(|number| *number > Timestamp::ZERO.get()));
}

/// Takes a timestamp.
async fn next(client: &OracleClient) -> u64 {
    let block = client.timestamps(NonZeroU32::MIN).await.unwrap();
    block.first.get()
}

/// A standby in Java waits for a frozen leader for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_java_leader_blocks_no_takeover() {
    let Some(together) = Together::new("frozen") else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let [before, after] = ["before", "after"].map(|name| folder.path().join(name));
    let mut leader = together.java_with(&[SHORT_SESSION]);
    ask(&mut leader, "initialize");
    ask(&mut leader, "start-oracle");
    let mut java = together.java();
    ask(&mut java, &format!("timestamps 10 {}", before.display()));
    let client = OracleClient::connect(&together.oracle_options())
        .await
        .unwrap();
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
