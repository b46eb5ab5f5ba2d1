//! No trace, even at the highest level, contains a password, a shared secret, or the token of a
//! login.
//!
//! The subscriber is global, so it also receives the traces of concurrent tests.

use std::io::{self, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

use accumulo_proxy::{
    BatchScanOptions, Condition, ConditionalWriterOptions, Credentials, ErrorKind, Mutation,
    NextBatch, Protocol, ProxyClient, Range, ScanOptions,
};
use data_encoding::HEXLOWER;
use futures::TryStreamExt;
use tracing::Level;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::fake::{Answer, Fake, PASSWORD, Request, TOKEN, WRONG_SECRET, opened, until};
use crate::interface as wire;
use crate::raw::{Raw, framed};

const SECRET: &str = "shared-secret-of-a-proxy";
const NEW_PASSWORD: &str = "staple-of-another-user";
const TABLE: &str = "traced";

/// All traces so far.
static TRACED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Traced;

impl Write for Traced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut traced = TRACED.lock().unwrap_or_else(PoisonError::into_inner);
        traced.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn trace() {
    static IS_TRACED: OnceLock<()> = OnceLock::new();
    IS_TRACED.get_or_init(|| {
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(Level::TRACE)
            .with_span_events(FmtSpan::FULL)
            .with_ansi(false)
            .with_writer(|| Traced)
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
}

fn traced() -> String {
    let traced = TRACED.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8_lossy(&traced).into_owned()
}

/// Waits for a trace with all these words.
async fn assert_traced(words: &[&str]) {
    until(&format!("a trace with {words:?}"), || {
        traced().lines().any(|line| words.iter().all(|word| line.contains(word)))
    })
    .await;
}

/// Covers a silence: an operator learned of the loss of a proxy when the last one was lost.
#[tokio::test]
async fn the_log_names_a_proxy_that_starts_or_stops_failing() {
    trace();
    let answer = |_: &Request| Answer::result::<wire::ListSplits>(Vec::new());
    let fakes = [&Fake::start(answer).await, &Fake::start(answer).await];
    let first_pause = std::time::Duration::from_millis(1);
    let settings = fakes[0].settings().first_pause(first_pause);
    let addresses = fakes.map(Fake::address);
    let client = ProxyClient::lazy(settings.address(addresses.join(",")));
    let read = async || client.table_operations().list_splits("t", None).await.unwrap();
    fakes[0].refuse_connections(1);
    while fakes[0].refusals_left() == 1 {
        read().await;
    }
    let [failing, _] = &addresses;
    assert_traced(&["WARN", &format!("the proxy {failing} fails, and is left out")]).await;
    while fakes[0].count("listSplits") == 0 {
        read().await;
    }
    assert_traced(&["INFO", &format!("the proxy {failing} answers again")]).await;
}

/// Returns the forms in which bytes are printed by accident, without blanks, as in the text for the
/// comparison.
fn forms(secret: &[u8]) -> Vec<String> {
    let joined = |form: fn(&u8) -> String| secret.iter().map(form).collect::<Vec<_>>().join(",");
    vec![
        String::from_utf8(secret.to_vec()).unwrap(),
        HEXLOWER.encode(secret),
        joined(|byte| format!("{byte}")),
        joined(|byte| format!("{byte:x}")),
        joined(|byte| format!("0x{byte:x}")),
    ]
}

/// Returns the form of a secret that a text contains.
fn shown(text: &str, secret: &[u8]) -> Option<String> {
    let text: String = text.split_whitespace().collect();
    let lower = text.to_lowercase();
    forms(secret).into_iter().find(|form| text.contains(form) || lower.contains(form))
}

fn assert_no_secret_is_traced() {
    let traced = traced();
    for secret in [PASSWORD, SECRET, NEW_PASSWORD] {
        assert_eq!(shown(&traced, secret.as_bytes()), None, "of {secret}");
    }
    // As text the token is a common word.
    let token = forms(TOKEN).split_off(1);
    let traced: String = traced.split_whitespace().collect();
    for form in token {
        assert!(!traced.contains(&form), "{form}");
    }
}

/// Answers as a faulty proxy: scans break, and no scanner or writer can be closed.
fn answer(request: &Request) -> Answer {
    match request.call.as_str() {
        "namespaceExists" if request.nth == 0 => {
            Answer::thrown::<wire::NamespaceExists>(ErrorKind::Security, WRONG_SECRET)
        }
        "namespaceExists" => Answer::result::<wire::NamespaceExists>(true),
        "changeLocalUserPassword" if request.nth == 0 => Answer::Close,
        "changeLocalUserPassword" => Answer::result::<wire::ChangeLocalUserPassword>(()),
        "authenticateUser" => Answer::result::<wire::AuthenticateUser>(true),
        "createScanner" | "createBatchScanner" | "createConditionalWriter" => opened(request),
        "nextK" if request.nth < 2 => Answer::Close,
        "nextK" => {
            let nothing = NextBatch { entries: Vec::new(), more: false };
            Answer::result::<wire::NextK>(nothing)
        }
        // These are `updateRowsConditionally` and all calls that close.
        _ => Answer::Refuse(6, "Internal error"),
    }
}

/// Logs in with and without success, causes a retry of a call and of a scan, and leaves scanners
/// and writers open.
async fn story(protocol: Protocol, credentials: &Credentials) {
    let fake = Fake::start_with(protocol, answer).await;
    match credentials.user() {
        Some(_) => fake.refuse_logins(1),
        None => fake.forget_login(),
    }
    let settings = fake.settings().credentials(credentials.clone());
    let error = ProxyClient::connect(settings.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Security, "{error}");
    let client = ProxyClient::connect(settings).await.unwrap();

    let security = client.security_operations();
    security.change_password("u", NEW_PASSWORD).await.unwrap();
    assert_eq!(fake.count("changeLocalUserPassword"), 2);
    assert!(security.authenticate_user("u", NEW_PASSWORD).await.unwrap());

    let ordered = client.scanner(TABLE, ScanOptions::default());
    let entries: Vec<_> = ordered.try_concat().await.unwrap();
    assert!(entries.is_empty());
    let options = BatchScanOptions::over([Range::all()]);
    let unordered = client.batch_scanner(TABLE, options).try_next().await;
    assert!(unordered.unwrap().is_none());

    let writer = client.conditional_writer(TABLE, ConditionalWriterOptions::default());
    let mutation = Mutation::new("r").put("f", "q", "v");
    let mutation = mutation.when([Condition::absent("f", "q")]);
    let outcome = writer.write(mutation).await.unwrap();
    tracing::trace!(?client, ?writer, ?outcome, %error, ?error, "what a user may trace");

    let at = format!("at {}", fake.address());
    assert_traced(&["sending again", "changeLocalUserPassword"]).await;
    assert_traced(&["a scan broke", &at]).await;
    assert_traced(&["a scanner was not closed", &at]).await;
    assert_traced(&["a conditional writer was not closed", &at]).await;
}

#[tokio::test]
async fn traces_no_secret_during_failures() {
    trace();
    let all = [Credentials::password("root", PASSWORD), Credentials::shared_secret(SECRET)];
    for credentials in all {
        for protocol in [Protocol::Compact, Protocol::Binary] {
            story(protocol, &credentials).await;
        }
    }
    assert_no_secret_is_traced();
}

/// Errors quote the answer of a server, and this server returns each request, including the
/// password.
#[tokio::test]
async fn traces_no_secret_on_a_server_that_echoes_requests() {
    trace();
    let echo = Raw::answering(|asked| framed(&asked.message)).await;
    for protocol in [Protocol::Compact, Protocol::Binary] {
        for credentials in
            [Credentials::password("root", PASSWORD), Credentials::shared_secret(SECRET)]
        {
            let settings = echo.settings().credentials(credentials).protocol(protocol);
            let error = ProxyClient::connect(settings).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
            tracing::trace!(%error, ?error, "what a user may trace");
            assert_traced(&["what a user may trace", &echo.address]).await;
        }
    }
    assert_no_secret_is_traced();
}
