//! The part of the notifications that one worker processes: [`Share`].

use std::sync::Arc;

use crate::data::{Bytes, Key, Span};
use crate::layout::{Partition, is_unpartitioned};

/// The part of the notifications that one worker processes: those in some rows, divided by hash.
///
/// # Examples
///
/// ```
/// use std::num::NonZeroU32;
///
/// use fluo_table::Span;
/// use fluo_table::coordination::Share;
/// use fluo_table::layout::Partition;
///
/// let all = Partition::new(NonZeroU32::MIN, 0)?;
/// let share = Share::new([Span::tablet(None, Some(b"m"))], all);
/// assert!(share.contains(&"a".into(), b"\x04stat\x05count"));
/// assert!(!share.contains(&"n".into(), b"\x04stat\x05count"));
/// # Ok::<_, fluo_table::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Sorted and disjoint.
    spans: Arc<[Span]>,
    partition: Partition,
    has_unpartitioned: bool,
}

impl Share {
    /// Creates the share of one part of the notifications in these spans, which consist of whole
    /// rows. Part 0 includes the [unpartitioned](is_unpartitioned) notifications.
    pub fn new(spans: impl IntoIterator<Item = Span>, partition: Partition) -> Self {
        Self {
            spans: Span::disjoint(spans.into_iter().collect()).into(),
            partition,
            has_unpartitioned: partition.remainder() == 0,
        }
    }

    /// Adds the [unpartitioned](is_unpartitioned) notifications in the spans, because the worker
    /// with part 0 may skip them.
    #[must_use]
    pub fn with_unpartitioned(mut self) -> Self {
        self.has_unpartitioned = true;
        self
    }

    /// Returns the spans: sorted, disjoint and not empty.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the part of the notifications in these spans.
    pub fn partition(&self) -> Partition {
        self.partition
    }

    /// Checks whether the share has unpartitioned notifications that its
    /// [partition](Self::partition) does not contain.
    pub fn has_unpartitioned(&self) -> bool {
        self.has_unpartitioned && !self.partition.divisor().is_power_of_two()
    }

    /// Checks whether a notification belongs to this share. `qualifier` is that of its
    /// [column](crate::layout::notification_column).
    pub fn contains(&self, row: &Bytes, qualifier: &[u8]) -> bool {
        let is_in_partition = || {
            self.partition.divisor().get() == 1
                || self.partition.contains(row, qualifier)
                || self.has_unpartitioned() && is_unpartitioned(row, qualifier)
        };
        self.contains_row(row) && is_in_partition()
    }

    fn contains_row(&self, row: &Bytes) -> bool {
        let first = Key::first_of_row(row.clone());
        let after = self.spans.partition_point(|span| *span.start() <= first);
        let before = after.checked_sub(1).and_then(|index| self.spans.get(index));
        before.is_some_and(|span| span.contains(&first))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use proptest::prelude::*;

    use super::*;

    fn part(divisor: u32, remainder: u32) -> Partition {
        Partition::new(NonZeroU32::new(divisor).unwrap(), remainder).unwrap()
    }

    #[test]
    fn contains_the_rows_of_its_spans() {
        let spans = [Span::tablet(Some(b"m"), Some(b"s")), Span::tablet(None, Some(b"g"))];
        let share = Share::new(spans, part(1, 0));
        for (row, expected) in [
            ("", true),
            ("g", true),
            ("g\0", false),
            ("m", false),
            ("m\0", true),
            ("s", true),
            ("t", false),
        ] {
            assert_eq!(share.contains(&row.into(), b"q"), expected, "{row:?}");
        }
        let none = Share::new([], part(1, 0));
        assert!(!none.contains(&"g".into(), b"q"));
    }

    #[test]
    fn an_unpartitioned_notification_belongs_to_part_0_and_to_shares_that_add_it() {
        let (row, qualifier) = (Bytes::from("adb:A0BM"), b"\x01s\x06strong");
        let owners = |divisor, adds: bool| -> Vec<u32> {
            let owns = |remainder: &u32| {
                let share = Share::new([Span::all()], part(divisor, *remainder));
                let share = if adds { share.with_unpartitioned() } else { share };
                share.contains(&row, qualifier)
            };
            (0..divisor).filter(owns).collect()
        };
        for divisor in 1..14 {
            assert_eq!(owners(divisor, false), [0]);
        }
        assert_eq!(owners(3, true), [0, 1, 2]);
        assert_eq!(owners(4, true), [0], "every filter shows it to part 0");
        let elsewhere = Share::new([Span::row("b")], part(3, 0)).with_unpartitioned();
        assert!(!elsewhere.contains(&row, qualifier));
    }

    proptest! {
        #[test]
        fn every_notification_belongs_to_one_share(
            row in any::<Vec<u8>>(), qualifier in any::<Vec<u8>>(), divisor in 1u32..20,
        ) {
            let row = Bytes::from(row);
            let shares = (0..divisor).map(|remainder| Share::new([Span::all()], part(divisor, remainder)));
            let owners = shares.filter(|share| share.contains(&row, &qualifier)).count();
            prop_assert_eq!(owners, 1);
        }
    }
}
