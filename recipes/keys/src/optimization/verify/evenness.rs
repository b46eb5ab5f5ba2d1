//! Figures of evenness: the share of misplaced rows, and means.

use crate::number::{float, float_len};

/// Returns the share of the rows that would have to move for counts to be as expected, from 0 to 1.
pub(super) fn misplaced(counts: &[u64], shares: &[u64]) -> f64 {
    let (rows, whole) = (sum(counts).max(1.0), sum(shares).max(1.0));
    let beyond = counts
        .iter()
        .zip(shares)
        .map(|(count, share)| float(*count) / rows - float(*share) / whole);
    beyond.filter(|beyond| *beyond > 0.0).sum()
}

/// Returns the mean of things over places; 0 if there are no places.
pub(super) fn mean(things: usize, places: usize) -> f64 {
    if places == 0 {
        0.0
    } else {
        float_len(things) / float_len(places)
    }
}

fn sum(counts: &[u64]) -> f64 {
    float(counts.iter().sum())
}
