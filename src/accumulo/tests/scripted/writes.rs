//! Plain writes, which travel in the calls of the conditional writer, and are written by themselves
//! after a refusal.

use std::collections::BTreeMap;
use std::time::Duration;

use accumulo_proxy::Bytes;
use fluo_accumulo::AccumuloTables;
use fluo_table::{Authorizations, Column, ErrorKind, Mutation, Table, TableAdmin};
use futures::future::{join, join_all};
use tokio::time::sleep;

use crate::error;
use crate::fake::{Answer, Fake, Request, until};
use crate::interface as wire;
use crate::servers::{OLD, PAGES};

const BAD: &[u8] = b"bad";
const CONDITIONAL: &str = "updateRowsConditionally";
const PLAIN: &str = "updateAndFlush";

/// The rows of the conditional updates of a request.
fn updates(request: &Request) -> BTreeMap<Bytes, wire::ConditionalUpdates> {
    let request = request.read::<wire::UpdateRowsConditionally>();
    request.updates.unwrap()
}

fn answer(request: &Request) -> Answer {
    match request.call.as_str() {
        CONDITIONAL => {
            let statuses = updates(request).into_keys().map(|row| {
                let status = match row == BAD {
                    true => wire::ConditionalStatus::Violated,
                    false => wire::ConditionalStatus::Accepted,
                };
                (row, status)
            });
            let statuses: BTreeMap<_, _> = statuses.collect();
            Answer::result::<wire::UpdateRowsConditionally>(statuses)
        }
        PLAIN => {
            let cells = request.read::<wire::UpdateAndFlush>().cells.unwrap();
            if cells.contains_key(BAD) {
                let rejected = error::ErrorKind::MutationsRejected;
                return Answer::thrown::<wire::UpdateAndFlush>(rejected, "a constraint");
            }
            Answer::result::<wire::UpdateAndFlush>(())
        }
        _ => OLD.answer(request),
    }
}

/// A proxy with the table `pages`, and a handle on it.
async fn open(
    answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) -> (Fake, std::sync::Arc<dyn Table>) {
    let fake = Fake::start(answer).await;
    let tables = AccumuloTables::connect(fake.settings()).await.unwrap();
    let table = tables.open_table(PAGES, Authorizations::none()).await;
    (fake, table.unwrap())
}

fn mutation(row: impl Into<String>) -> Mutation {
    Mutation::new(row.into()).put_at(Column::new("f", "q"), 7, "v")
}

async fn write(table: &dyn Table, row: &'static str) -> fluo_table::Result<()> {
    table.write(vec![mutation(row)]).await
}

#[tokio::test]
async fn a_plain_write_travels_under_a_condition_that_always_holds() {
    let (fake, table) = open(answer).await;
    table.write(vec![mutation("a"), mutation("b")]).await.unwrap();
    assert_eq!((fake.count(CONDITIONAL), fake.count(PLAIN)), (1, 0));
    let sent = fake.calls(CONDITIONAL);
    for (_, sent) in sent.iter().flat_map(updates) {
        let conditions = sent.conditions.unwrap();
        let [condition] = &conditions[..] else {
            panic!("{conditions:?}");
        };
        assert_eq!(condition.timestamp, Some(i64::MIN + 1));
        assert_eq!(condition.value, None);
    }
}

#[tokio::test]
async fn writes_that_may_not_be_repeated_or_fill_a_call_travel_alone() {
    let (fake, table) = open(answer).await;
    let without_a_timestamp = Mutation::new("a").put(Column::new("f", "q"), "v");
    table.write(vec![without_a_timestamp]).await.unwrap();
    let many = (0..65).map(|number| mutation(format!("row{number:02}")));
    table.write(many.collect()).await.unwrap();
    let long = Mutation::new("a").put_at(Column::new("f", "q"), 7, vec![b'v'; 256 * 1024]);
    table.write(vec![long]).await.unwrap();
    // The second one must not be overtaken if the first one is written again.
    table.write(vec![mutation("a"), mutation("a")]).await.unwrap();
    assert_eq!((fake.count(CONDITIONAL), fake.count(PLAIN)), (0, 4));
}

#[tokio::test]
async fn a_refused_write_does_not_fail_the_others() {
    let (fake, table) = open(answer).await;
    let rows = ["a", "bad", "b", "c"];
    let written = join_all(rows.map(|row| write(&*table, row))).await;
    let errors = written.iter().map(|written| written.as_ref().err());
    let errors: Vec<_> = errors.map(|error| error.map(fluo_table::Error::kind)).collect();
    assert_eq!(errors, [None, Some(ErrorKind::Uncertain), None, None]);
    assert_eq!(fake.count(PLAIN), 1);
}

