//! Plain writes of many tasks share calls.

use accumulo_proxy::{ColumnUpdate, ErrorKind, GatheringWriter, Mutation};
use futures::future::join_all;

use crate::fake::{Answer, Fake, Request, STUCK, gate, thrown, until};
use crate::interface as wire;

const CALL: &str = "updateAndFlush";
const BAD: &str = "bad";

/// Returns a mutation that may be written twice.
fn mutation(row: &str) -> Mutation {
    Mutation::new(row.to_owned()).update(ColumnUpdate::put("f", "q", "v").at(7))
}

fn rows(request: &Request) -> Vec<String> {
    let request = request.read::<wire::UpdateAndFlushRequest>();
    let rows = request.cells.unwrap().into_keys();
    rows.map(|row| String::from_utf8(row).unwrap()).collect()
}

/// Accepts calls except those with the row `bad`.
fn answer(request: &Request) -> Answer {
    let is_bad = rows(request).iter().any(|row| row == BAD);
    let rejection = is_bad.then(|| thrown("a constraint"));
    Answer::reply(wire::UpdateAndFlushReply::new(None, None, None, rejection))
}

async fn write(writer: &GatheringWriter, row: &str) -> accumulo_proxy::Result<()> {
    writer.write(vec![mutation(row)]).await
}

#[tokio::test]
async fn writes_of_many_tasks_share_a_call() {
    let gate = gate();
    let held = gate.clone();
    let fake = Fake::start(move |request| answer(request).held_by(&held)).await;
    let writer = fake.client().gathering_writer("t");
    let writes = (0..100).map(|number| {
        let writer = writer.clone();
        tokio::spawn(async move { write(&writer, &format!("row{number:03}")).await })
    });
    let writes: Vec<_> = writes.collect();
    until("a call", || fake.count(CALL) == 1).await;
    gate.close();
    for write in join_all(writes).await {
        write.unwrap().unwrap();
    }
    let calls = fake.calls(CALL);
    assert!(calls.len() <= 3, "{}", calls.len());
    let mut written: Vec<String> = calls.iter().flat_map(rows).collect();
    written.sort();
    written.dedup();
    assert_eq!(written.len(), 100);
}

/// The error does not say which mutation was refused.
#[tokio::test]
async fn a_refusal_leaves_each_write_of_the_call_in_doubt() {
    let fake = Fake::start(answer).await;
    let writer = fake.client().gathering_writer("t");
    let all = ["a", BAD, "b"].map(|row| write(&writer, row));
    let written = join_all(all).await;
    let refused = written.iter().filter_map(|written| written.as_ref().err());
    for error in refused.clone() {
        assert_eq!(error.kind(), ErrorKind::MutationsRejected);
        assert!(error.may_have_taken_effect());
    }
    assert!(refused.count() >= 1 && written[1].is_err());
    write(&writer, "c").await.unwrap();
}

#[tokio::test]
async fn a_lost_answer_leaves_each_write_in_doubt() {
    let fake = Fake::start(|_| Answer::Close).await;
    let writer = fake.client().gathering_writer("t");
    for written in join_all(["a", "b", "c"].map(|row| write(&writer, row))).await {
        let error = written.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable);
        assert!(error.may_have_taken_effect());
    }
}

/// A server that sets the timestamp would store such a write twice.
#[tokio::test]
async fn a_write_without_a_timestamp_travels_alone() {
    let fake = Fake::start(answer).await;
    let writer = fake.client().gathering_writer("t");
    let without = |row: &'static str| Mutation::new(row).put("f", "q", "v");
    assert!(!GatheringWriter::gathers(&[mutation("a"), without("b")]));
    let all = ["a", "b", "c"].map(|row| writer.write(vec![without(row)]));
    for written in join_all(all).await {
        written.unwrap();
    }
    assert_eq!(fake.count(CALL), 3);
}

#[tokio::test]
async fn a_slow_call_does_not_stop_the_next_one() {
    let gate = gate();
    let held = gate.clone();
    let fake = Fake::start(move |request| match request.nth {
        0 => answer(request).held_by(&held),
        _ => answer(request),
    })
    .await;
    let writer = fake.client().gathering_writer("t");
    let slow = tokio::spawn({
        let writer = writer.clone();
        async move { write(&writer, "slow").await }
    });
    until("a call", || fake.count(CALL) == 1).await;
    let quick = tokio::time::timeout(STUCK, write(&writer, "quick"));
    quick.await.unwrap().unwrap();
    assert!(!slow.is_finished());
    gate.close();
    slow.await.unwrap().unwrap();
}
