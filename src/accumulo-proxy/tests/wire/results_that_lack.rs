//! Replies with neither a result nor an exception. The call may have been executed all the same,
//! unless it changes nothing. In a former version the error denied that.

use accumulo_proxy::{
    Condition, ConditionalMutation, ConditionalOutcome, ConditionalWriterHandle,
    ConditionalWriterOptions, Error, ErrorKind, Mutation, ScannerHandle,
};

use crate::fake::{Answer, Fake, Request, opened};
use crate::interface as wire;

/// Answers with a valid Thrift structure without fields, unless a call opens a writer.
fn answer(request: &Request) -> Answer {
    match request.call.as_str() {
        "createConditionalWriter" => opened(request),
        _ => Answer::result::<wire::CloseConditionalWriter>(()),
    }
}

fn mutation() -> ConditionalMutation {
    let mutation = Mutation::new("r").put("f", "q", "v");
    mutation.when([Condition::absent("f", "q")])
}

fn error<T: std::fmt::Debug>(result: Result<T, Error>) -> Error {
    result.unwrap_err()
}

#[tokio::test]
async fn a_call_without_a_result_may_have_been_executed() {
    let fake = Fake::start(answer).await;
    let client = fake.client();
    let (tables, low_level) = (client.table_operations(), client.low_level());
    let namespaces = client.namespace_operations();
    let scanner = ScannerHandle::from("scanner".to_owned());
    let writer = ConditionalWriterHandle::from("writer".to_owned());
    let conditional = client.conditional_writer("t", ConditionalWriterOptions::default());
    let ConditionalOutcome::Unknown(Some(unknown)) = conditional.write(mutation()).await.unwrap()
    else {
        panic!("the outcome is known");
    };
    let update_row = low_level.update_row_conditionally("t", &mutation()).await;
    let rows = [mutation()];
    let update_rows = low_level.update_rows_conditionally(&writer, &rows);
    for (call, error, may_have_taken_effect) in [
        ("addConstraint", error(tables.add_constraint("t", "c").await), true),
        ("addNamespaceConstraint", error(namespaces.add_constraint("n", "c").await), true),
        ("nextEntry", error(low_level.next_entry(&scanner).await), true),
        ("nextK", error(low_level.next_k(&scanner, 1).await), true),
        ("updateRowConditionally", error(update_row), true),
        ("updateRowsConditionally", error(update_rows.await), true),
        ("updateRowsConditionally", unknown, true),
        ("listConstraints", error(tables.constraints("t").await), false),
        ("tableExists", error(tables.exists("t").await), false),
    ] {
        assert_eq!(
            (error.kind(), error.call(), error.may_have_taken_effect()),
            (ErrorKind::Protocol, call, may_have_taken_effect),
            "{error}"
        );
        let reason = "the reply holds neither a result nor an exception";
        assert_eq!(error.reason(), reason, "{error}");
    }
    for call in ["addConstraint", "addNamespaceConstraint"] {
        assert_eq!(fake.count(call), 1, "{call}");
    }
}
