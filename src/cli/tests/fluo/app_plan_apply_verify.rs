//! `fluo app plan`, `apply` and `verify` on an application with a combine queue, whose code they do
//! not have.

use crate::command::{Place, assert_says};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_engine::InstanceExt;
use fluo_keys::RowHasher;
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_table::{Column, TableAdmin};

const VERIFY: &str = "app verify --at embedded:d count";

fn open(place: &Place) -> EmbeddedTables {
    let options = EmbeddedOptions::new().create_if_missing(true);
    EmbeddedTables::open(place.path("d"), options).unwrap()
}

/// Creates an application with a combine queue and a row hasher. Adds 5,000 words to the queue, and
/// 1,000 rows that belong to no recipe.
async fn place() -> Place {
    let place = Place::new();
    let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
    let per_tablet = std::num::NonZeroU32::new(4).unwrap();
    let words = words.buckets_per_tablet(per_tablet);
    let hasher = RowHasher::new("p").unwrap();
    let hashed = hasher.table_optimizations(4).unwrap();
    let instance = open(&place).instance();
    let count = instance.application("count").recipe(&words);
    let client = count.recipe(&hashed).create().await.unwrap();
    client
        .run(async |tx| {
            let mut all = (0..5_000).map(|n| format!("word{n}"));
            all.try_for_each(|word| words.add(&tx, word, 1))
        })
        .await
        .unwrap();
    let column = Column::new("f", "q");
    client
        .run(async |tx| {
            for n in 0..5_000 {
                tx.set(hasher.add(format!("{n}").as_bytes()), &column, "")?;
            }
            (0..1_000).try_for_each(|n| tx.set(format!("other{n}"), &column, ""))
        })
        .await
        .unwrap();
    place
}

#[tokio::test]
async fn optimizes_a_table_with_a_filled_queue_and_finds_its_drift() {
    let place = place().await;
    let plan = place.runs("app plan --at embedded:d count");
    assert_says(plan.text(), "64 split points to add:\n  + p:");
    assert_says(plan.text(), r"      after   (\Qp:\E|\Qwc:\E[du]:).*");
    let before = place.fluo(VERIFY).differs();
    assert_says(before.text(), "NOT OK: table count: 64 split points are missing, ");

    let applied = place.runs("app apply --at embedded:d count");
    assert_says(&applied.stderr, "table `count`: 4 steps done; `fluo app verify` proves it");
    let again = place.runs("app apply --at embedded:d count");
    assert_says(&again.stderr, "nothing to do: table `count` already matches");
    let verified = place.runs(VERIFY);
    assert_says(verified.text(), "\nOK: table count.\n");
    assert_says(verified.text(), "not compared");
    let verdict = place.fluo(&format!("{VERIFY} --json")).json();
    assert_eq!(verdict["other_rows"], 1_000);
    assert_eq!(verdict["rows"][1]["standing"], "not_compared");

    let split = b"wc:u:20";
    let tables = open(&place);
    let end = [split.as_slice(), b"\0"].concat();
    tables.merge("count", Some(b"wc:u:1c"), Some(&end)).await.unwrap();
    drop(tables);
    let drifted = place.fluo(VERIFY).differs();
    assert_says(drifted.text(), "NOT OK: table count: the split point `wc:u:20` is missing");
}
