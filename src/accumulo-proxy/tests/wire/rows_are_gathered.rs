//! Conditional mutations of many tasks share one call, and each caller gets its own outcome.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accumulo_proxy::{
    Bytes, ColumnUpdate, Condition, ConditionalMutation, ConditionalOutcome, ConditionalWriter,
    ConditionalWriterOptions, ErrorKind, IteratorSetting, Mutation, Protocol,
};
use futures::future::join_all;
use tokio::time::{sleep, timeout};

use crate::fake::{Answer, Fake, Gate, Request, STUCK, gate, opened, until};
use crate::interface as wire;

const CALL: &str = "updateRowsConditionally";
const SOON: Duration = Duration::from_millis(20);

fn mutation(row: &str, value: &str) -> ConditionalMutation {
    let put = Mutation::new(row.to_owned()).put("f", "q", value.to_owned());
    put.when([Condition::absent("f", "q")])
}

fn reply(statuses: impl IntoIterator<Item = (Bytes, wire::ConditionalStatus)>) -> Answer {
    let statuses = statuses.into_iter().collect::<std::collections::BTreeMap<_, _>>();
    Answer::result::<wire::UpdateRowsConditionally>(statuses)
}

fn rows(request: &Request) -> Vec<Bytes> {
    let request = request.read::<wire::UpdateRowsConditionally>();
    request.updates.unwrap().into_keys().collect()
}

fn accept(request: &Request) -> Answer {
    let accepted = |row| (row, wire::ConditionalStatus::Accepted);
    reply(rows(request).into_iter().map(accepted))
}

fn fail(kind: ErrorKind) -> Answer {
    Answer::thrown::<wire::UpdateRowsConditionally>(kind, "exception")
}

