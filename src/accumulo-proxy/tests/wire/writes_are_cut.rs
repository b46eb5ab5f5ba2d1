//! Division of writes into calls that a proxy accepts. A mutation is never divided.

use accumulo_proxy::{ColumnUpdate, ErrorKind, Mutation, ProxyClient};

use crate::fake::{Answer, Fake, Request};
use crate::interface as wire;

const CALL: &str = "updateAndFlush";
const MIB: usize = 1024 * 1024;

fn accept(_: &Request) -> Answer {
    Answer::result::<wire::UpdateAndFlush>(())
}

fn large(row: usize, value_bytes: usize) -> Mutation {
    Mutation::new(format!("row{row}")).put("f", "q", vec![b'v'; value_bytes])
}

#[tokio::test]
async fn divides_a_long_write_into_calls_below_the_limit() {
    let fake = Fake::start(accept).await;
    let mutations = (0..200).map(|row| large(row, 100_000)).collect();
    fake.client().write("t", mutations).await.unwrap();
    let calls = fake.calls(CALL);
    assert!((19..=22).contains(&calls.len()), "{} calls", calls.len());
    assert!(calls.iter().all(|call| call.bytes() <= MIB + 1000));
    let cells = calls.iter().map(|call| {
        let request = call.read::<wire::UpdateAndFlush>();
        request.cells.unwrap().len()
    });
    assert_eq!(cells.sum::<usize>(), 200);
}

#[tokio::test]
async fn a_mutation_that_passes_the_check_fits_into_a_frame() {
    let fake = Fake::start(accept).await;
    let settings = fake.settings().max_request_bytes(64 * 1024);
    let client = ProxyClient::lazy(settings);
    let mut sent = 0;
    for value_bytes in (0..70_000).step_by(97) {
        let mutation = large(1, value_bytes % 1000).update(
            ColumnUpdate::put("f", "p", vec![0; value_bytes]).with_visibility("a&b").at(i64::MIN),
        );
        match client.write("t", vec![mutation]).await {
            Ok(()) => sent += 1,
            // The error is never that of the connection's own check.
            Err(error) => assert!(error.reason().starts_with("the mutation of"), "{error}"),
        }
    }
    assert!(sent > 600, "{sent}");
}

#[tokio::test]
async fn rejects_mutations_that_are_invalid_or_cannot_fit_before_anything_is_sent() {
    let fake = Fake::start(accept).await;
    let client = fake.client();
    let bad = || Mutation::new("bad");
    let bad_visibility = ColumnUpdate::put("f", "q", "v").with_visibility("a|");
    for (bad, kind) in [
        (bad(), ErrorKind::Invalid),
        (bad().update(bad_visibility), ErrorKind::Invalid),
        (bad().put("f", "q", vec![b'v'; 17 * MIB]), ErrorKind::TooLarge),
    ] {
        let error = client.write("t", vec![large(1, 1), bad]).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.reason().contains("`bad`"), "{error}");
        assert!(!error.may_have_taken_effect(), "{error}");
    }
    assert_eq!(fake.count(CALL), 0);
    client.write("t", vec![large(2, 15 * MIB)]).await.unwrap();
}

#[tokio::test]
async fn an_error_after_the_first_call_may_have_taken_effect() {
    let fake = Fake::start(|request| match request.nth {
        0 => accept(request),
        _ => Answer::thrown::<wire::UpdateAndFlush>(ErrorKind::Security, "denied"),
    })
    .await;
    let client = fake.client();
    let mutations = (0..3).map(|row| large(row, MIB)).collect();
    let error = client.write("t", mutations).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Security);
    assert!(error.may_have_taken_effect());
    assert_eq!(fake.count(CALL), 2);
    let error = client.write("t", vec![large(1, 1)]).await.unwrap_err();
    assert!(!error.may_have_taken_effect());
}

#[tokio::test]
async fn makes_no_call_without_mutations() {
    let fake = Fake::start(accept).await;
    fake.client().write("t", Vec::new()).await.unwrap();
    assert_eq!(fake.count(CALL), 0);
}
