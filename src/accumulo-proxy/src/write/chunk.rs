//! Division of mutations into calls.

use std::collections::BTreeMap;
use std::iter::Peekable;

use super::wire_size;
use crate::convert::ToWire;
use crate::data::Mutation;
use crate::wire::interface as wire;

/// Target size of a call. A larger call takes longer and is hardly faster.
pub(super) const CALL_BYTES: usize = 1024 * 1024;

/// The updates of one call, by row. The updates of a row keep their order.
pub(crate) type Cells = BTreeMap<Vec<u8>, Vec<wire::ColumnUpdate>>;

/// An iterator over the contents of the calls. Each call has at most [`CALL_BYTES`], or a single
/// mutation.
pub(super) struct Cut<I: Iterator<Item = Mutation>> {
    mutations: Peekable<I>,
}

impl<I: Iterator<Item = Mutation>> Cut<I> {
    pub(super) fn new(mutations: impl IntoIterator<IntoIter = I>) -> Self {
        Self { mutations: mutations.into_iter().peekable() }
    }
}

impl<I: Iterator<Item = Mutation>> Iterator for Cut<I> {
    type Item = Cells;

    fn next(&mut self) -> Option<Cells> {
        let mut mutations = Vec::new();
        let mut left = CALL_BYTES;
        while let Some(mutation) = self.mutations.next_if(|next| {
            let bytes = mutation_bytes(next);
            let fits = mutations.is_empty() || bytes <= left;
            left = left.saturating_sub(bytes);
            fits
        }) {
            mutations.push(mutation);
        }
        (!mutations.is_empty()).then(|| mutations.to_wire())
    }
}

/// Returns the maximum size of a mutation on the wire.
pub(super) fn mutation_bytes(mutation: &Mutation) -> usize {
    wire_size::updates(&mutation.row, &mutation.updates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutation(row: &'static str, value_bytes: usize) -> Mutation {
        Mutation::new(row).put("f", "q", vec![0; value_bytes])
    }

    fn rows(cells: &Cells) -> Vec<(&[u8], usize)> {
        cells.iter().map(|(row, updates)| (row.as_slice(), updates.len())).collect()
    }

    #[test]
    fn merges_the_mutations_of_a_row_in_their_order() {
        let mutations = [mutation("b", 1), mutation("a", 2), mutation("b", 3)];
        let cut: Vec<_> = Cut::new(mutations).collect();
        assert_eq!(cut.len(), 1);
        assert_eq!(rows(&cut[0]), [(b"a".as_slice(), 1), (b"b".as_slice(), 2)]);
        let values: Vec<_> = cut[0][b"b".as_slice()]
            .iter()
            .map(|update| update.value.as_ref().unwrap().len())
            .collect();
        assert_eq!(values, [1, 3]);
    }

    #[test]
    fn limits_the_size_of_a_call_and_sends_a_long_mutation_alone() {
        let half = CALL_BYTES / 2;
        let mutations = [
            mutation("a", 10),
            mutation("b", 3 * CALL_BYTES),
            mutation("c", half),
            mutation("d", half),
            mutation("e", 10),
        ];
        let cut: Vec<_> = Cut::new(mutations).map(|cells| cells.len()).collect();
        assert_eq!(cut, [1, 1, 1, 2]);
    }

    #[test]
    fn makes_no_call_without_mutations() {
        assert_eq!(Cut::new(Vec::new()).count(), 0);
    }
}
