//! Several proxies: calls are spread, a handle stays at its proxy, and a proxy that fails is left
//! out and tried again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use accumulo_proxy::{
    BatchScanOptions, Condition, ConditionalMutation, ConditionalOutcome, ConditionalWriterOptions,
    ErrorKind, Mutation, ProxyClient, ProxyOptions, Range, ScanOptions,
};
use futures::TryStreamExt;
use futures::future::join_all;
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::fake::{Answer, Fake, Gate, Request, STUCK, gate, opened, until};
use crate::interface as wire;
use crate::rows::{Rows, row_name, rows_of};

const ROWS: usize = 2000;
/// The time limit of a call that gets no answer, long enough for one that gets it.
const SILENCE: Duration = Duration::from_secs(4);
const CALL: &str = "updateRowsConditionally";

fn options(fakes: &[&Fake]) -> ProxyOptions {
    let addresses: Vec<_> = fakes.iter().map(|fake| fake.address()).collect();
    fakes[0].settings().address(addresses.join(", "))
}

fn client(fakes: &[&Fake]) -> ProxyClient {
    ProxyClient::lazy(options(fakes))
}

fn scan_options() -> ScanOptions {
    ScanOptions::default().batch_entries(100.try_into().unwrap())
}

async fn read_splits(client: &ProxyClient) {
    client.table_operations().list_splits("t", None).await.unwrap();
}

/// Starts a proxy that lists split points once the gate is open.
async fn lister(gate: &Gate) -> Fake {
    let gate = Arc::clone(gate);
    Fake::start(move |_| Answer::result::<wire::ListSplits>(Vec::new()).held_by(&gate)).await
}

async fn open_lister() -> Fake {
    let open = gate();
    open.close();
    lister(&open).await
}

async fn table() -> Fake {
    let rows = Rows::new([10; ROWS]);
    Fake::start(move |request| rows.answer(request)).await
}

/// Starts a proxy with conditional writers of this name.
async fn writer(name: &'static str, update: impl Fn() -> Answer + Send + Sync + 'static) -> Fake {
    Fake::start(move |request: &Request| match request.call.as_str() {
        "createConditionalWriter" => {
            Answer::result::<wire::CreateConditionalWriter>(name.to_owned())
        }
        "closeConditionalWriter" => Answer::result::<wire::CloseConditionalWriter>(()),
        CALL => {
            let request = request.read::<wire::UpdateRowsConditionally>();
            assert_eq!(request.conditional_writer.as_deref(), Some(name));
            update()
        }
        other => panic!("unexpected call {other}"),
    })
    .await
}

/// Starts a proxy that answers nothing from the first call with this name on.
async fn suspended_at(
    call: &'static str,
    answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) -> Fake {
    let is_suspended = AtomicBool::new(false);
    Fake::start(move |request| {
        is_suspended.fetch_or(request.call == call, Ordering::SeqCst);
        match is_suspended.load(Ordering::SeqCst) {
            true => Answer::Never,
            false => answer(request),
        }
    })
    .await
}

fn accept() -> Answer {
    let accepted = BTreeMap::from([("r".into(), wire::ConditionalStatus::Accepted)]);
    Answer::result::<wire::UpdateRowsConditionally>(accepted)
}

fn mutation() -> ConditionalMutation {
    Mutation::new("r").put("f", "q", "v").when([Condition::absent("f", "q")])
}

#[tokio::test]
async fn calls_go_to_the_proxy_with_the_fewest() {
    let gate = gate();
    let fakes = [&lister(&gate).await, &lister(&gate).await];
    let client = client(&fakes);
    let calls = join_all((0..6).map(|_| read_splits(&client)));
    let counts = || fakes.map(|fake| fake.count("listSplits"));
    tokio::join!(calls, async {
        until("six calls", || counts().iter().sum::<usize>() == 6).await;
        gate.close();
    });
    assert_eq!(counts(), [3, 3]);
    // Each login holds at both.
    assert_eq!(fakes.map(|fake| fake.count("login")).iter().sum::<usize>(), 1);
}

