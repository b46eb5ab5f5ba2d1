//! A writer by its handle keeps one connection, because its calls have an order only there.

use std::collections::HashSet;

use accumulo_proxy::{
    BatchScanOptions, ConditionalWriterOptions, ErrorKind, IteratorScope, Mutation, Range,
    ScanOptions, ScannerHandle, ServerWriter, WriterOptions,
};

use crate::fake::{Answer, Fake, Request, thrown, timed_out, until};
use crate::interface as wire;

const HANDLE: &str = "0123456789-abcdef";

fn answer(request: &Request) -> Answer {
    match request.call.as_str() {
        "createWriter" => {
            let reply = wire::CreateWriterReply::new("handle".to_owned(), None, None, None);
            Answer::reply(reply)
        }
        // The call is one-way and has no reply.
        "update" => Answer::Nothing,
        "flush" => Answer::reply(wire::FlushReply::new(None, None)),
        "closeWriter" => Answer::reply(wire::CloseWriterReply::new(None, None)),
        "tableExists" => Answer::reply(wire::TableExistsReply::new(true)),
        other => panic!("{other}"),
    }
}

async fn update(writer: &mut ServerWriter) -> accumulo_proxy::Result<()> {
    let mutation = Mutation::new("a").put("f", "q", "v");
    writer.update(&[mutation]).await
}

#[tokio::test]
async fn a_writer_has_exclusive_use_of_its_connection_until_it_is_closed() {
    let server = Fake::start(answer).await;
    let mut settings = server.settings();
    settings = settings.connections(1.try_into().unwrap());
    let client = accumulo_proxy::ProxyClient::lazy(settings);
    let options = WriterOptions::default();
    let mut writer = client
        .low_level()
        .create_writer("t", &options)
        .await
        .unwrap();
    assert_eq!(writer.handle().as_str(), "handle");

    let tables = client.table_operations();
    let waited = timed_out("nothing", || true, tables.exists("t")).await;
    let waited = waited.unwrap_err();
    assert_eq!(waited.kind(), ErrorKind::TimedOut, "{waited}");
    for _ in 0..3 {
        update(&mut writer).await.unwrap();
    }
    writer.flush().await.unwrap();
    assert_eq!((server.count("update"), server.count("flush")), (3, 1));
    writer.close().await.unwrap();
    assert!(client.table_operations().exists("t").await.unwrap());
    assert_eq!(server.connections(), 1);
}

/// Regression test: if no connection was left for it, a writer was opened and its handle was lost.
#[tokio::test]
async fn opens_no_writer_without_a_connection() {
    let server = Fake::start(answer).await;
    let mut settings = server.settings();
    settings = settings.connections(1.try_into().unwrap());
    let client = accumulo_proxy::ProxyClient::lazy(settings);
    let options = WriterOptions::default();
    let low_level = client.low_level();
    let first = low_level.create_writer("t", &options).await.unwrap();
    let second = timed_out("nothing", || true, low_level.create_writer("t", &options)).await;
    let error = second.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert_eq!(server.count("createWriter"), 1);
    drop(first);
}

#[tokio::test]
async fn shows_only_the_start_of_a_handle() {
    let server = Fake::start(|_| {
        let message = thrown("no such scanner");
        Answer::reply(wire::NextKReply::new(None, None, message, None))
    })
    .await;
    let client = server.client();
    let scanner = ScannerHandle::from(HANDLE.to_owned());
    let error = client.low_level().next_k(&scanner, 1).await.unwrap_err();
    assert_eq!(error.subject(), Some("01234567.."));
    assert!(!format!("{scanner:?} {scanner} {error:?}").contains("89-abcdef"));
    assert_eq!(scanner.as_str(), HANDLE);
}

