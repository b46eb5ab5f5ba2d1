//! The calls under way, and the rows that may travel in the next one, by the rules of
//! [gathering](super::ConditionalWriter#gathering). A tablet with a call of its own has no rows in
//! other calls, so one that does not respond blocks at most one extra call.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Bound;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use tokio::time::Instant;

use crate::data::{Bytes, ConditionalWriterOptions};

/// Time after which a call does not hold back the next one. Calls that leave together carry fewer
/// rows each.
const LATE: Duration = Duration::from_millis(10);
/// Minimum number of ready rows that leave beside a call that is not late, unless fewer fill a
/// call.
const ENOUGH_ROWS: usize = 48;
/// Time after which each call has rows of one tablet.
const SLOW: Duration = Duration::from_millis(500);

/// Time after which the split points are requested again.
const FRESH: Duration = Duration::from_secs(60);
/// Number of calls of one tablet that may be under way beside the usual ones: one for the tablet
/// that does not answer, and one for the others.
const MORE_CALLS: usize = 2;

/// A tablet: its last row, or `None` for the last tablet.
pub(super) type Tablet = Option<Bytes>;

/// The rows that may travel in the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// No row may leave yet.
    Nothing,
    /// Rows of all tablets.
    All,
    /// Rows of all tablets that have no call of their own.
    Others,
    /// Rows of one tablet that has no call of its own.
    OneTablet,
}

pub(super) struct Lanes {
    max_calls: usize,
    /// Number of ready rows that leave beside a call that is not late.
    enough: usize,
    calls: FuturesUnordered<BoxFuture<'static, (u64, Vec<Bytes>)>>,
    /// The same calls in the order of their start.
    begun: VecDeque<Begun>,
    next_id: u64,
    splits: Splits,
}

struct Begun {
    id: u64,
    at: Instant,
    /// The tablet of a call of one tablet.
    tablet: Option<Tablet>,
}

/// The split points of the table, which are requested while a call is slow.
enum Splits {
    Unknown,
    Requested(BoxFuture<'static, BTreeSet<Bytes>>),
    Known(Instant, BTreeSet<Bytes>),
}

impl Lanes {
    pub(super) fn new(options: &ConditionalWriterOptions) -> Self {
        Self {
            max_calls: options.calls_in_flight.get(),
            enough: options.rows_per_call.get().min(ENOUGH_ROWS),
            calls: FuturesUnordered::new(),
            begun: VecDeque::new(),
            next_id: 0,
            splits: Splits::Unknown,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.begun.is_empty()
    }

    /// Waits until a call has ended, and returns its rows, or until the tablets are known, and
    /// returns none. Waits forever if no call is under way.
    pub(super) async fn next(&mut self) -> Vec<Bytes> {
        let split = async {
            match &mut self.splits {
                Splits::Requested(requested) => requested.await,
                Splits::Unknown | Splits::Known(..) => std::future::pending().await,
            }
        };
        tokio::select! {
            Some((id, rows)) = self.calls.next(), if !self.calls.is_empty() => {
                self.begun.retain(|call| call.id != id);
                rows
            }
            splits = split => {
                self.splits = Splits::Known(Instant::now(), splits);
                Vec::new()
            }
        }
    }

    /// Returns the rows that may leave now, of this number of ready rows. Requests the split points
    /// with `request` if the answer depends on them.
    pub(super) fn load(
        &mut self,
        now: Instant,
        ready: usize,
        request: impl FnOnce() -> BoxFuture<'static, BTreeSet<Bytes>>,
    ) -> Load {
        let is_late = |call: &Begun| now.duration_since(call.at) >= LATE;
        if ready < self.enough && !self.begun.back().is_none_or(is_late) {
            return Load::Nothing;
        }
        let is_slow = |call: &Begun| now.duration_since(call.at) >= SLOW;
        let is_slow = self.begun.front().is_some_and(is_slow);
        let more = if is_slow { MORE_CALLS } else { 0 };
        if self.begun.len() >= self.max_calls.saturating_add(more) {
            return Load::Nothing;
        }
        match &self.splits {
            _ if !is_slow => Load::All,
            Splits::Requested(_) => Load::Nothing,
            Splits::Known(at, _) if now.duration_since(*at) < FRESH => {
                if self.begun.iter().all(|call| call.tablet.is_some()) {
                    Load::Others
                } else {
                    Load::OneTablet
                }
            }
            Splits::Unknown | Splits::Known(..) => {
                self.splits = Splits::Requested(request());
                Load::Nothing
            }
        }
    }

    /// Returns the next time at which a call becomes late or slow.
    pub(super) fn next_look(&self, now: Instant) -> Option<Instant> {
        let (first, last) = (self.begun.front()?.at, self.begun.back()?.at);
        let looks = [last.checked_add(LATE), first.checked_add(SLOW)];
        looks.into_iter().flatten().filter(|look| *look > now).min()
    }

    /// Returns the tablet of a row, or `None` if the tablet has a call of its own.
    pub(super) fn free_tablet(&self, row: &Bytes) -> Option<Tablet> {
        let Splits::Known(_, splits) = &self.splits else {
            return None;
        };
        let from = (Bound::Included(row), Bound::Unbounded);
        let tablet = splits.range::<Bytes, _>(from).next().cloned();
        let mut begun = self.begun.iter().filter_map(|call| call.tablet.as_ref());
        (!begun.any(|other| *other == tablet)).then_some(tablet)
    }

    pub(super) fn start(
        &mut self,
        tablet: Option<Tablet>,
        call: impl Future<Output = Vec<Bytes>> + Send + 'static,
    ) {
        let (id, at) = (self.next_id, Instant::now());
        self.next_id = self.next_id.wrapping_add(1);
        self.begun.push_back(Begun { id, at, tablet });
        self.calls.push(Box::pin(async move { (id, call.await) }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_leaves_beside_one_that_is_late_or_if_enough_rows_wait() {
        let options = ConditionalWriterOptions::default();
        let few = options.clone().rows_per_call(10.try_into().unwrap());
        for (options, enough) in [(options, 48), (few, 10)] {
            let mut lanes = Lanes::new(&options);
            let unasked = || -> BoxFuture<'static, _> { unreachable!("no call is slow") };
            let now = Instant::now();
            assert_eq!(lanes.load(now, 1, unasked), Load::All);
            lanes.start(None, std::future::pending());
            let begun = lanes.begun.back().unwrap().at;
            assert_eq!(lanes.load(begun, enough - 1, unasked), Load::Nothing);
            assert_eq!(lanes.load(begun, enough, unasked), Load::All);
            assert_eq!(lanes.next_look(begun), Some(begun + LATE));
            assert_eq!(lanes.load(begun + LATE, 1, unasked), Load::All);
            lanes.start(None, std::future::pending());
            assert_eq!(lanes.load(begun + LATE, enough, unasked), Load::Nothing);
        }
    }
}
