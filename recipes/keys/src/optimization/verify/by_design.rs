//! The share of its rows that each tablet of a recipe has by design.

use fluo_table::{Bytes, Tablet};

use super::super::TableRequirement;
use crate::number::{float, float_len};

/// The largest relative difference of a share that counts as equal: digits cannot be divided into
/// any number of tablets.
const NEARLY_EQUAL: f64 = 0.01;

/// The shares of the planned tablets of a recipe, whose sum is 1.
#[derive(Debug)]
pub(super) struct ByDesign<'a> {
    splits: &'a [Bytes],
    shares: Vec<f64>,
}

impl<'a> ByDesign<'a> {
    /// Returns the shares that the recipe expects, or equal ones if it has none. A share of 0
    /// counts as the smallest other one.
    pub(super) fn of(requirement: &'a TableRequirement) -> Self {
        let planned = requirement.planned_tablets().max(1);
        let weights = requirement.shares.as_deref().unwrap_or_default();
        let all: u64 = weights.iter().sum();
        let least = weights.iter().copied().filter(|weight| *weight > 0).min();
        let even = 1.0 / float_len(planned);
        let shares = match least {
            None => vec![even; planned],
            Some(least) => weights
                .iter()
                .map(|weight| float((*weight).max(least)) / float(all))
                .map(|share| match (share / even - 1.0).abs() < NEARLY_EQUAL {
                    true => even,
                    false => share,
                })
                .collect(),
        };
        Self {
            splits: &requirement.splits,
            shares,
        }
    }

    /// Returns the number of planned tablets.
    pub(super) fn tablets(&self) -> usize {
        self.shares.len()
    }

    /// Returns the share of each of these neighbouring tablets, the first of which can hold the
    /// first rows of the recipe.
    ///
    /// A tablet has the share of the largest planned tablet that it covers. So a missing split
    /// point does not raise its share, and an extra one does not lower it.
    pub(super) fn of_tablets(&self, tablets: &[Tablet]) -> Vec<f64> {
        let mut at = 0;
        let share = |tablet: &Tablet| {
            let (first, end_row) = (at, tablet.end_row.as_ref());
            while let Some(split) = self.splits.get(at)
                && end_row.is_none_or(|end_row| split < end_row)
            {
                at += 1;
            }
            let covered = self.shares.iter().skip(first).take(at + 1 - first);
            let share = covered.copied().reduce(f64::max);
            if end_row.is_some() && self.splits.get(at) == end_row {
                at += 1;
            }
            share.or(self.shares.last().copied()).unwrap_or(1.0)
        };
        tablets.iter().map(share).collect()
    }

    /// Returns the largest share of one of these servers if the tablets are spread over them by
    /// their number.
    pub(super) fn on_a_server(&self, servers: usize) -> f64 {
        let most = self.shares.len().div_ceil(servers.max(1));
        let mut shares = self.shares.clone();
        shares.sort_unstable_by(|a, b| b.total_cmp(a));
        shares.iter().take(most).sum::<f64>().min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(shares: &[u64]) -> TableRequirement {
        let splits = ["d", "h", "p"].map(Bytes::from);
        let builder = TableRequirement::builder("queue").splits(splits);
        builder.shares(shares.iter().copied()).build().unwrap()
    }

    fn ending(end_rows: &[&'static str]) -> Vec<Tablet> {
        let end_rows = end_rows.iter().map(|row| Some(Bytes::from(*row)));
        let tablet = |end_row| Tablet {
            end_row,
            server: None,
            entries: 0,
        };
        end_rows.chain([None]).map(tablet).collect()
    }

    #[test]
    fn a_tablet_has_the_share_of_the_largest_planned_tablet_that_it_covers() {
        let requirement = of(&[5, 1, 2, 2]);
        let shares = ByDesign::of(&requirement);
        for (end_rows, expected) in [
            (&["d", "h", "p"][..], &[0.5, 0.1, 0.2, 0.2][..]),
            (
                &["b", "d", "f", "g", "h", "p", "z"],
                &[0.5, 0.5, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2],
            ),
            (&["h", "p"], &[0.5, 0.2, 0.2]),
            (&["f", "k"], &[0.5, 0.2, 0.2]),
            (&[], &[0.5]),
        ] {
            assert_eq!(
                shares.of_tablets(&ending(end_rows)),
                expected,
                "{end_rows:?}"
            );
        }
    }

    #[test]
    fn expects_the_largest_tablets_on_one_server() {
        let requirement = of(&[4, 1, 2, 1]);
        let shares = ByDesign::of(&requirement);
        assert_eq!(
            [8, 4, 3, 1].map(|servers| shares.on_a_server(servers)),
            [0.5, 0.5, 0.75, 1.0]
        );
    }
}
