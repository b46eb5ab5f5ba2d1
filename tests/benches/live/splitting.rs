//! `apply` of 1,000 split points beside one `addSplits` of the same.

use std::time::Instant;

use accumulo_proxy::{ProxyClient, TimeType};
use fluo_accumulo::AccumuloTables;
use fluo_keys::RowHasher;

use crate::figures::Figures;

const TABLE: &str = "bench_splits";
const TABLETS: u32 = 1_001;
/// The number of rounds, each with both ways one after the other: the time of `addSplits` varies by
/// a factor between rounds.
const ROUNDS: usize = 5;

pub(crate) async fn run(client: &ProxyClient) {
    let hasher = RowHasher::new("p").unwrap();
    let optimizations = hasher.table_optimizations(TABLETS).unwrap();
    let splits = optimizations.splits();
    let tables = AccumuloTables::new(client.clone());
    let operations = client.table_operations();
    let (mut bare, mut planning, mut applied) =
        (Figures::default(), Figures::default(), Figures::default());
    let _ = operations.delete(TABLE).await;
    for _ in 0..ROUNDS {
        operations.create(TABLE, true, TimeType::Millis).await.unwrap();
        let begin = Instant::now();
        operations.add_splits(TABLE, &splits).await.unwrap();
        bare.add(begin.elapsed());
        operations.delete(TABLE).await.unwrap();

        operations.create(TABLE, true, TimeType::Millis).await.unwrap();
        let begin = Instant::now();
        let planned = optimizations.plan(&tables, TABLE).await.unwrap();
        planning.add(begin.elapsed());
        let begin = Instant::now();
        planned.apply(&tables).await.unwrap();
        applied.add(begin.elapsed());
        operations.delete(TABLE).await.unwrap();
    }
    let (bare, planning, applied) = (bare.median(), planning.median(), applied.median());
    println!(
        "{} split points: apply {applied:.2} s, one addSplits {bare:.2} s: {:.2} times; with the plan before it \
         ({planning:.2} s) {:.2} times",
        splits.len(),
        applied / bare,
        (planning + applied) / bare
    );
}
