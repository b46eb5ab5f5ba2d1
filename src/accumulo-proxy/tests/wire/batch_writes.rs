//! A batch writer writes everything that was flushed, in the order of each row, and returns an
//! error to every caller.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accumulo_proxy::{BatchWriter, BatchWriterOptions, Bytes, ErrorKind, Mutation};
use tokio::time::{pause, sleep, timeout};

use crate::fake::{Answer, Fake, Gate, Request, gate, until};
use crate::interface as wire;

const CALL: &str = "updateAndFlush";
const SOON: Duration = Duration::from_millis(50);

/// Values by row, in the order of their arrival.
type Written = Arc<Mutex<BTreeMap<Bytes, Vec<String>>>>;

fn ok() -> Answer {
    Answer::result::<wire::UpdateAndFlush>(())
}

fn keep(written: &Written, request: &Request) {
    let cells = request.read::<wire::UpdateAndFlush>().cells.unwrap();
    let mut written = written.lock().unwrap();
    for (row, updates) in cells {
        let values = updates.into_iter().map(|update| update.value.unwrap());
        let values = values.map(|value| String::from_utf8(value.into()).unwrap());
        written.entry(row).or_default().extend(values);
    }
}

async fn fake() -> (Fake, Written) {
    let written = Written::default();
    let kept = Arc::clone(&written);
    let fake = Fake::start(move |request| {
        keep(&kept, request);
        ok().after(Duration::from_millis(2))
    })
    .await;
    (fake, written)
}

fn writer(fake: &Fake) -> BatchWriter {
    fake.client().batch_writer("t", BatchWriterOptions::default())
}

fn mutation(row: usize, value: usize) -> Mutation {
    Mutation::new(format!("row{row}")).put("f", "q", value.to_string())
}

#[tokio::test]
async fn writes_flushed_mutations_in_the_order_of_each_row() {
    let (fake, written) = fake().await;
    let writer = writer(&fake);
    for value in 0..50 {
        for row in 0..100 {
            writer.add(mutation(row, value)).await.unwrap();
        }
    }
    writer.flush().await.unwrap();
    let expected: Vec<_> = (0..50).map(|value| value.to_string()).collect();
    assert_eq!(written.lock().unwrap().len(), 100);
    assert!(written.lock().unwrap().values().all(|values| *values == expected));
    assert!(fake.count(CALL) < 100, "{} calls", fake.count(CALL));
    writer.close().await.unwrap();
}

#[tokio::test]
async fn limits_the_number_of_concurrent_calls() {
    let (fake, _) = fake().await;
    let options = BatchWriterOptions::default().calls_in_flight(2.try_into().unwrap());
    let writer = fake.client().batch_writer("t", options);
    for row in 0..1000 {
        writer.add(mutation(row, 0)).await.unwrap();
        tokio::task::yield_now().await;
    }
    writer.close().await.unwrap();
    assert_eq!(fake.most_open(), 2);
}

#[tokio::test]
async fn add_waits_while_too_many_bytes_wait() {
    let fake = Fake::start(|_| Answer::Never).await;
    let options = BatchWriterOptions::default().max_waiting_bytes(10_000.try_into().unwrap());
    let writer = fake.client().batch_writer("t", options);
    // The time passes only while no task can run.
    pause();
    let mut added = 0;
    while timeout(SOON, writer.add(mutation(added, 0))).await.is_ok() {
        added += 1;
    }
    assert!((50..200).contains(&added), "{added}");
}

#[tokio::test]
async fn returns_an_error_to_every_caller_and_accepts_no_more_mutations() {
    let fake = Fake::start(|_| {
        let rejected = ErrorKind::MutationsRejected;
        Answer::thrown::<wire::UpdateAndFlush>(rejected, "# constraint violations : 1")
    })
    .await;
    let writer = writer(&fake);
    writer.add(mutation(1, 0)).await.unwrap();
    for _ in 0..2 {
        let error = writer.flush().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MutationsRejected);
        assert!(error.may_have_taken_effect());
    }
    assert!(writer.add(mutation(2, 0)).await.is_err());
    assert!(writer.close().await.is_err());
    assert_eq!(fake.count(CALL), 1);
}

#[tokio::test]
async fn still_works_after_a_mutation_that_cannot_be_sent() {
    let (fake, written) = fake().await;
    let writer = writer(&fake);
    let error = writer.add(Mutation::new("empty")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let long = Mutation::new("long").put("f", "q", vec![0; 17 * 1024 * 1024]);
    let error = writer.add(long).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    writer.add(mutation(1, 0)).await.unwrap();
    writer.close().await.unwrap();
    assert_eq!(written.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn drop_without_close_discards_unsent_mutations() {
    let written = Written::default();
    let kept = Arc::clone(&written);
    let gate = gate();
    let holds = Gate::clone(&gate);
    let fake = Fake::start(move |request| {
        keep(&kept, request);
        ok().held_by(&holds)
    })
    .await;
    let options = BatchWriterOptions::default().calls_in_flight(1.try_into().unwrap());
    let writer = fake.client().batch_writer("t", options);
    writer.add(mutation(0, 0)).await.unwrap();
    until("the first call", || fake.count(CALL) == 1).await;
    for row in 1..100 {
        writer.add(mutation(row, 0)).await.unwrap();
    }
    drop(writer);
    gate.close();
    sleep(3 * SOON).await;
    assert_eq!(fake.count(CALL), 1);
    assert_eq!(written.lock().unwrap().len(), 1);
}
