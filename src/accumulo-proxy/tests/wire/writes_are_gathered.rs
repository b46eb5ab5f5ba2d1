//! Plain writes of many tasks share the calls of one open writer.

use std::sync::Mutex;

use accumulo_proxy::{ColumnUpdate, ErrorKind, GatheringWriter, Mutation};
use futures::future::join_all;

use crate::fake::{Answer, Fake, Request, STUCK, gate, thrown, until};
use crate::interface as wire;

const BAD: &str = "bad";

/// Returns a mutation that may be written twice.
fn mutation(row: &str) -> Mutation {
    Mutation::new(row.to_owned()).update(ColumnUpdate::put("f", "q", "v").at(7))
}

fn rows(request: &Request) -> Vec<String> {
    let request = request.read::<wire::UpdateRequest>();
    let rows = request.cells.unwrap().into_keys();
    rows.map(|row| String::from_utf8(row).unwrap()).collect()
}

/// A proxy whose writers reject the row `bad`, as Accumulo does: the next `flush` says so.
#[derive(Default)]
struct Writers {
    has_rejected: Mutex<bool>,
}

impl Writers {
    fn answer(&self, request: &Request) -> Answer {
        match request.call.as_str() {
            "createWriter" => {
                *self.has_rejected.lock().unwrap() = false;
                let handle = format!("writer{}", request.nth);
                Answer::reply(wire::CreateWriterReply::new(handle, None, None, None))
            }
            "update" => {
                *self.has_rejected.lock().unwrap() |= rows(request).iter().any(|row| row == BAD);
                Answer::Nothing
            }
            "flush" => {
                let has_rejected = *self.has_rejected.lock().unwrap();
                let rejection = has_rejected.then(|| thrown("a constraint"));
                Answer::reply(wire::FlushReply::new(None, rejection))
            }
            "closeWriter" => Answer::reply(wire::CloseWriterReply::new(None, None)),
            "updateAndFlush" => {
                Answer::reply(wire::UpdateAndFlushReply::new(None, None, None, None))
            }
            other => panic!("unexpected call {other}"),
        }
    }
}

async fn write(writer: &GatheringWriter, row: &str) -> accumulo_proxy::Result<()> {
    writer.write(vec![mutation(row)]).await
}

#[tokio::test]
async fn writes_of_many_tasks_share_a_call() {
    let (gate, writers) = (gate(), Writers::default());
    let held = gate.clone();
    let fake = Fake::start(move |request| match request.call.as_str() {
        "flush" => writers.answer(request).held_by(&held),
        _ => writers.answer(request),
    })
    .await;
    let writer = fake.client().gathering_writer("t");
    let writes = (0..100).map(|number| {
        let writer = writer.clone();
        tokio::spawn(async move { write(&writer, &format!("row{number:03}")).await })
    });
    let writes: Vec<_> = writes.collect();
    until("a flush", || fake.count("flush") == 1).await;
    gate.close();
    for write in join_all(writes).await {
        write.unwrap().unwrap();
    }
    let calls = fake.calls("update");
    assert!(calls.len() <= 3, "{}", calls.len());
    let mut written: Vec<String> = calls.iter().flat_map(rows).collect();
    written.sort();
    written.dedup();
    assert_eq!(written.len(), 100);
    assert_eq!(fake.count("createWriter"), 1);
    assert_eq!(fake.count("flush"), calls.len());
    drop(writer);
    until("a close", || fake.count("closeWriter") == 1).await;
}

/// The error does not say which mutation was refused, and the writer stays broken.
#[tokio::test]
async fn a_refusal_leaves_each_write_of_the_call_in_doubt() {
    let writers = Writers::default();
    let fake = Fake::start(move |request| writers.answer(request)).await;
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
    assert_eq!(fake.count("createWriter"), 2);
}

#[tokio::test]
async fn a_lost_answer_leaves_each_write_in_doubt() {
    let writers = Writers::default();
    let fake = Fake::start(move |request| match request.call.as_str() {
        "flush" => Answer::Close,
        _ => writers.answer(request),
    })
    .await;
    let writer = fake.client().gathering_writer("t");
    for written in join_all(["a", "b", "c"].map(|row| write(&writer, row))).await {
        let error = written.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable);
        assert!(error.may_have_taken_effect());
    }
}

/// A proxy drops a writer after ten idle minutes, or when it is restarted.
#[tokio::test]
async fn a_writer_that_the_proxy_dropped_is_opened_again() {
    let writers = Writers::default();
    let fake = Fake::start(move |request| match request.call.as_str() {
        "flush" if request.nth == 1 => {
            Answer::reply(wire::FlushReply::new(thrown("unknown"), None))
        }
        _ => writers.answer(request),
    })
    .await;
    let writer = fake.client().gathering_writer("t");
    write(&writer, "a").await.unwrap();
    write(&writer, "b").await.unwrap();
    assert_eq!(fake.count("createWriter"), 2);
    let sent: Vec<_> = fake.calls("update").iter().flat_map(rows).collect();
    assert_eq!(sent, ["a", "b", "b"]);
}

/// A server that sets the timestamp would store such a write twice.
#[tokio::test]
async fn a_write_without_a_timestamp_travels_alone() {
    let writers = Writers::default();
    let fake = Fake::start(move |request| writers.answer(request)).await;
    let writer = fake.client().gathering_writer("t");
    let without = |row: &'static str| Mutation::new(row).put("f", "q", "v");
    assert!(!GatheringWriter::gathers(&[mutation("a"), without("b")]));
    let all = ["a", "b", "c"].map(|row| writer.write(vec![without(row)]));
    for written in join_all(all).await {
        written.unwrap();
    }
    assert_eq!(fake.count("updateAndFlush"), 3);
}

#[tokio::test]
async fn a_slow_call_does_not_stop_the_next_one() {
    let (gate, writers) = (gate(), Writers::default());
    let held = gate.clone();
    let fake = Fake::start(move |request| match request.call.as_str() {
        "flush" if request.nth == 0 => writers.answer(request).held_by(&held),
        _ => writers.answer(request),
    })
    .await;
    let writer = fake.client().gathering_writer("t");
    let slow = tokio::spawn({
        let writer = writer.clone();
        async move { write(&writer, "slow").await }
    });
    until("a flush", || fake.count("flush") == 1).await;
    let quick = tokio::time::timeout(STUCK, write(&writer, "quick"));
    quick.await.unwrap().unwrap();
    assert!(!slow.is_finished());
    gate.close();
    slow.await.unwrap().unwrap();
}