#[tokio::test]
async fn a_scan_stays_at_its_proxy() {
    let fakes = [&table().await, &table().await];
    let client = client(&fakes);
    for _ in 0..30 {
        let scanner = client.scanner("t", scan_options());
        assert_eq!(rows_of(scanner).await.unwrap().len(), ROWS);
        let everything = BatchScanOptions::over([Range::all()]);
        let found = client.lookup("t", everything, ROWS, 1 << 30).await.unwrap();
        assert_eq!(found.unwrap().len(), ROWS);
    }
    for call in ["createScanner", "createBatchScanner"] {
        let counts = fakes.map(|fake| fake.count(call));
        assert_eq!(counts.iter().sum::<usize>(), 30, "{call}");
        assert!(counts.iter().all(|count| *count > 0), "{call}: {counts:?}");
    }
}

#[tokio::test]
async fn a_scan_goes_on_at_another_proxy() {
    let fakes = [&table().await, &table().await];
    let mut scanner = client(&fakes).scanner("t", scan_options());
    let mut read: Vec<_> = scanner.try_next().await.unwrap().unwrap();
    let [one, other] = if fakes[0].count("createScanner") == 1 { [0, 1] } else { [1, 0] };
    fakes[one].go_away().await;
    while let Some(batch) = scanner.try_next().await.unwrap() {
        read.extend(batch);
    }
    let rows: Vec<_> = read.iter().map(|entry| entry.key.row.clone()).collect();
    assert_eq!(rows, (0..ROWS).map(row_name).collect::<Vec<_>>());
    assert_eq!(fakes[other].count("createScanner"), 1);
}

#[tokio::test]
async fn a_writer_is_opened_at_another_proxy() {
    let fakes = [&writer("one", accept).await, &writer("other", accept).await];
    let writer = client(&fakes).conditional_writer("t", ConditionalWriterOptions::default());
    let accepted = async || {
        let outcome = writer.write(mutation()).await.unwrap();
        assert!(matches!(outcome, ConditionalOutcome::Accepted), "{outcome:?}");
    };
    accepted().await;
    accepted().await;
    let [one, other] = if fakes[0].count(CALL) == 2 { [0, 1] } else { [1, 0] };
    fakes[one].go_away().await;
    // The client detects that the idle connection is closed.
    sleep(Duration::from_millis(20)).await;
    accepted().await;
    assert_eq!((fakes[one].count(CALL), fakes[other].count(CALL)), (2, 1));
}

/// Covers a bug: after restarts of one proxy after the other all writes stayed at one.
#[tokio::test]
async fn a_writer_changes_its_proxy_now_and_then() {
    const CALLS: usize = 30;
    let fakes = [&writer("one", accept).await, &writer("other", accept).await];
    let writer = client(&fakes).conditional_writer("t", ConditionalWriterOptions::default());
    for _ in 0..CALLS {
        for _ in 0..2 {
            let outcome = writer.write(mutation()).await.unwrap();
            assert!(matches!(outcome, ConditionalOutcome::Accepted), "{outcome:?}");
        }
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(61)).await;
        tokio::time::resume();
    }
    let counts = |call| fakes.map(|fake| fake.count(call));
    let opened = counts("createConditionalWriter");
    assert_eq!(opened.iter().sum::<usize>(), CALLS);
    assert!(opened.iter().all(|count| *count > 0), "{opened:?}");
    assert_eq!(counts(CALL), opened.map(|count| 2 * count));
    // The last one is still open.
    let is_closed = || counts("closeConditionalWriter").iter().sum::<usize>() == CALLS - 1;
    until("the others are closed", is_closed).await;
}

