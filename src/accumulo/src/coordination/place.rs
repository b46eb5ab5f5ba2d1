//! The place of a worker among all workers, and the rows of its group.
//!
//! ```text
//! number of groups       max(1, workers / group size)
//! worker i, by name      in group i mod groups, with the number i div groups
//! ranges of the table    up to the first split point, .., after the last one; shuffled
//! range j of these       belongs to group j mod groups
//! ```

use std::num::{NonZeroU32, NonZeroUsize};

use fluo_table::coordination::Share;
use fluo_table::layout::Partition;
use fluo_table::{Bytes, Error, Result, Span};

const SEED: u64 = 42;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    workers: usize,
    groups: NonZeroUsize,
    /// The group of the worker, from 0.
    group: usize,
    /// The number of the worker in its group, from 0.
    number: usize,
}

impl Place {
    /// Returns the place of the worker with an index in the order of names.
    pub(super) fn new(workers: usize, index: usize, group_size: NonZeroU32) -> Self {
        let group_size = usize::try_from(group_size.get()).unwrap_or(usize::MAX);
        let groups = workers.checked_div(group_size).and_then(NonZeroUsize::new);
        let groups = groups.unwrap_or(NonZeroUsize::MIN);
        Self { workers, groups, group: index % groups, number: index / groups }
    }

    fn members(self) -> usize {
        self.workers.saturating_sub(self.group).div_ceil(self.groups.get())
    }

    /// Returns the share of the worker in a table with these split points, which are sorted.
    ///
    /// Workers of Java skip unpartitioned notifications, and the nodes of workers do not show which
    /// program wrote them. So every worker has the unpartitioned notifications of its group.
    pub(super) fn share(self, splits: &[Bytes]) -> Result<Share> {
        let number = |count: usize| u32::try_from(count).ok();
        let members = number(self.members()).and_then(NonZeroU32::new);
        let (Some(members), Some(number)) = (members, number(self.number)) else {
            let message = format!("{} workers are too many", self.workers);
            return Err(Error::invalid(message));
        };
        let partition = Partition::new(members, number)?;
        Ok(Share::new(self.ranges(splits), partition).with_unpartitioned())
    }

    /// Returns the ranges of the group, in the shuffled order.
    fn ranges(self, splits: &[Bytes]) -> Vec<Span> {
        if self.groups == NonZeroUsize::MIN {
            return vec![Span::all()];
        }
        let range = |index: usize| {
            let before = index.checked_sub(1).and_then(|before| splits.get(before));
            let end = splits.get(index);
            Span::tablet(before.map(|row| &row[..]), end.map(|row| &row[..]))
        };
        let order = shuffled(splits.len() + 1).into_iter();
        order.skip(self.group).step_by(self.groups.get()).map(range).collect()
    }
}

/// The generator of `java.util.Random`.
///
/// ```text
/// state     48 bits; at first the seed xor MULTIPLIER
/// each step state * MULTIPLIER + 11, modulo 2^48
/// result    the upper 31 bits of the state
/// ```
struct JavaRandom {
    state: u64,
}

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    fn with_seed(seed: u64) -> Self {
        Self { state: (seed ^ MULTIPLIER) & MASK }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(11) & MASK;
        self.state >> 17
    }

    /// Returns the next number below `bound`, which is 1 to 2^31 - 1.
    fn below(&mut self, bound: u64) -> u64 {
        if bound.is_power_of_two() {
            return (bound * self.next()) >> 31;
        }
        loop {
            // Numbers above the last multiple of the bound are rejected, so that all remainders are
            // equally likely.
            let bits = self.next();
            let number = bits % bound;
            if bits - number + (bound - 1) < 1 << 31 {
                return number;
            }
        }
    }
}

