//! The answer to a call never reaches another call.

use accumulo_proxy::{Bytes, ErrorKind, Protocol, ProxyClient};

use crate::fake::{Answer, Fake, Gate, Request, gate, timed_out, until};
use crate::interface as wire;

/// Answers `listSplits` of a table with the name of the table. The gate holds the answers of tables
/// `slow..`.
fn names(gate: &Gate, request: &Request) -> Answer {
    let table = request.read::<wire::ListSplits>().table_name.unwrap();
    let answer = Answer::result::<wire::ListSplits>(vec![table.clone().into()]);
    match table.starts_with("slow") {
        true => answer.held_by(gate),
        false => answer,
    }
}

async fn ask(client: &ProxyClient, table: &str) -> Vec<Bytes> {
    let splits = client.table_operations().list_splits(table, Some(10)).await;
    splits.unwrap().into_iter().collect()
}

async fn with_one_connection(protocol: Protocol) -> (Fake, ProxyClient, Gate) {
    let gate = gate();
    let held = Gate::clone(&gate);
    let fake = Fake::start_with(protocol, move |request| names(&held, request)).await;
    let settings = fake.settings().connections(1.try_into().unwrap());
    (fake, ProxyClient::lazy(settings), gate)
}

#[tokio::test]
async fn discards_the_answer_to_a_cancelled_call() {
    for protocol in [Protocol::Compact, Protocol::Binary] {
        let (fake, client, gate) = with_one_connection(protocol).await;
        assert_eq!(ask(&client, "first").await, ["first"]);
        tokio::select! {
            _ = ask(&client, "slow") => panic!("it was answered before it was cancelled"),
            () = until("the slow call", || fake.count("listSplits") == 2) => {}
        }
        gate.close();
        for table in ["second", "third"] {
            assert_eq!(ask(&client, table).await, [table]);
        }
        assert_eq!(fake.count("listSplits"), 4);
    }
}

#[tokio::test]
async fn discards_the_answer_to_a_call_that_timed_out() {
    let (fake, client, gate) = with_one_connection(Protocol::Compact).await;
    ask(&client, "first").await;
    let tables = client.table_operations();
    let late = tables.list_splits("slow", Some(10));
    let late = timed_out("the slow call", || fake.count("listSplits") == 2, late).await;
    assert_eq!(late.unwrap_err().kind(), ErrorKind::TimedOut);
    gate.close();
    for table in ["second", "third"] {
        assert_eq!(ask(&client, table).await, [table]);
    }
}
