//! A write that a server denies is certainly not written, in the wording of Accumulo 1.10 and of
//! 2.1.
//!
//! The messages are those of live servers; the tests create the frames around them.

use accumulo_proxy::{
    Condition, ConditionalMutation, ConditionalWriterOptions, ErrorKind, Mutation,
};

use crate::fake::{Answer, Fake, Request, opened};
use crate::interface as wire;

/// The last counts the denial among the exceptions as well, as Accumulo does for one row.
const WORDINGS: [&str; 4] = [
    "# constraint violations : 0  security codes: {t(ID:1)=[PERMISSION_DENIED]}  # server errors 0 # exceptions 0",
    "org.apache.accumulo.core.client.MutationsRejectedException: # constraint violations : 0  security codes: \
     {pages(ID:15)=[PERMISSION_DENIED]}  # server errors 0 # exceptions 0",
    "org.apache.accumulo.core.client.MutationsRejectedException: constraint violation codes : []  security codes: \
     {pages(ID:15)=[PERMISSION_DENIED]}  # server errors 0 # exceptions 0",
    "# constraint violations : 0  security codes: {t(ID:1)=[PERMISSION_DENIED]}  # server errors 0 # exceptions 1",
];
const DENIED: &str = "org.apache.accumulo.core.client.AccumuloSecurityException: Error PERMISSION_DENIED for user bob on table \
                      pages(ID:15) - User does not have permission to perform this action";

fn answer(request: &Request, wording: &str) -> Answer {
    match request.call.as_str() {
        "updateAndFlush" => {
            Answer::thrown::<wire::UpdateAndFlush>(ErrorKind::MutationsRejected, wording)
        }
        "createConditionalWriter" => opened(request),
        "updateRowsConditionally" => {
            Answer::thrown::<wire::UpdateRowsConditionally>(ErrorKind::Security, DENIED)
        }
        _ => Answer::Refuse(6, "Internal error"),
    }
}

fn absent(row: &'static str) -> ConditionalMutation {
    let mutation = Mutation::new(row).put("f", "q", "v");
    mutation.when([Condition::absent("f", "q")])
}

/// Two rows may be on two servers, and only one of them may have processed the loss of the
/// permission.
///
/// Regression test: on Accumulo 2.1 the error of a load without `WRITE` named no permission and
/// said that a row "may have been" written.
#[tokio::test]
async fn a_denied_write_of_one_row_is_certainly_not_written() {
    for wording in WORDINGS {
        let fake = Fake::start(move |request| answer(request, wording)).await;
        let client = fake.client();
        let put = |row: &'static str| Mutation::new(row).put("f", "q", "v");
        for (mutations, is_possible) in [(vec![put("r")], false), (vec![put("r"), put("s")], true)]
        {
            let low_level = client.low_level();
            let by_call = low_level.update_and_flush("pages", &mutations).await;
            let written = client.write("pages", mutations).await;
            for error in [written.unwrap_err(), by_call.unwrap_err()] {
                assert_eq!(error.kind(), ErrorKind::Security, "{error}");
                assert!(error.is_denial());
                assert_eq!(error.may_have_taken_effect(), is_possible, "{wording}");
            }
        }
    }
}

/// Each server checks permissions by itself: another server may have accepted another row of the
/// call.
///
/// Regression test: `--create-if-absent` without a permission said that the outcome of one row is
/// unknown.
#[tokio::test]
async fn one_denied_conditional_row_is_certainly_not_written_and_several_are_uncertain() {
    let fake = Fake::start(|request| answer(request, WORDINGS[0])).await;
    let options = ConditionalWriterOptions::default();
    let writer = fake.client().conditional_writer("pages", options);
    let error = writer.write(absent("r")).await.unwrap_err();
    assert!(error.is_denial() && !error.may_have_taken_effect(), "{error}");
    let outcomes = writer.write_all(vec![absent("r"), absent("s")]).await.unwrap();
    assert_eq!(fake.count("updateRowsConditionally"), 2);
    for outcome in outcomes {
        assert!(outcome.is_unknown(), "{outcome:?}");
    }
}
