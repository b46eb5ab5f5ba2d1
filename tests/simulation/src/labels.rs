//! The labels of cells, and the labels that each client sees.

use fluo_table::{Authorizations, Column};

use super::ground::number;
use super::random::Random;

/// The labels of a run. Each has a column of its own beside the one without a label.
pub(super) const LABELS: [&str; 2] = ["A", "B"];

/// The column of numbers that only readers with a label see.
pub(super) fn labeled(label: &'static str) -> Column {
    number().with_visibility(label)
}

/// Returns the labels of a client that sees everything.
pub(super) fn all() -> Authorizations {
    LABELS.into_iter().collect()
}

/// Draws the labels of a client.
pub(super) fn drawn(random: &Random) -> Authorizations {
    LABELS.into_iter().filter(|_| random.chance(500)).collect()
}
