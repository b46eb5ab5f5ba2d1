//! Agreement: random operations on two implementations, whose every answer must be the same.

mod operation;
mod random;
mod side;

use std::sync::Arc;

use fluo_core::{MemoryTables, TableAdmin};

use operation::Operation;
pub(super) use random::Random;
use side::Side;

/// A sequence of random operations. The same seed makes the same sequence.
///
/// The operations are drawn from a few rows, columns, timestamps and values, so that they meet: puts and
/// deletes, conditional writes, scans of all shapes by several readers, split points, merges, changes of the
/// versions, compactions of the whole table, and wrong requests.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// What the sequence is drawn from.
    pub seed: u64,
    /// How many operations.
    pub operations: usize,
}

/// Runs a workload on `tables` and on [`MemoryTables`], and compares all answers.
///
/// It is for tables that do what they are told and nothing else: that keep one value for a key that is written
/// twice, and drop delete markers and old versions only when they are asked to compact.
///
/// # Panics
/// Where an answer differs; the message has the seed, the operation and both answers.
pub async fn agrees_with_reference(tables: Arc<dyn TableAdmin>, workload: Workload) {
    agree(tables, Arc::new(MemoryTables::new()), workload).await;
}

/// Runs a workload on two implementations, as [`agrees_with_reference`] does.
///
/// # Panics
/// Where an answer differs.
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