/// Regression test: the errors of calls by a handle named its first eight characters instead of the
/// table.
#[tokio::test]
async fn errors_of_a_handle_name_its_table() {
    let server = Fake::start(|request| match request.call.as_str() {
        "createScanner" => Answer::reply(wire::CreateScannerReply::new(
            HANDLE.to_owned(),
            None,
            None,
            None,
        )),
        "createBatchScanner" => Answer::reply(wire::CreateBatchScannerReply::new(
            HANDLE.to_owned(),
            None,
            None,
            None,
        )),
        "createConditionalWriter" => Answer::reply(wire::CreateConditionalWriterReply::new(
            HANDLE.to_owned(),
            None,
            None,
            None,
        )),
        "createWriter" => answer(request),
        _ => Answer::Refuse(6, "Internal error"),
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
    let writer = low_level
        .create_conditional_writer("t", &options)
        .await
        .unwrap();
    let updated = low_level.update_rows_conditionally(&writer, &[]).await;
    errors.push(updated.unwrap_err());
    let closed = low_level.close_conditional_writer(&writer).await;
    errors.push(closed.unwrap_err());

    let options = WriterOptions::default();
    let mut writer = low_level.create_writer("t", &options).await.unwrap();
    errors.push(writer.flush().await.unwrap_err());
    let handle = writer.handle().clone();
    errors.push(writer.close().await.unwrap_err());
    let mut resumed = low_level.resume_writer(handle).await.unwrap();
    errors.push(resumed.flush().await.unwrap_err());

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
        "flush",
        "closeWriter",
        "flush",
    ];
    assert_eq!(calls, expected);
    // Handles from different sources are equal.
    assert_eq!(scanner, ScannerHandle::from(HANDLE.to_owned()));
    assert_eq!(HashSet::from([scanner, batch_scanner]).len(), 1);
}

#[tokio::test]
async fn after_a_break_the_effect_of_updates_is_unknown() {
    let server = Fake::start(answer).await;
    let client = server.client();
    let options = WriterOptions::default();
    let mut writer = client
        .low_level()
        .create_writer("t", &options)
        .await
        .unwrap();
    update(&mut writer).await.unwrap();
    until("the update came", || server.count("update") == 1).await;
    server.break_connections();
    let broken = writer.flush().await.unwrap_err();
    assert_eq!(
        (broken.kind(), broken.call()),
        (ErrorKind::Unreachable, "flush"),
        "{broken}"
    );
    assert!(broken.may_have_taken_effect());

    // On another connection the flush could arrive before the update, and would report success.
    let after = writer.flush().await.unwrap_err();
    assert_eq!(
        after.reason(),
        "the connection of this writer broke earlier"
    );
    assert!(after.may_have_taken_effect());
    assert_eq!(update(&mut writer).await.unwrap_err().call(), "update");
    assert_eq!(server.count("flush"), 0);
    drop(writer);
    assert!(client.table_operations().exists("t").await.unwrap());
}

#[tokio::test]
async fn does_not_start_an_update_that_is_too_long() {
    let server = Fake::start(answer).await;
    let mut settings = server.settings();
    settings = settings.max_request_bytes(1000);
    let client = accumulo_proxy::ProxyClient::lazy(settings);
    let options = WriterOptions::default();
    let mut writer = client
        .low_level()
        .create_writer("t", &options)
        .await
        .unwrap();
    let long = Mutation::new("a").put("f", "q", vec![0; 2000]);
    let error = writer.update(&[long]).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::TooLarge, "update"),
        "{error}"
    );
    assert!(!error.may_have_taken_effect());
    update(&mut writer).await.unwrap();
    writer.flush().await.unwrap();
    assert_eq!(server.count("update"), 1);
}

/// The reply is valid Thrift but lacks a required field.
#[tokio::test]
async fn the_error_of_an_incomplete_reply_names_its_call() {
    let server = Fake::start(|_| {
        let nameless = wire::IteratorSetting::new(7, None, "org.example.Filter".to_owned(), None);
        Answer::reply(wire::GetIteratorSettingReply::new(
            nameless, None, None, None,
        ))
    })
    .await;
    let client = server.client();
    let tables = client.table_operations();
    let error = tables
        .iterator("t", "any", IteratorScope::Scan)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Protocol, "getIteratorSetting")
    );
    let place = server.address();
    let said = format!("getIteratorSetting of `t` at {place}: the reply lacks `name`");
    assert_eq!(error.to_string(), said);
    assert!(!error.may_have_taken_effect());
}