/// Returns the numbers below `count` in the order of `java.util.Collections.shuffle`, in which all
/// workers assign the ranges of a table to groups.
fn shuffled(count: usize) -> Vec<usize> {
    let mut random = JavaRandom::with_seed(SEED);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let bound = u64::try_from(last + 1).expect("a number of ranges");
        let other = usize::try_from(random.below(bound)).expect("below a number of ranges");
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splits(count: usize) -> Vec<Bytes> {
        (0..count).map(|row| Bytes::from(format!("{row:02}"))).collect()
    }

    fn place(workers: usize, index: usize, group_size: u32) -> Place {
        Place::new(workers, index, NonZeroU32::new(group_size).unwrap())
    }

    /// A range: the row before it, and its last row.
    type Range = (Option<&'static str>, Option<&'static str>);

    const FIRST: Range = (None, Some("00"));
    const SECOND: Range = (Some("00"), Some("01"));
    const THIRD: Range = (Some("01"), Some("02"));
    const FOURTH: Range = (Some("02"), Some("03"));
    const FIFTH: Range = (Some("03"), Some("04"));

    /// The places and ranges are those of Fluo's classes in Java.
    #[test]
    fn has_the_places_and_ranges_of_java() {
        let after = |row| (Some(row), None);
        // Number of workers, group size, split points and index; then group, number in the group,
        // size of the group, groups, and ranges.
        let vectors: &[([usize; 4], [usize; 4], &[Range])] = &[
            ([14, 7, 3, 0], [0, 0, 7, 2], &[FIRST, after("02")]),
            ([14, 7, 3, 1], [1, 0, 7, 2], &[SECOND, THIRD]),
            ([14, 7, 5, 12], [0, 6, 7, 2], &[SECOND, FOURTH, FIFTH]),
            ([15, 7, 5, 14], [0, 7, 8, 2], &[SECOND, FOURTH, FIFTH]),
            ([15, 7, 5, 13], [1, 6, 7, 2], &[FIRST, THIRD, after("04")]),
            ([5, 2, 5, 4], [0, 2, 3, 2], &[SECOND, FOURTH, FIFTH]),
            ([5, 2, 5, 3], [1, 1, 2, 2], &[FIRST, THIRD, after("04")]),
            ([3, 1, 3, 0], [0, 0, 1, 3], &[THIRD, after("02")]),
            ([3, 1, 3, 1], [1, 0, 1, 3], &[SECOND]),
            ([3, 1, 3, 2], [2, 0, 1, 3], &[FIRST]),
            ([3, 1, 5, 0], [0, 0, 1, 3], &[SECOND, after("04")]),
            ([3, 1, 5, 1], [1, 0, 1, 3], &[FIRST, FOURTH]),
            ([3, 1, 5, 2], [2, 0, 1, 3], &[THIRD, FIFTH]),
            ([2, 7, 3, 1], [0, 1, 2, 1], &[(None, None)]),
            ([8, 7, 5, 7], [0, 7, 8, 1], &[(None, None)]),
        ];
        for (case, expected, ranges) in vectors {
            let [workers, group_size, count, index] = *case;
            let place = place(workers, index, u32::try_from(group_size).unwrap());
            let found = [place.group, place.number, place.members(), place.groups.get()];
            assert_eq!(found, *expected, "{case:?}");
            let bytes = |row: Option<&'static str>| row.map(str::as_bytes);
            let ranges = ranges.iter();
            let spans = ranges.map(|(before, end)| Span::tablet(bytes(*before), bytes(*end)));
            let share = place.share(&splits(count)).unwrap();
            assert_eq!(share.spans(), Span::disjoint(spans.collect()), "{case:?}");
        }
    }

    #[test]
    fn every_notification_is_in_the_share_of_one_worker() {
        for (workers, group_size, count) in
            [(1, 7, 0), (13, 7, 4), (14, 7, 9), (23, 7, 1), (9, 1, 3)]
        {
            let splits = splits(count);
            let shares: Vec<_> = (0..workers)
                .map(|index| place(workers, index, group_size).share(&splits).unwrap())
                .collect();
            for row in 0..200 {
                let row = Bytes::from(format!("{row:03}"));
                let owners = shares.iter().filter(|share| share.contains(&row, b"q"));
                assert_eq!(owners.count(), 1, "{workers} workers, {row:?}");
            }
        }
    }

    #[test]
    fn every_worker_has_the_unpartitioned_notifications_of_its_group() {
        let (row, qualifier) = (Bytes::from("adb:A0BM"), b"\x01s\x06strong");
        let owners = |workers, group_size| {
            let shares = (0..workers).map(|index| place(workers, index, group_size).share(&[]));
            let mut shares = shares.map(Result::unwrap);
            shares.by_ref().filter(|share| share.contains(&row, qualifier)).count()
        };
        assert_eq!(owners(3, 7), 3);
        assert_eq!(owners(4, 7), 1, "a worker of Java would process it too");
        assert_eq!(owners(6, 3), 3);
    }

    #[test]
    fn draws_the_numbers_of_java() {
        let mut random = JavaRandom::with_seed(42);
        let drawn = [(); 6].map(|()| random.next());
        let expected =
            [1_562_431_130, 117_392_763, 1_467_211_248, 102_948_884, 662_969_970, 2_023_087_525];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn has_the_order_of_java() {
        for order in [
            &[][..],
            &[0],
            &[0, 1],
            &[1, 0, 2],
            &[1, 2, 3, 4, 0],
            &[4, 6, 2, 1, 7, 9, 8, 5, 3, 0],
            &[15, 16, 14, 13, 5, 11, 17, 18, 8, 2, 6, 7, 3, 1, 19, 4, 12, 0, 9, 10],
            &[
                19, 20, 22, 1, 3, 16, 15, 11, 18, 12, 24, 8, 6, 23, 2, 21, 17, 7, 9, 5, 4, 14, 10,
                25, 13, 0,
            ],
        ] {
            assert_eq!(shuffled(order.len()), order);
        }
    }
}
