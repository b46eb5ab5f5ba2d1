//! Calls by a handle: errors name its table, and no output shows the whole handle.

use accumulo_proxy::{
    BatchScanOptions, ConditionalWriterOptions, ErrorKind, IteratorScope, Range, ScanOptions,
    ScannerHandle,
};

use thrift::protocol::TType;

use crate::fake::{Answer, Fake, opened};
use crate::interface as wire;
use crate::raw::{field, structure};

const HANDLE: &str = "0123456789-abcdef";

#[tokio::test]
async fn shows_only_the_start_of_a_handle() {
    let server =
        Fake::start(|_| Answer::thrown::<wire::NextK>(ErrorKind::HandleExpired, "no such scanner"))
            .await;
    let client = server.client();
    let scanner = ScannerHandle::from(HANDLE.to_owned());
    let error = client.low_level().next_k(&scanner, 1).await.unwrap_err();
    assert_eq!(error.subject(), Some("01234567.."));
    assert!(!format!("{scanner:?} {error:?}").contains("89-abcdef"));
    assert_eq!(scanner.as_str(), HANDLE);
}

/// Regression test: the errors of calls by a handle named its first eight characters instead of the
/// table.
#[tokio::test]
async fn errors_of_a_handle_name_its_table() {
    let server = Fake::start(|request| match request.call.starts_with("create") {
        true => opened(request),
        false => Answer::Refuse(6, "Internal error"),
    })
    .await;
    let client = server.client();
    let low_level = client.low_level();
    let mut errors = Vec::new();

    let options = ScanOptions::default();
    let scanner = low_level.create_scanner("t", &options).await.unwrap();
    errors.push(low_level.has_next(&scanner).await.unwrap_err());
    errors.push(low_level.next_entry(&scanner).await.unwrap_err());
    let options = BatchScanOptions::over([Range::all()]);
    let batch_scanner = low_level.create_batch_scanner("t", &options).await.unwrap();
    errors.push(low_level.next_k(&batch_scanner, 1).await.unwrap_err());
    errors.push(low_level.close_scanner(&batch_scanner).await.unwrap_err());

    let options = ConditionalWriterOptions::default();
    let writer = low_level.create_conditional_writer("t", &options).await.unwrap();
    let updated = low_level.update_rows_conditionally(&writer, &[]).await;
    errors.push(updated.unwrap_err());
    let closed = low_level.close_conditional_writer(&writer).await;
    errors.push(closed.unwrap_err());

    for error in &errors {
        let said = format!("{} of `t` at {}: ", error.call(), server.address());
        assert!(error.to_string().starts_with(&said), "{error}");
    }
    let calls: Vec<_> = errors.iter().map(accumulo_proxy::Error::call).collect();
    let expected = [
        "hasNext",
        "nextEntry",
        "nextK",
        "closeScanner",
        "updateRowsConditionally",
        "closeConditionalWriter",
    ];
    assert_eq!(calls, expected);
}

/// The reply is valid Thrift but lacks a required field.
#[tokio::test]
async fn the_error_of_an_incomplete_reply_names_its_call() {
    let server = Fake::start(|_| {
        Answer::Reply(Box::new(|output| {
            structure(output, |output| {
                field(output, TType::Struct, 0, |output| {
                    structure(output, |output| {
                        field(output, TType::I32, 1, |output| output.write_i32(7))
                    })
                })
            })
        }))
    })
    .await;
    let client = server.client();
    let tables = client.table_operations();
    let error = tables.iterator("t", "any", IteratorScope::Scan).await.unwrap_err();
    assert_eq!((error.kind(), error.call()), (ErrorKind::Protocol, "getIteratorSetting"));
    let place = server.address();
    let said =
        format!("getIteratorSetting of `t` at {place}: the reply is damaged: it lacks `name`");
    assert_eq!(error.to_string(), said);
    assert!(!error.may_have_taken_effect());
}
