//! Replies with neither a result nor an exception. The call may have been executed all the same,
//! unless it changes nothing. In a former version the error denied that.

use accumulo_proxy::{
    Condition, ConditionalMutation, ConditionalOutcome, ConditionalWriterHandle,
    ConditionalWriterOptions, Error, ErrorKind, Mutation, ScannerHandle,
};

use crate::fake::{Answer, Fake, Request};
use crate::interface as wire;

/// Answers with a valid Thrift structure without fields.
fn answer(request: &Request) -> Answer {
    match request.call.as_str() {
        "addConstraint" => Answer::reply(wire::AddConstraintReply::new(None, None, None, None)),
        "addNamespaceConstraint" => Answer::reply(wire::AddNamespaceConstraintReply::new(
            None, None, None, None,
        )),
        "createConditionalWriter" => Answer::reply(wire::CreateConditionalWriterReply::new(
            "writer".to_owned(),
            None,
            None,
            None,
        )),
        "closeConditionalWriter" => Answer::reply(wire::CloseConditionalWriterReply::new()),
        "updateRowConditionally" => Answer::reply(wire::UpdateRowConditionallyReply::new(
            None, None, None, None,
        )),
        "updateRowsConditionally" => Answer::reply(wire::UpdateRowsConditionallyReply::new(
            None, None, None, None,
        )),
        "nextEntry" => Answer::reply(wire::NextEntryReply::new(None, None, None, None)),
        "nextK" => Answer::reply(wire::NextKReply::new(None, None, None, None)),
        "listConstraints" => Answer::reply(wire::ListConstraintsReply::new(None, None, None, None)),
        "tableExists" => Answer::reply(wire::TableExistsReply::new(None)),
        other => panic!("unexpected call {other}"),
    }
}

fn mutation() -> ConditionalMutation {
    Mutation::new("r")
        .put("f", "q", "v")
        .when([Condition::absent("f", "q")])
}

#[track_caller]
fn assert_lacks(error: &Error, call: &str, may_have_taken_effect: bool) {
    assert_eq!(
        (error.kind(), error.call(), error.may_have_taken_effect()),
        (ErrorKind::Protocol, call, may_have_taken_effect),
        "{error}"
    );
    let reason = "the reply holds neither a result nor an exception";
    assert_eq!(error.reason(), reason, "{error}");
}

#[tokio::test]
async fn a_constraint_may_have_been_added() {
    let fake = Fake::start(answer).await;
    let client = fake.client();
    let tables = client.table_operations();
    let error = tables.add_constraint("t", "a.Class").await.unwrap_err();
    assert_lacks(&error, "addConstraint", true);

    let namespaces = client.namespace_operations();
    let error = namespaces.add_constraint("n", "a.Class").await.unwrap_err();
    assert_lacks(&error, "addNamespaceConstraint", true);
    for call in ["addConstraint", "addNamespaceConstraint"] {
        assert_eq!(fake.count(call), 1, "{call}");
    }
}

#[tokio::test]
async fn conditional_mutations_may_be_written() {
    let fake = Fake::start(answer).await;
    let client = fake.client();
    let low_level = client.low_level();
    let one = low_level.update_row_conditionally("t", &mutation()).await;
    assert_lacks(&one.unwrap_err(), "updateRowConditionally", true);

    let writer = ConditionalWriterHandle::from("writer".to_owned());
    let many = low_level
        .update_rows_conditionally(&writer, &[mutation()])
        .await;
    assert_lacks(&many.unwrap_err(), "updateRowsConditionally", true);

    let writer = client.conditional_writer("t", ConditionalWriterOptions::default());
    match writer.write(mutation()).await.unwrap() {
        ConditionalOutcome::Unknown(Some(error)) => {
            assert_lacks(&error, "updateRowsConditionally", true);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_scanner_may_have_advanced() {
    let fake = Fake::start(answer).await;
    let client = fake.client();
    let scanner = ScannerHandle::from("scanner".to_owned());
    let error = client.low_level().next_entry(&scanner).await.unwrap_err();
    assert_lacks(&error, "nextEntry", true);
    let error = client.low_level().next_k(&scanner, 1).await.unwrap_err();
    assert_lacks(&error, "nextK", true);
}

#[tokio::test]
async fn calls_that_change_nothing_have_no_effect() {
    let fake = Fake::start(answer).await;
    let client = fake.client();
    let tables = client.table_operations();
    let error = tables.constraints("t").await.unwrap_err();
    assert_lacks(&error, "listConstraints", false);
    let error = tables.exists("t").await.unwrap_err();
    assert_lacks(&error, "tableExists", false);
}
