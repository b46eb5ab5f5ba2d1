//! Accumulo splits a tablet by itself when it has grown, and verify names the split point.

use std::collections::BTreeSet;
use std::time::Duration;

use fluo_core::{Bytes, Column, Escaped, Mutation, TableAdmin};
use fluo_recipes::RowHasher;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::drift::{Ground, ground};
use crate::faults_ground::open;

const THRESHOLD: &str = "table.split.threshold";
/// Less than [`LARGE_ROWS`] have together, and more than half of them: they are split once.
const LOW: &str = "1M";
const LARGE_ROWS: usize = 1_000;
const LARGE: usize = 1_500;
/// A server looks at its tablets every few seconds.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Rows of the recipe, about [`LARGE_ROWS`] in each of its tablets.
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

    /// Writes rows, of which one tablet has the large ones, and waits until a server has split it. The split point.
    async fn grow(&self, rows: &[Bytes], is_large: impl Fn(&Bytes) -> bool) -> Bytes {
        let before = self.splits().await;
        self.tables
            .set_property(&self.table, THRESHOLD, LOW)
            .await
            .unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        let mut write = |row: &Bytes| {
            let length = if is_large(row) { LARGE } else { 1 };
            // What no compression makes smaller.
            let value: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
            Mutation::new(row.clone()).put(Column::new("f", "q"), value)
        };
        let mutations = rows.iter().map(&mut write).collect();
        let table = open(&self.tables, &self.table).await;
        table.write(mutations).await.unwrap();
        self.tables.flush(&self.table).await.unwrap();
        let made = timeout(PATIENCE, async {
            loop {
                let made: Vec<_> = self.splits().await.difference(&before).cloned().collect();
                if !made.is_empty() {
                    return made;
                }
                sleep(LOOK_EVERY).await;
            }
        });
        let made = made
            .await
            .unwrap_or_else(|_| panic!("no server has split a tablet within {PATIENCE:?}"));
        assert_eq!(made.len(), 1, "{made:?}");
        assert!(!rows.contains(&made[0]), "{made:?} is not shortened");
        made[0].clone()
    }

    fn verdict(&self, more: &str) -> Value {
        let verify = format!("verify --spec s.toml --rows skip --json {more}");
        let run = self.fluo.run(&format!("{verify} {}", self.table));
        run.differs().json()
    }

    /// Raises the threshold, without which the tablet would be split again, and makes the table as the spec says.
    async fn mend_for_good(self) {
        self.tables
            .remove_property(&self.table, THRESHOLD)
            .await
            .unwrap();
        self.mend();
        self.tables.delete_table(&self.table).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tablet_that_accumulo_split_by_itself_is_named_and_merged_again() {
    let Some(ground) = ground().await else { return };
    let is_third = |row: &Bytes| row[..] > b"p:i000"[..] && row[..] <= b"p:r000"[..];
    let split = ground.grow(&hashed_rows(), is_third).await;
    let split = Escaped(&split).to_string();

    let verdict = ground.verdict("");
    let told = verdict["differences"].to_string();
    assert!(
        told.contains(&format!(
            "the split point `{split}` is not part of any recipe"
        )),
        "{told}"
    );
    assert_eq!(verdict["splits"]["extra"], Value::from(vec![split]));
    assert_eq!(
        verdict["splits"]["strays"],
        Value::from(Vec::<Value>::new())
    );
    // Either part is of the recipe's group.
    assert_eq!(verdict["groups"][0]["tablets"], 5, "{verdict:#}");
    ground.mend_for_good().await;
}

/// The recipe's last split point was merged away, so that rows of somebody else are in its last tablet.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tablet_that_accumulo_split_past_the_prefix_falls_out_of_its_group_and_is_named() {
    let Some(ground) = ground().await else { return };
    ground
        .tables
        .merge(&ground.table, Some(b"p:r000"), Some(b"p:~\0"))
        .await
        .unwrap();
    let mut rows = hashed_rows();
    rows.extend((0..LARGE_ROWS).map(|row| Bytes::from(format!("page {row:05}"))));
    let split = ground.grow(&rows, |row| row.starts_with(b"page")).await;
    let split = Escaped(&split).to_string();

    let verdict = ground.verdict("--allow-extra-splits");
    let differences: Vec<_> = verdict["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|difference| difference["sentence"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        differences.contains(&"the split point `p:~` is missing".to_owned()),
        "{differences:#?}"
    );
    assert!(
        differences.contains(&format!(
            "row hasher `p`: the tablet that ends at the extra split point `{split}` can hold its rows and falls out of \
             its group"
        )),
        "{differences:#?}"
    );
    assert_eq!(verdict["splits"]["strays"][0]["split"], split);
    // The other rows stay, all in one tablet.
    let spec =
        "other_rows = \"allowed\"\nmax_skew = 20\n\n[[row_hasher]]\nprefix = \"p\"\ntablets = 4\n";
    ground.fluo.file("s.toml", spec);
    ground.mend_for_good().await;
}
