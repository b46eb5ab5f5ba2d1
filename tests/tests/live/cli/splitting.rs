//! Accumulo splits a tablet that has grown, and verify reports the split point.

use std::collections::BTreeSet;

use fluo_keys::RowHasher;
use fluo_table::{Bytes, Column, Escaped, Mutation, TableAdmin};
use serde_json::Value;

use super::drift::{Ground, ground};
use crate::faults_ground::open;
use crate::ground::until;

const THRESHOLD: &str = "table.split.threshold";
/// Threshold below the size of [`LARGE_ROWS`] rows and above half of it, so that they are split
/// once.
const LOW: &str = "1M";
const LARGE_ROWS: usize = 1_000;
const LARGE: usize = 1_500;

/// Returns rows of the recipe, about [`LARGE_ROWS`] in each of its tablets.
fn hashed_rows() -> Vec<Bytes> {
    let hasher = RowHasher::new("p").unwrap();
    let key = |row: usize| hasher.add(format!("row {row:05}").as_bytes());
    (0..4 * LARGE_ROWS).map(key).collect()
}

impl Ground {
    async fn splits(&self) -> BTreeSet<Bytes> {
        let splits = self.tables.splits(&self.table).await.unwrap();
        splits.into_iter().collect()
    }

    /// Writes rows, the large ones into one tablet, and waits until a server has split it. Returns
    /// the split point.
    async fn grow(&self, rows: &[Bytes], is_large: impl Fn(&Bytes) -> bool) -> Bytes {
        let before = self.splits().await;
        self.tables.set_property(&self.table, THRESHOLD, LOW).await.unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        let mut write = |row: &Bytes| {
            let length = if is_large(row) { LARGE } else { 1 };
            // Random bytes, which compression does not shrink.
            let value: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
            Mutation::new(row.clone()).put(Column::new("f", "q"), value)
        };
        let mutations = rows.iter().map(&mut write).collect();
        let table = open(&self.tables, &self.table).await;
        table.write(mutations).await.unwrap();
        self.tables.flush(&self.table).await.unwrap();
        let mut made = Vec::new();
        until("a server splits a tablet", async || {
            made = self.splits().await.difference(&before).cloned().collect();
            !made.is_empty()
        })
        .await;
        assert_eq!(made.len(), 1, "{made:?}");
        assert!(!rows.contains(&made[0]), "{made:?} is not shortened");
        made.remove(0)
    }

    fn verdict(&self, more: &str) -> Value {
        let verify = format!("verify --spec s.toml --rows skip --json {more}");
        let run = self.fluo.run(&format!("{verify} {}", self.table));
        run.differs().json()
    }

    /// Removes the threshold, because of which the tablet would be split again, repairs the table,
    /// and deletes it.
    async fn repair_and_delete(self) {
        self.tables.remove_property(&self.table, THRESHOLD).await.unwrap();
        self.repair();
        self.tables.delete_table(&self.table).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_and_merges_a_tablet_that_accumulo_split() {
    let Some(ground) = ground().await else { return };
    let is_third = |row: &Bytes| row[..] > b"p:i000"[..] && row[..] <= b"p:r000"[..];
    let split = ground.grow(&hashed_rows(), is_third).await;
    let split = Escaped(&split).to_string();

    let verdict = ground.verdict("");
    let told = verdict["differences"].to_string();
    assert!(
        told.contains(&format!("the split point `{split}` is not part of any recipe")),
        "{told}"
    );
    assert_eq!(verdict["extra_splits"], Value::from(vec![split]));
    assert!(!told.contains("stray_splits"), "{told}");
    // Both parts belong to the group of the recipe.
    assert_eq!(verdict["groups"][0]["tablets"], 5, "{verdict:#}");
    ground.repair_and_delete().await;
}
