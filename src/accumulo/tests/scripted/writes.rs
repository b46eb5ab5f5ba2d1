//! Plain writes that travel together, and are repeated alone after a refusal.

use std::collections::BTreeMap;

use fluo_accumulo::AccumuloTables;
use fluo_table::{Authorizations, Column, ErrorKind, Mutation, Table, TableAdmin};
use futures::future::join_all;

use crate::fake::{Answer, Fake, Request, thrown};
use crate::interface as wire;
use crate::servers::{OLD, PAGES};

const BAD: &[u8] = b"bad";

/// A proxy whose servers reject the row `bad`, and that replaces the table when it does so, if
/// `is_replaced`.
async fn start(is_replaced: bool) -> (Fake, AccumuloTables) {
    let answer = move |request: &Request| {
        let rejection = || thrown("a constraint");
        match request.call.as_str() {
            "updateAndFlush" => {
                let cells = request.read::<wire::UpdateAndFlushRequest>().cells.unwrap();
                let rejection = cells.contains_key(BAD).then(rejection);
                Answer::reply(wire::UpdateAndFlushReply::new(None, None, None, rejection))
            }
            "tableIdMap" if is_replaced && request.nth > 0 => {
                let ids = BTreeMap::from([(PAGES.to_owned(), "2".to_owned())]);
                Answer::reply(wire::TableIdMapReply::new(ids))
            }
            _ => OLD.answer(request),
        }
    };
    let fake = Fake::start(answer).await;
    let tables = AccumuloTables::connect(fake.settings()).await.unwrap();
    (fake, tables)
}

async fn write(table: &dyn Table, row: &'static str) -> fluo_table::Result<()> {
    let mutation = Mutation::new(row).put_at(Column::new("f", "q"), 7, "v");
    table.write(vec![mutation]).await
}

#[tokio::test]
async fn a_refused_write_does_not_fail_the_others() {
    let (_fake, tables) = start(false).await;
    let table = tables.open_table(PAGES, Authorizations::none());
    let table = table.await.unwrap();
    let rows = ["a", "bad", "b", "c"];
    let written = join_all(rows.map(|row| write(&*table, row))).await;
    let errors = written.iter().map(|written| written.as_ref().err());
    let errors: Vec<_> = errors
        .map(|error| error.map(fluo_table::Error::kind))
        .collect();
    assert_eq!(errors, [None, Some(ErrorKind::Uncertain), None, None]);
}

/// The repeated write must not reach a table that got the name of a deleted one.
#[tokio::test]
async fn a_write_is_not_repeated_on_another_table() {
    let (fake, tables) = start(true).await;
    let table = tables.open_table(PAGES, Authorizations::none());
    let table = table.await.unwrap();
    let error = write(&*table, "bad").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(fake.count("updateAndFlush"), 1);
}
