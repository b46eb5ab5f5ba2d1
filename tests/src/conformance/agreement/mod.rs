//! Agreement: random operations on two implementations, which must return the same answers.

mod operation;
mod random;
mod side;

use std::sync::Arc;

use fluo_table::{MemoryTables, TableAdmin};

use operation::Operation;
pub(super) use random::Random;
use side::Side;

/// A sequence of random operations. The same seed creates the same sequence.
///
/// The operations use few rows, columns, timestamps and values, so that they often affect the same
/// keys: puts and deletes, conditional writes, scans of all shapes by several readers, split
/// points, merges, changes of the versions, compactions of the whole table, and invalid requests.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// The seed of the sequence.
    pub seed: u64,
    /// The number of operations.
    pub operations: usize,
}

/// Runs a workload on `tables` and on [`MemoryTables`], and compares all answers.
///
/// The tables must be deterministic: they keep one value of a key that is written twice, and drop
/// delete markers and old versions only in a compaction that a caller requests.
///
/// # Panics
///
/// If an answer differs. The message contains the seed, the operation and both answers.
pub async fn agrees_with_reference(tables: Arc<dyn TableAdmin>, workload: Workload) {
    agree(tables, Arc::new(MemoryTables::new()), workload).await;
}

/// Runs a workload on two implementations, like [`agrees_with_reference`].
///
/// # Panics
///
/// If an answer differs.
pub async fn agree(
    tables: Arc<dyn TableAdmin>,
    reference: Arc<dyn TableAdmin>,
    workload: Workload,
) {
    let mut random = Random::new(workload.seed);
    let mut one = Side::new(tables).await;
    let mut other = Side::new(reference).await;
    for step in 0..workload.operations {
        let operation = Operation::draw(&mut random);
        let (answer, expected) = (one.run(&operation).await, other.run(&operation).await);
        assert!(
            answer == expected,
            "{workload:?}, step {step}: {operation:?}\nanswers  {answer:?}\nexpected {expected:?}"
        );
    }
    let everything = Operation::everything();
    assert_eq!(
        one.run(&everything).await,
        other.run(&everything).await,
        "{workload:?}, at the end"
    );
    one.end().await;
    other.end().await;
}
