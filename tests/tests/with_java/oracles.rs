//! The oracle changes from one side to the other and back, and no timestamp is handed out twice.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fluo_accumulo::OracleClient;
use fluo_table::Timestamp;
use tempfile::TempDir;

use crate::ground::{SHORT_SESSION, Together, ask};

const OF_JAVA: usize = 100;

/// Takes timestamps in blocks until the end.
async fn take(client: OracleClient, ends: Arc<AtomicBool>) -> Vec<u64> {
    let count = NonZeroU32::new(7).unwrap();
    let mut taken = Vec::new();
    while !ends.load(Ordering::Relaxed) {
        let block = client.timestamps(count).await.unwrap();
        taken.extend((0..u64::from(count.get())).map(|number| block.first.get() + number));
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
    let ends = Arc::new(AtomicBool::new(false));
    let of_rust = {
        let client = OracleClient::connect(&together.oracle_options())
            .await
            .unwrap();
        tokio::spawn(take(client, ends.clone()))
    };
    let of_java = {
        let (mut peer, ends) = (together.java(), ends.clone());
        let folder = folder.path().to_owned();
        thread::spawn(move || {
            let mut files = Vec::new();
            while !ends.load(Ordering::Relaxed) {
                let file = folder.join(files.len().to_string());
                let command = format!("timestamps {OF_JAVA} {}", file.display());
                peer.ask(&command).unwrap();
                files.push(file);
            }
            files.iter().flat_map(written).collect::<Vec<u64>>()
        })
    };
    // Both sides take timestamps meanwhile, as many as they can.
    let pause = || tokio::time::sleep(Duration::from_secs(2));
    let mut rust = together.oracle().await;
    pause().await;
    ask(&mut first, "stop-oracle");
    rust.wait_for_lead().await.unwrap();
    pause().await;
    let mut second = together.java();
    ask(&mut second, "start-oracle");
    pause().await;
    rust.stop().await;
    // The second oracle of Java leads as soon as it answers.
    let client = OracleClient::connect(&together.oracle_options())
        .await
        .unwrap();
    let last = client.timestamps(NonZeroU32::MIN).await.unwrap();
    pause().await;
    ends.store(true, Ordering::Relaxed);
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
