//! Compactions of an application in memory, whose calls pass a hook.

use std::future::ready;
use std::sync::Mutex;

use fluo_engine::{Column, ErrorKind, Instance, InstanceExt};
use fluo_table::{Authorizations, Cell, Garbage, Scan, Table};
use fluo_tests::{Call, Intercepted};
use tokio::sync::oneshot;

use super::*;

/// The compactions that the tables received.
#[derive(Clone, Default)]
struct Compactions(Arc<Mutex<Vec<(String, Span, Garbage)>>>);

impl Compactions {
    fn take(&self) -> Vec<(String, Span, Garbage)> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Wraps the tables of an instance. Compactions that begin at the row `bad` fail.
fn intercepted(fluo: &Instance) -> (Arc<dyn TableAdmin>, Compactions) {
    let compactions = Compactions::default();
    let seen = compactions.clone();
    let tables = Intercepted::with_hooks(fluo.table_admin().clone(), move |call: &Call| {
        let Call::Compact { table, span, garbage } = call else {
            return ready(Ok(None));
        };
        let call = (table.clone(), span.clone(), *garbage);
        seen.0.lock().unwrap().push(call);
        ready(match span.start().row.starts_with(b"bad") {
            true => Err(Error::new(ErrorKind::Unavailable, "no server")),
            false => Ok(None),
        })
    });
    (Arc::new(tables), compactions)
}

/// Creates the application `web` with the table `pages` and ranges with these ids, each of which
/// begins after the row of its name.
async fn client(fluo: &Instance, ids: &[&str]) -> Client {
    let mut web = fluo.application("web").table("pages");
    for id in ids {
        let range = TransientRange::new(*id, (*id).to_owned(), format!("{id}~")).unwrap();
        let (name, value) = range.to_setting();
        web = web.set(name, value);
    }
    web.create().await.unwrap()
}

async fn entries(fluo: &Instance) -> Vec<Cell> {
    let pages = fluo.open_table("pages", Authorizations::none());
    let pages: Arc<dyn Table> = pages.await.unwrap();
    pages.read(Scan::over(Span::all())).await.unwrap()
}

#[tokio::test]
async fn compacts_each_range_of_the_table_once_and_drops_its_garbage() {
    let fluo = Instance::in_memory();
    let client = client(&fluo, &["q:a", "q:b"]).await;
    let column = Column::new("f", "q");
    client.run(async |tx| tx.set("q:a1", &column, "v")).await.unwrap();
    client.run(async |tx| tx.delete("q:a1", &column)).await.unwrap();
    let before = entries(&fluo).await.len();

    let (tables, compactions) = intercepted(&fluo);
    let compaction = TransientCompaction::for_client(&client, tables).unwrap();
    let report = compaction.run().await;
    let ids: Vec<_> = report.iter().map(|compacted| compacted.range.id()).collect();
    assert_eq!(ids, ["q:a", "q:b"]);
    assert!(report.iter().all(|compacted| compacted.result.is_ok()));

    let calls = compactions.take();
    let spans: Vec<_> = calls.iter().map(|(table, span, _)| (table.as_str(), span)).collect();
    let expected =
        ["q:a", "q:b"].map(|id| Span::rows(format!("{id}\0"), Some(format!("{id}~\0").into())));
    assert_eq!(spans, [("pages", &expected[0]), ("pages", &expected[1])]);
    assert!(calls.iter().all(|(_, _, garbage)| matches!(garbage, Garbage::DropBelow(_))));
    let after = entries(&fluo).await.len();
    assert!(after < before, "{after} of {before} entries are left");
}

#[tokio::test]
async fn reports_a_failure_and_compacts_the_other_ranges() {
    let fluo = Instance::in_memory();
    let client = client(&fluo, &["a", "bad", "c"]).await;
    let (tables, compactions) = intercepted(&fluo);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watch = {
        let seen = seen.clone();
        move |compacted: &CompactedRange| {
            let id = compacted.range.id().to_owned();
            seen.lock().unwrap().push((id, compacted.result.is_ok()));
        }
    };
    let compaction = TransientCompaction::for_client(&client, tables).unwrap();
    let report = compaction.on_compacted(watch).run().await;
    assert_eq!(compactions.take().len(), 3);
    let outcomes = |outcomes: [bool; 3]| {
        let ids = ["a", "bad", "c"].map(str::to_owned);
        ids.into_iter().zip(outcomes).collect::<Vec<_>>()
    };
    assert_eq!(*seen.lock().unwrap(), outcomes([true, false, true]));
    let results: Vec<_> = report
        .iter()
        .map(|compacted| (compacted.range.id().to_owned(), compacted.result.is_ok()))
        .collect();
    assert_eq!(results, outcomes([true, false, true]));
    assert_eq!(report[1].result.as_ref().unwrap_err().to_string(), "no server");
}

#[tokio::test]
async fn rejects_an_application_with_a_wrong_setting() {
    let fluo = Instance::in_memory();
    let web = fluo.application("web").set("recipes.transientRange.q", "61");
    let client = web.create().await.unwrap();
    let error = TransientCompaction::for_client(&client, Arc::new(fluo)).unwrap_err();
    assert!(error.to_string().starts_with("setting `recipes.transientRange.q`: "));
}

mod repeated;