/// The proxy accepts connections and answers nothing, as if it was suspended.
#[tokio::test]
async fn a_writer_leaves_a_proxy_that_does_not_answer() {
    let fakes = [&suspended_at(CALL, opened).await, &writer("other", accept).await];
    let options = options(&fakes).call_timeout(SILENCE);
    let client = ProxyClient::lazy(options);
    let is_accepted = |outcome| matches!(outcome, ConditionalOutcome::Accepted);
    let writer = loop {
        let writer = client.conditional_writer("t", ConditionalWriterOptions::default());
        if !is_accepted(writer.write(mutation()).await.unwrap()) {
            break writer;
        }
    };
    // Longer than the proxy is left out.
    sleep(Duration::from_millis(50)).await;
    assert!(is_accepted(writer.write(mutation()).await.unwrap()));
    assert_eq!(fakes[0].count(CALL), 1);
}

#[tokio::test]
async fn a_scan_leaves_a_proxy_that_does_not_answer() {
    for is_lookup in [false, true] {
        let rows = Rows::new([10; ROWS]);
        let silent = suspended_at("nextK", move |request| rows.answer(request));
        let fakes = [&silent.await, &table().await];
        let options = options(&fakes).call_timeout(SILENCE);
        let client = ProxyClient::lazy(options.first_pause(STUCK).max_pause(SILENCE / 100));
        while fakes[0].count("nextK") == 0 {
            let read = if is_lookup {
                let everything = BatchScanOptions::over([Range::all()]);
                client.lookup("t", everything, ROWS, 1 << 30).await.unwrap().unwrap().len()
            } else {
                rows_of(client.scanner("t", scan_options())).await.unwrap().len()
            };
            assert_eq!(read, ROWS);
        }
        assert_eq!(fakes[0].count("nextK"), 1);
    }
}

#[tokio::test]
async fn a_proxy_that_failed_is_left_out_and_tried_again() {
    let fakes = [&open_lister().await, &open_lister().await];
    let answers = || fakes[0].count("listSplits");
    for (first, is_again) in [(Duration::from_secs(3600), false), (Duration::from_millis(50), true)]
    {
        let client = ProxyClient::lazy(options(&fakes).first_pause(first).max_pause(first));
        fakes[0].refuse_connections(2);
        while fakes[0].refusals_left() == 2 {
            read_splits(&client).await;
        }
        let before = answers();
        for _ in 0..50 {
            read_splits(&client).await;
        }
        while is_again && answers() == before {
            read_splits(&client).await;
        }
        let left = if is_again { 0 } else { 1 };
        assert_eq!((fakes[0].refusals_left(), answers() > before), (left, is_again));
    }
}

#[tokio::test]
async fn connects_if_one_proxy_answers() {
    let fake = open_lister().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let addresses = [silent.local_addr().unwrap().to_string(), closed.to_string(), fake.address()];
    // Each begins at another proxy.
    for _ in 0..6 {
        let options = fake.settings().address(addresses.join(","));
        let limit = Duration::from_secs(6);
        let options = options.connect_timeout(limit).call_timeout(limit);
        read_splits(&ProxyClient::connect(options).await.unwrap()).await;
    }
}

#[tokio::test]
async fn names_the_proxy_that_failed_last() {
    let fakes = [&open_lister().await, &open_lister().await];
    let client = client(&fakes);
    for fake in fakes {
        fake.go_away().await;
    }
    let error = client.table_operations().list_splits("t", None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(fakes.iter().any(|fake| fake.address() == error.address()), "{error}");
    let options = fakes[0].settings().address(format!("{},", fakes[0].address()));
    let error = ProxyClient::connect(options).await.unwrap_err();
    let without_port = "the address `` is not of the form `host:port`";
    assert!(error.to_string().contains(without_port), "{error}");
}

/// A write that was sent is not sent to another proxy.
#[tokio::test]
async fn a_write_without_an_answer_is_not_sent_again() {
    let closing = async || Fake::start(|_| Answer::Close).await;
    let fakes = [&closing().await, &closing().await];
    let put = vec![Mutation::new("r").put("f", "q", "v")];
    let error = client(&fakes).write("t", put).await.unwrap_err();
    assert!(error.may_have_taken_effect());
    assert_eq!(fakes.map(|fake| fake.count("updateAndFlush")).iter().sum::<usize>(), 1);
}
