//! Clients that request timestamps without a pause.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fluo_accumulo::OracleClient;
use fluo_tests::STUCK;
use fluo_zookeeper::Link;
use futures::future::join_all;
use tokio::time::timeout;

use crate::ground::{Ground, count};

/// A call that returned.
#[derive(Clone, Copy, Debug)]
struct Call {
    began: Instant,
    returned: Instant,
    first: u64,
    count: u32,
}

/// Does some work while several tasks of two clients, which reach ZooKeeper over a link, request
/// timestamps. Checks that no timestamp occurs twice (C1), and that a call that began after another
/// one had returned got later timestamps (C2).
pub(crate) async fn under_load<T>(
    ground: &Ground,
    link: &Link,
    work: impl Future<Output = T>,
) -> T {
    let clients = [ground.client_over(link).await, ground.client_over(link).await];
    let is_over = AtomicBool::new(false);
    let work = async {
        let output = timeout(STUCK, work).await.unwrap();
        is_over.store(true, Ordering::SeqCst);
        output
    };
    let tasks = clients.iter().flat_map(|client| [client; 4]);
    let requests = join_all(tasks.map(|client| requests(client, &is_over)));
    let (calls, output) = tokio::join!(requests, work);
    check(calls.concat());
    output
}

async fn requests(client: &OracleClient, is_over: &AtomicBool) -> Vec<Call> {
    let mut calls = Vec::new();
    while !is_over.load(Ordering::SeqCst) {
        let began = Instant::now();
        let size = fastrand::u32(1..20);
        let block = client.timestamps(count(size)).await.unwrap();
        calls.push(Call { began, returned: Instant::now(), first: block.first.get(), count: size });
    }
    calls
}

fn check(mut calls: Vec<Call>) {
    assert!(!calls.is_empty());
    calls.sort_by_key(|call| call.first);
    for pair in calls.windows(2) {
        let end = pair[0].first + u64::from(pair[0].count);
        assert!(end <= pair[1].first, "C1: {pair:?}");
    }
    let mut returned = calls.clone();
    returned.sort_by_key(|call| call.returned);
    calls.sort_by_key(|call| call.began);
    let (mut newest, mut returned) = (0, returned.into_iter().peekable());
    for call in calls {
        while let Some(earlier) = returned.next_if(|earlier| earlier.returned < call.began) {
            newest = newest.max(earlier.first);
        }
        assert!(newest < call.first, "C2: {newest} was returned before {call:?}");
    }
}
