//! An error names the call, the table and the address, and no output shows a password.

use std::fmt::Debug;

use accumulo_proxy::{
    BatchScanOptions, BatchWriterOptions, Condition, ConditionalWriterOptions, Error, Mutation,
    Range, ScanOptions,
};
use futures::StreamExt;

use crate::fake::{Answer, Fake, PASSWORD};

fn assert_discreet(shown: &impl Debug) {
    let shown = format!("{shown:?} {shown:#?}");
    assert!(!shown.contains(PASSWORD), "{shown}");
    // The token of a login is as powerful as the password.
    assert!(!shown.contains("116, 111, 107, 101, 110"), "{shown}");
}

fn assert_says(error: &Error, expected: &str) {
    assert_eq!(error.to_string(), expected);
    assert_discreet(error);
    assert!(!expected.contains(PASSWORD));
    let (kind, is_possible) = (error.kind(), error.may_have_taken_effect());
    let shown =
        format!("kind: {kind:?}, message: {expected:?}, may_have_taken_effect: {is_possible}");
    assert_eq!(format!("{error:?}"), format!("Error {{ {shown} }}"));
}

#[tokio::test]
async fn names_call_table_and_address_of_every_read_and_write() {
    let fake = Fake::start(|_| Answer::Refuse(1, "no such call")).await;
    let client = fake.client();
    let address = fake.address();
    let refused = |call: &str| {
        format!(
            "{call} of `pages` at {address}: the proxy refused the call: it has no such call (no such call)"
        )
    };

    let mut scanner = client.scanner("pages", ScanOptions::default());
    let error = scanner.next().await.unwrap().unwrap_err();
    assert_says(&error, &refused("createScanner"));

    let options = BatchScanOptions::over([Range::all()]);
    let mut batch_scanner = client.batch_scanner("pages", options);
    let error = batch_scanner.next().await.unwrap().unwrap_err();
    assert_says(&error, &refused("createBatchScanner"));

    let put = || Mutation::new("r").put("f", "q", "v");
    let error = client.write("pages", vec![put()]).await.unwrap_err();
    assert_says(&error, &refused("updateAndFlush"));

    let batch_writer = client.batch_writer("pages", BatchWriterOptions::default());
    batch_writer.add(put()).await.unwrap();
    let error = batch_writer.flush().await.unwrap_err();
    assert_says(&error, &refused("updateAndFlush"));

    let options = ConditionalWriterOptions::default();
    let conditional_writer = client.conditional_writer("pages", options);
    let mutation = put().when([Condition::absent("f", "q")]);
    let error = conditional_writer.write(mutation).await.unwrap_err();
    assert_says(&error, &refused("createConditionalWriter"));

    assert_discreet(&client);
    assert_discreet(&fake.settings());
    assert_discreet(&(scanner, batch_scanner));
    assert_discreet(&(batch_writer, conditional_writer));
    assert_discreet(&client.scanner("pages", ScanOptions::default()));
}

#[tokio::test]
async fn escapes_a_row_that_is_not_text() {
    let fake = Fake::start(|_| Answer::Close).await;
    let row = [b"\n\x00".as_slice(), &[b'x'; 100]].concat();
    let error = fake.client().write("pages", vec![Mutation::new(row)]).await.unwrap_err();
    let expected = format!(
        "updateAndFlush of `pages` at {}: the mutation of the row `\\n\\x00{}..` has no update",
        fake.address(),
        "x".repeat(38)
    );
    assert_says(&error, &expected);
}

#[tokio::test]
async fn escapes_the_name_of_a_table() {
    let fake = Fake::start(|_| Answer::Close).await;
    let mut scanner = fake.client().scanner("two\nlines", ScanOptions::default());
    let error = scanner.next().await.unwrap().unwrap_err();
    assert!(error.to_string().contains("createScanner of `two\\nlines` at 127.0.0.1:"), "{error}");
}