/// Starts a proxy with conditional writers; `update` answers their calls.
async fn fake(update: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Fake {
    fake_with(Protocol::Compact, update).await
}

async fn fake_with(
    protocol: Protocol,
    update: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) -> Fake {
    Fake::start_with(protocol, move |request| match request.call.as_str() {
        "createConditionalWriter" => opened(request),
        "listSplits" => {
            let splits = vec![Bytes::from("m")];
            Answer::result::<wire::ListSplits>(splits)
        }
        "closeConditionalWriter" => Answer::result::<wire::CloseConditionalWriter>(()),
        CALL => update(request),
        other => panic!("unexpected call {other}"),
    })
    .await
}

fn writer(fake: &Fake) -> ConditionalWriter {
    let options = ConditionalWriterOptions::default();
    fake.client().conditional_writer("t", options)
}

async fn write(writer: &ConditionalWriter, row: &str) -> ConditionalOutcome {
    writer.write(mutation(row, "v")).await.unwrap()
}

/// Returns the error of an unknown outcome.
fn unknown(outcome: ConditionalOutcome) -> accumulo_proxy::Error {
    match outcome {
        ConditionalOutcome::Unknown(Some(error)) => {
            assert!(error.may_have_taken_effect());
            error
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn many_tasks_share_a_few_calls() {
    for protocol in [Protocol::Compact, Protocol::Binary] {
        let fake = fake_with(protocol, |request| accept(request).after(SOON)).await;
        let writer = writer(&fake);
        let tasks = (0..64).map(|task| {
            let writer = writer.clone();
            tokio::spawn(async move { write(&writer, &format!("row{task}")).await })
        });
        for outcome in join_all(tasks).await {
            assert!(outcome.unwrap().is_accepted());
        }
        let calls = fake.calls(CALL);
        assert!(calls.len() <= 4, "{} calls", calls.len());
        let sent: usize = calls.iter().map(|call| rows(call).len()).sum();
        assert_eq!(sent, 64);
        assert_eq!(fake.count("createConditionalWriter"), 1);
    }
}

/// Covers a bug: the first mutation left alone if another thread was quick.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mutations_of_one_write_leave_together() {
    let fake = fake(accept).await;
    let writer = writer(&fake);
    for number in 1..=20 {
        let mutations = (0..200).map(|row| mutation(&format!("row{row}"), "v"));
        writer.write_all(mutations.collect()).await.unwrap();
        assert_eq!(fake.count(CALL), number);
    }
}

/// The places of the first mutations become free only after they were sent.
#[tokio::test]
async fn a_write_of_more_bytes_than_may_wait_leaves_in_parts() {
    let fake = fake(accept).await;
    let mut options = ConditionalWriterOptions::default();
    options.max_waiting_bytes = NonZeroUsize::MIN;
    let writer = fake.client().conditional_writer("t", options);
    let mutations = (0..3).map(|row| mutation(&format!("row{row}"), "v"));
    let outcomes = timeout(STUCK, writer.write_all(mutations.collect())).await;
    let outcomes = outcomes.unwrap().unwrap();
    assert!(outcomes.iter().all(ConditionalOutcome::is_accepted));
    assert_eq!(fake.count(CALL), 3);
}

#[tokio::test]
async fn limits_the_rows_of_a_call() {
    let fake = fake(|request| accept(request).after(SOON)).await;
    let options = ConditionalWriterOptions::default().rows_per_call(10.try_into().unwrap());
    let writer = fake.client().conditional_writer("t", options);
    let mutations = (0..95).map(|row| mutation(&format!("row{row}"), "v"));
    let outcomes = writer.write_all(mutations.collect()).await.unwrap();
    assert!(outcomes.iter().all(ConditionalOutcome::is_accepted));
    let calls = fake.calls(CALL);
    assert!(calls.iter().all(|call| rows(call).len() <= 10));
    assert!(calls.len() <= 12, "{} calls", calls.len());
}

#[tokio::test]
async fn limits_the_number_of_concurrent_calls() {
    let fake = fake(|request| accept(request).after(SOON)).await;
    let options = ConditionalWriterOptions::default()
        .calls_in_flight(1.try_into().unwrap())
        .rows_per_call(1.try_into().unwrap());
    let writer = fake.client().conditional_writer("t", options);
    let mutations = (0..5).map(|row| mutation(&format!("row{row}"), "v"));
    let outcomes = writer.write_all(mutations.collect()).await.unwrap();
    assert_eq!(outcomes.len(), 5);
    assert_eq!(fake.count(CALL), 5);
    assert_eq!(fake.connections(), 1);
}

#[tokio::test]
async fn sends_mutations_of_one_row_one_after_the_other() {
    let values = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&values);
    let fake = fake(move |request| {
        let read = request.read::<wire::UpdateRowsConditionally>();
        let updates = read.updates.unwrap();
        let same = &updates[b"same".as_slice()];
        let value = same.updates.as_ref().unwrap()[0].value.clone().unwrap();
        seen.lock().unwrap().push(String::from_utf8(value.into()).unwrap());
        let status = match request.nth {
            0 => wire::ConditionalStatus::Accepted,
            _ => wire::ConditionalStatus::Rejected,
        };
        reply([("same".into(), status)]).after(SOON)
    })
    .await;
    let writer = writer(&fake);
    let mutations = ["one", "two", "three"].map(|value| mutation("same", value));
    let outcomes = writer.write_all(mutations.to_vec()).await.unwrap();
    assert!(matches!(
        outcomes.as_slice(),
        [ConditionalOutcome::Accepted, ConditionalOutcome::Rejected, ConditionalOutcome::Rejected]
    ));
    assert_eq!(*values.lock().unwrap(), ["one", "two", "three"]);
    // Each is sent after the previous one has its outcome: one connection is enough.
    assert_eq!(fake.connections(), 1);
}

#[tokio::test]
async fn converts_each_status_and_reports_a_missing_one_as_unknown() {
    let fake = fake(|_| {
        let statuses = [
            ("accepted", wire::ConditionalStatus::Accepted),
            ("rejected", wire::ConditionalStatus::Rejected),
            ("violated", wire::ConditionalStatus::Violated),
            ("unknown", wire::ConditionalStatus::Unknown),
            ("invisible", wire::ConditionalStatus::InvisibleVisibility),
        ];
        reply(statuses.map(|(row, status)| (row.into(), status)))
    })
    .await;
    let writer = writer(&fake);
    for (row, outcome) in [
        ("accepted", "Accepted"),
        ("rejected", "Rejected"),
        ("violated", "ConstraintViolation"),
        ("unknown", "Unknown(None)"),
        ("invisible", "InvisibleVisibility"),
    ] {
        assert_eq!(format!("{:?}", write(&writer, row).await), outcome);
    }
    let missing = unknown(write(&writer, "missing").await);
    assert!(missing.reason().contains("lacks"), "{missing}");
}

/// The map of a reply with another type of values has the same form on the wire.
#[tokio::test]
async fn a_status_without_a_name_makes_all_rows_of_the_call_unknown() {
    let fake = fake(|_| {
        let statuses = std::collections::BTreeMap::from([("a".to_owned(), 77)]);
        Answer::result::<wire::ListConstraints>(statuses)
    })
    .await;
    let strange = unknown(write(&writer(&fake), "a").await);
    assert!(strange.reason().contains("77 is not a value of ConditionalStatus"), "{strange}");
}

#[tokio::test]
async fn a_lost_reply_makes_all_rows_of_the_call_unknown_without_a_retry() {
    let fake = fake(|_| Answer::Close).await;
    let writer = writer(&fake);
    let mutations = ["a", "b"].map(|row| mutation(row, "v"));
    let outcomes = writer.write_all(mutations.to_vec()).await.unwrap();
    for outcome in outcomes {
        assert_eq!(unknown(outcome).kind(), ErrorKind::Unreachable);
    }
    assert!(fake.calls(CALL).iter().flat_map(rows).count() == 2);
}

#[tokio::test]
async fn an_exception_makes_all_rows_of_the_call_unknown() {
    let fake = fake(|request| match request.nth {
        0 => fail(ErrorKind::Accumulo),
        1 => fail(ErrorKind::Security),
        2 => Answer::Refuse(6, "Internal error"),
        _ => accept(request),
    })
    .await;
    let writer = writer(&fake);
    let kinds = [ErrorKind::Accumulo, ErrorKind::Security, ErrorKind::Protocol];
    for (call, kind) in kinds.into_iter().enumerate() {
        assert_eq!(unknown(write(&writer, "a").await).kind(), kind);
        // A writer that failed is not used again, because its table may have been deleted.
        until("close", || fake.count("closeConditionalWriter") == call + 1).await;
    }
    assert!(write(&writer, "a").await.is_accepted());
    assert_eq!(fake.count("createConditionalWriter"), 4);
}

/// Regression test: a writer was closed while another call used it, which then failed too.
#[tokio::test]
async fn a_failed_call_does_not_break_a_concurrent_one() {
    let gate = gate();
    let holds = Gate::clone(&gate);
    let fake = fake(move |request| match rows(request)[0].as_ref() {
        b"bad" => fail(ErrorKind::Accumulo),
        _ => accept(request).held_by(&holds),
    })
    .await;
    let writer = writer(&fake);
    let other = writer.clone();
    let beside = tokio::spawn(async move { write(&other, "slow").await });
    until("the call beside", || fake.count(CALL) == 1).await;
    assert_eq!(unknown(write(&writer, "bad").await).kind(), ErrorKind::Accumulo);
    // The next call has its own writer, and the old one stays open until the concurrent call ends.
    sleep(Duration::from_millis(50)).await;
    assert_eq!(fake.count("closeConditionalWriter"), 0);
    assert!(!beside.is_finished());
    gate.close();
    assert!(beside.await.unwrap().is_accepted());
    until("close", || fake.count("closeConditionalWriter") == 1).await;
}

/// Without its own limit, the proxy would continue to work on a call after its caller timed out.
#[tokio::test]
async fn the_proxy_times_out_before_its_caller() {
    let fake = fake(accept).await;
    let default = ConditionalWriterOptions::default();
    let short = default.clone().timeout(Duration::from_micros(300));
    let three_quarters = i64::try_from(STUCK.as_millis()).unwrap() / 4 * 3;
    for (nth, (options, millis)) in [(default, three_quarters), (short, 1)].into_iter().enumerate()
    {
        let writer = fake.client().conditional_writer("t", options);
        assert!(write(&writer, "a").await.is_accepted());
        let opened = fake.calls("createConditionalWriter").swap_remove(nth);
        let opened = opened.read::<wire::CreateConditionalWriter>();
        assert_eq!(opened.options.unwrap().timeout_ms, Some(millis));
    }
}

#[tokio::test]
async fn reopens_a_writer_that_the_proxy_dropped() {
    let fake = fake(|request| {
        let read = request.read::<wire::UpdateRowsConditionally>();
        match read.conditional_writer.unwrap().as_str() {
            "createConditionalWriter-0" => fail(ErrorKind::HandleExpired),
            _ => accept(request),
        }
    })
    .await;
    let writer = writer(&fake);
    let outcomes = join_all(["a", "b", "c"].map(|row| write(&writer, row))).await;
    assert!(outcomes.iter().all(ConditionalOutcome::is_accepted));
    assert_eq!(fake.count("createConditionalWriter"), 2);
}

#[tokio::test]
async fn fails_without_effect_if_the_proxy_never_has_the_writer() {
    let fake = fake(|_| fail(ErrorKind::HandleExpired)).await;
    let error = writer(&fake).write(mutation("a", "v")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::HandleExpired);
    assert!(!error.may_have_taken_effect());
    assert_eq!(fake.count(CALL), 9);
}

#[tokio::test]
async fn fails_without_effect_if_the_table_does_not_exist() {
    let fake = Fake::start(|_| {
        let message = "Table t does not exist";
        Answer::thrown::<wire::CreateConditionalWriter>(ErrorKind::TableNotFound, message)
    })
    .await;
    let error = writer(&fake).write(mutation("a", "v")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
    assert!(!error.may_have_taken_effect());
    assert_eq!(error.call(), "createConditionalWriter");
}

#[tokio::test]
async fn rejects_mutations_at_which_a_proxy_would_fail_before_anything_is_sent() {
    let fake = fake(accept).await;
    let writer = writer(&fake);
    let put = || Mutation::new("r").put("f", "q", "v");
    let absent = || Condition::absent("f", "q");
    let iterator = |name: &str, priority| IteratorSetting::new(priority, name, "Class");
    let seen_by = |visibility| ColumnUpdate::put("f", "q", "v").with_visibility(visibility);
    let bad = [
        (put().when([]), ErrorKind::Invalid),
        (Mutation::new("r").when([absent()]), ErrorKind::Invalid),
        (put().when([absent().with_visibility("a&")]), ErrorKind::Invalid),
        (put().update(seen_by("(a")).when([absent()]), ErrorKind::Invalid),
        (put().when([absent().iterator(iterator("i", 0))]), ErrorKind::Invalid),
        (
            put().when([absent().iterator(iterator("i", 1)).iterator(iterator("i", 2))]),
            ErrorKind::Invalid,
        ),
        (
            put().when([absent().iterator(iterator("i", 1)).iterator(iterator("j", 1))]),
            ErrorKind::Invalid,
        ),
        (mutation("r", &"v".repeat(17 * 1024 * 1024)), ErrorKind::TooLarge),
    ];
    for (mutation_bad, kind) in bad {
        let all = vec![mutation("good", "v"), mutation_bad];
        let error = writer.write_all(all).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.may_have_taken_effect());
    }
    assert_eq!(fake.connections(), 0);
}

#[tokio::test]
async fn a_cancelled_caller_does_not_affect_others() {
    let fake = fake(|request| accept(request).after(SOON)).await;
    let writer = writer(&fake);
    let spawn = |row: &'static str| {
        let writer = writer.clone();
        tokio::spawn(async move { write(&writer, row).await })
    };
    let (cancelled, stays, same) = (spawn("a"), spawn("b"), spawn("a"));
    until(CALL, || fake.count(CALL) > 0).await;
    cancelled.abort();
    assert!(stays.await.unwrap().is_accepted());
    assert!(same.await.unwrap().is_accepted());
}

#[tokio::test]
async fn dropping_the_last_clone_closes_the_writer() {
    let fake = fake(accept).await;
    let first = writer(&fake);
    let second = first.clone();
    let _ = write(&first, "a").await;
    drop(first);
    let _ = write(&second, "a").await;
    assert_eq!(fake.count("closeConditionalWriter"), 0);
    drop(second);
    until("close", || fake.count("closeConditionalWriter") == 1).await;
    assert_eq!(fake.count("createConditionalWriter"), 1);
}

#[tokio::test]
async fn never_opens_a_writer_without_writes() {
    let fake = fake(accept).await;
    drop(writer(&fake));
    sleep(SOON).await;
    assert_eq!(fake.connections(), 0);
}

/// A call has one outcome for all of its rows, so a tablet that does not answer held every call.
#[tokio::test]
async fn rows_of_a_tablet_that_does_not_answer_do_not_stop_the_others() {
    let gate = gate();
    let held = gate.clone();
    let is_of_first_tablet = |row: &Bytes| row.starts_with(b"a");
    let fake = fake(move |request| match rows(request).iter().any(is_of_first_tablet) {
        true => accept(request).held_by(&held),
        false => accept(request),
    })
    .await;
    let writer = writer(&fake);
    let start = |row: &'static str| {
        let writer = writer.clone();
        tokio::spawn(async move { write(&writer, row).await })
    };
    let mut stuck = vec![start("a1")];
    until("a call", || fake.count(CALL) == 1).await;
    stuck.extend([start("a2"), start("n")]);
    until("a call beside it", || fake.count(CALL) == 2).await;
    stuck.push(start("a3"));
    until("the own call of a tablet", || fake.count(CALL) == 3).await;
    stuck.push(start("a4"));
    let others = ["o", "p", "q"].map(start);
    until("a call of the other tablet", || fake.count(CALL) >= 4).await;
    let held = rows(&fake.calls(CALL)[3]);
    assert!(!held.iter().any(is_of_first_tablet), "{held:?}");
    for other in others {
        assert!(other.await.unwrap().is_accepted());
    }
    assert!(stuck.iter().all(|write| !write.is_finished()));
    gate.close();
    for write in stuck {
        assert!(write.await.unwrap().is_accepted());
    }
}
