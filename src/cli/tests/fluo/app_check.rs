//! `fluo app check` of a table that every program of the application refuses.

use std::sync::Arc;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_engine::InstanceExt;
use fluo_table::coordination::Epochs;
use fluo_table::{Instance, TableAdmin};

use crate::command::Place;

const CHECK: &str = "app check --at embedded:d web";

fn tables(place: &Place) -> EmbeddedTables {
    EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap()
}

/// Opens the application as a program does, and returns its error.
async fn refusal(place: &Place) -> String {
    let tables = tables(place);
    let applications = tables.applications();
    let instance = Instance::new(Arc::new(tables), Arc::new(applications));
    instance.application("web").open().await.unwrap_err().to_string()
}

/// Checks that the command states the error that programs of the application get.
async fn is_not_ok(place: &Place, error: &str) {
    assert_eq!(refusal(place).await, error);
    assert_eq!(place.fluo(CHECK).differs().stdout, format!("NOT OK: {error}\n").into_bytes());
}

/// The check said OK, and every program refused the table.
#[tokio::test]
async fn a_table_of_another_application_is_not_ok() {
    let place = Place::new();
    place.runs("app init --at embedded:d web");
    place.runs(CHECK);
    let property = "table.custom.fluo.application";
    let tables = tables(&place);
    let id = tables.properties("web").await.unwrap()[property].clone();
    tables.set_property("web", property, "another").await.unwrap();
    drop(tables);
    is_not_ok(
        &place,
        &format!("table `web` belongs to another application, not to `{id}`; open it with its own coordination"),
    )
    .await;
}

/// The check said OK, and every program refused the coordination.
#[tokio::test]
async fn a_table_that_was_opened_with_another_copy_is_not_ok() {
    let place = Place::new();
    place.runs("app init --at embedded:d web");
    let tables = tables(&place);
    tables.set_property("web", Epochs::PROPERTY, "7-of-a-copy").await.unwrap();
    drop(tables);
    is_not_ok(
        &place,
        "the coordination of the application `web` is an old copy; use the newest one, or initialize the application again",
    )
    .await;
    let json = place.fluo("app check --at embedded:d --json web").differs().stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["ok"], &json["next"]), (&false.into(), &serde_json::Value::Null));
    assert!(json["table_error"].as_str().unwrap().contains("is an old copy"), "{json}");
}
