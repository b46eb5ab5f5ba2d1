//! Changes of several properties, which the servers show some time after the calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use fluo_accumulo::AccumuloTables;
use fluo_table::{ErrorKind, TableAdmin};

use crate::error;
use crate::fake::{Answer, Fake, Request};
use crate::interface as wire;
use crate::servers::{OLD, PAGES};

/// Number of times that the servers show the properties before a change.
const LATE: usize = 2;
const REFUSED: &str = "table.custom.refused";

#[derive(Default)]
struct Table {
    calls: Vec<String>,
    properties: BTreeMap<String, String>,
    shown: BTreeMap<String, String>,
    late: usize,
}

impl Table {
    fn answer(&mut self, request: &Request) -> Answer {
        match request.call.as_str() {
            "setTableProperty" => {
                let set: wire::SetTableProperty = request.read();
                let (name, value) = (set.property.unwrap(), set.value.unwrap());
                self.calls.push(format!("{name}={value}"));
                if name == REFUSED {
                    let (failed, cause) = (error::ErrorKind::Accumulo, "no such property");
                    return Answer::thrown::<wire::SetTableProperty>(failed, cause);
                }
                self.properties.insert(name, value);
                self.late = LATE;
                Answer::result::<wire::SetTableProperty>(())
            }
            "removeTableProperty" => {
                let removed: wire::RemoveTableProperty = request.read();
                let name = removed.property.unwrap();
                self.calls.push(format!("no {name}"));
                self.properties.remove(&name);
                self.late = LATE;
                Answer::result::<wire::RemoveTableProperty>(())
            }
            "getTableProperties" => {
                self.calls.push("show".to_owned());
                match self.late.checked_sub(1) {
                    Some(late) => self.late = late,
                    None => self.shown = self.properties.clone(),
                }
                let shown = self.shown.clone();
                Answer::result::<wire::GetTableProperties>(shown)
            }
            "getNamespaceProperties" => {
                self.calls.push("inherited".to_owned());
                let none = BTreeMap::new();
                Answer::result::<wire::GetNamespaceProperties>(none)
            }
            _ => OLD.answer(request),
        }
    }
}

async fn start() -> (Arc<Mutex<Table>>, Fake, AccumuloTables) {
    let table = Arc::new(Mutex::new(Table::default()));
    let fake = Fake::start({
        let table = Arc::clone(&table);
        move |request| table.lock().unwrap().answer(request)
    })
    .await;
    let tables = AccumuloTables::connect(fake.settings()).await.unwrap();
    (table, fake, tables)
}

#[tokio::test]
async fn several_changes_are_waited_for_once() {
    let (table, _fake, tables) = start().await;
    let changes = [
        ("table.custom.a", Some("1")),
        ("table.custom.b", Some("2")),
        ("table.custom.a", Some("3")),
        ("table.custom.c", None),
    ];
    tables.change_properties(PAGES, &changes).await.unwrap();
    let expected = [
        "table.custom.a=1",
        "table.custom.b=2",
        "table.custom.a=3",
        "no table.custom.c",
        "inherited",
        "show",
        "show",
        "show",
    ];
    assert_eq!(table.lock().unwrap().calls, expected);
}

/// Changes three properties, of which the second one is rejected, and returns the index and the
/// kind of the error.
async fn rejected(tables: &AccumuloTables, second: &str) -> (usize, ErrorKind) {
    let changes =
        [("table.custom.a", Some("1")), (second, Some("2")), ("table.custom.c", Some("3"))];
    let changed = tables.change_properties(PAGES, &changes).await;
    let (index, error) = changed.unwrap_err();
    (index, error.kind())
}

#[tokio::test]
async fn the_changes_before_an_invalid_one_are_visible() {
    let (table, _fake, tables) = start().await;
    let error = rejected(&tables, "no property").await;
    assert_eq!(error, (1, ErrorKind::Invalid));
    let shown = tables.properties(PAGES).await.unwrap();
    assert_eq!(shown, BTreeMap::from([("table.custom.a".to_owned(), "1".to_owned())]));
    let expected = ["table.custom.a=1", "show", "show", "show", "show"];
    assert_eq!(table.lock().unwrap().calls, expected);
}

/// The proxy may be gone, and the error that names the change is the first one.
#[tokio::test]
async fn nothing_is_waited_for_after_a_change_that_may_have_been_made() {
    let (table, _fake, tables) = start().await;
    let error = rejected(&tables, REFUSED).await;
    assert_eq!(error, (1, ErrorKind::Uncertain));
    let expected = ["table.custom.a=1", "table.custom.refused=2"];
    assert_eq!(table.lock().unwrap().calls, expected);
}