/// One row of a write is written, and the other one is refused.
#[tokio::test]
async fn only_the_rows_that_were_refused_are_written_again() {
    let (fake, table) = open(answer).await;
    let written = table.write(vec![mutation("a"), mutation("bad")]).await;
    assert_eq!(written.unwrap_err().kind(), ErrorKind::Uncertain);
    let again = &fake.calls(PLAIN)[0];
    let cells = again.read::<wire::UpdateAndFlush>().cells.unwrap();
    assert_eq!(cells.into_keys().collect::<Vec<_>>(), [BAD]);
}

/// A user without READ may not write under a condition.
#[tokio::test]
async fn writes_travel_alone_after_a_denial() {
    let (fake, table) = open(|request| match request.call.as_str() {
        CONDITIONAL => OLD.answer(request),
        _ => answer(request),
    })
    .await;
    for rows in [["a", "b"], ["c", "d"], ["e", "f"]] {
        table.write(rows.map(mutation).to_vec()).await.unwrap();
    }
    let sent: usize = fake.calls(CONDITIONAL).iter().map(|call| updates(call).len()).sum();
    assert_eq!((sent, fake.count(PLAIN)), (2, 3));
}

#[tokio::test]
async fn a_lost_answer_leaves_a_write_in_doubt() {
    let (fake, table) = open(|request| match request.call.as_str() {
        CONDITIONAL => Answer::Close,
        _ => answer(request),
    })
    .await;
    let error = write(&*table, "a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Uncertain);
    assert_eq!(fake.count(PLAIN), 0);
}

/// The repeated write must not reach a table that got the name of a deleted one.
#[tokio::test]
async fn a_write_is_not_repeated_on_another_table() {
    let (fake, table) = open(|request| match request.call.as_str() {
        "tableIdMap" if request.nth > 0 => {
            let ids = BTreeMap::from([(PAGES.to_owned(), "2".to_owned())]);
            Answer::result::<wire::TableIdMap>(ids)
        }
        _ => answer(request),
    })
    .await;
    let error = write(&*table, "bad").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(fake.count(PLAIN), 0);
}

fn without_identity(request: &Request) -> Answer {
    match request.call.as_str() {
        "tableIdMap" if request.nth > 0 => Answer::Refuse(6, "an internal error"),
        _ => answer(request),
    }
}

fn without_permission(request: &Request) -> Answer {
    match request.call.as_str() {
        PLAIN => OLD.answer(request),
        _ => answer(request),
    }
}

/// The error said that nothing was written, although a row had been accepted.
#[tokio::test]
async fn a_write_in_part_is_in_doubt_if_the_rest_fails_or_is_denied() {
    type Rest = (fn(&Request) -> Answer, ErrorKind, usize);
    let rests: [Rest; 2] =
        [(without_identity, ErrorKind::Unavailable, 0), (without_permission, ErrorKind::Denied, 1)];
    for (answer, rest, plain_calls) in rests {
        for (rows, kind) in [(&["a", "bad"][..], ErrorKind::Uncertain), (&["bad"], rest)] {
            let (fake, table) = open(answer).await;
            let rows = rows.iter().map(|row| mutation(*row));
            let error = table.write(rows.collect()).await.unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert_eq!(fake.count(PLAIN), plain_calls, "{error}");
        }
    }
}

/// Calls that began during a request for the identity of the table sent another one.
#[tokio::test]
async fn concurrent_calls_share_a_request_for_the_identity() {
    let (fake, table) = open(|request| match request.call.as_str() {
        "tableIdMap" => Answer::Late(Duration::from_millis(100), Box::new(answer(request))),
        _ => answer(request),
    })
    .await;
    // An answer counts for a second.
    sleep(Duration::from_millis(1_100)).await;
    let asked = || fake.count("tableIdMap");
    let before = asked();
    let later = async {
        until("the request", || asked() > before).await;
        join_all(["b", "c", "d"].map(|row| write(&*table, row))).await
    };
    let (first, later) = join(write(&*table, "a"), later).await;
    first.unwrap();
    later.into_iter().for_each(|written| written.unwrap());
    assert_eq!(asked() - before, 1);
}
