//! The calls under way, and the rows that may travel in the next one.
//!
//! - Usually one call is under way. If it is late, the next one leaves beside it.
//! - If a call is slow, a tablet server may not answer. From then on each call has rows of one
//!   tablet, and a tablet has one such call at a time. So a tablet that does not answer holds one
//!   call more.

use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::ops::Bound;
use std::pin::Pin;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::time::Instant;

use crate::data::Bytes;

/// Time after which a call does not hold back the next one. Calls that leave together carry fewer
/// rows each.
const LATE: Duration = Duration::from_millis(10);
/// Time after which each call has rows of one tablet.
const SLOW: Duration = Duration::from_millis(500);

/// Number of calls of one tablet that may be under way beside the usual ones: one for the tablet
/// that does not answer, and one for the others.
const MORE_CALLS: usize = 2;

/// Work under way, which ends with a result.
pub(super) type Working<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A tablet: its last row, or `None` for the last tablet.
pub(super) type Tablet = Option<Bytes>;

/// The rows that may travel in the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// None yet.
    Nothing,
    /// Rows of all tablets.
    Mixed,
    /// Rows of one tablet that has no call under way.
    OneTablet,
}

/// An event of the calls under way.
pub(super) enum Event {
    /// A call has ended; these are its rows.
    Ended(Vec<Bytes>),
    /// The tablets of the table are known.
    Found,
}

/// The calls under way.
pub(super) struct Lanes {
    max_calls: usize,
    calls: FuturesUnordered<Working<(Instant, Vec<Bytes>)>>,
    /// The calls in the order of their start, with the tablet of a call of one tablet.
    begun: VecDeque<(Instant, Option<Tablet>)>,
    splits: Splits,
}

/// The split points of the table, which are requested while a call is slow.
enum Splits {
    Unknown,
    Requested(Working<BTreeSet<Bytes>>),
    Known(BTreeSet<Bytes>),
}

impl Lanes {
    pub(super) fn new(max_calls: usize) -> Self {
        Self {
            max_calls,
            calls: FuturesUnordered::new(),
            begun: VecDeque::new(),
            splits: Splits::Unknown,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.begun.is_empty()
    }

    /// Waits for the next event. It never comes if no call is under way.
    pub(super) async fn next(&mut self) -> Event {
        let split = async {
            match &mut self.splits {
                Splits::Requested(requested) => requested.await,
                Splits::Unknown | Splits::Known(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            Some((begun, rows)) = self.calls.next(), if !self.calls.is_empty() => {
                self.begun.retain(|(other, _)| *other != begun);
                if !self.is_slow() {
                    self.splits = Splits::Unknown;
                }
                Event::Ended(rows)
            }
            splits = split => {
                self.splits = Splits::Known(splits);
                Event::Found
            }
        }
    }

    /// Returns the rows that may leave now. Requests the split points with `request` if the answer
    /// depends on them.
    pub(super) fn load(&mut self, request: impl FnOnce() -> Working<BTreeSet<Bytes>>) -> Load {
        let is_late = |(begun, _): &(Instant, _)| begun.elapsed() >= LATE;
        if !self.begun.back().is_none_or(is_late) {
            return Load::Nothing;
        }
        let is_slow = self.is_slow();
        let more = if is_slow { MORE_CALLS } else { 0 };
        if self.begun.len() >= self.max_calls.saturating_add(more) {
            return Load::Nothing;
        }
        match &self.splits {
            _ if !is_slow => Load::Mixed,
            Splits::Known(_) => Load::OneTablet,
            Splits::Requested(_) => Load::Nothing,
            Splits::Unknown => {
                self.splits = Splits::Requested(request());
                Load::Nothing
            }
        }
    }

    /// Returns the time at which rows that wait may leave although no call has ended.
    pub(super) fn next_look(&self) -> Option<Instant> {
        let (first, last) = (self.begun.front()?.0, self.begun.back()?.0);
        let looks = [last.checked_add(LATE), first.checked_add(SLOW)];
        let now = Instant::now();
        looks.into_iter().flatten().filter(|look| *look > now).min()
    }

    /// Returns the tablet of a row, or `None` if a call of the tablet is under way.
    pub(super) fn free_tablet(&self, row: &Bytes) -> Option<Tablet> {
        let Splits::Known(splits) = &self.splits else {
            return None;
        };
        let from = (Bound::Included(row), Bound::Unbounded);
        let tablet = splits.range::<Bytes, _>(from).next().cloned();
        let mut begun = self.begun.iter().filter_map(|(_, tablet)| tablet.as_ref());
        (!begun.any(|other| *other == tablet)).then_some(tablet)
    }

    /// Starts a call.
    pub(super) fn start(
        &mut self,
        tablet: Option<Tablet>,
        call: impl Future<Output = Vec<Bytes>> + Send + 'static,
    ) {
        let now = Instant::now();
        self.begun.push_back((now, tablet));
        self.calls.push(Box::pin(async move { (now, call.await) }));
    }

    fn is_slow(&self) -> bool {
        let first = self.begun.front();
        first.is_some_and(|(begun, _)| begun.elapsed() >= SLOW)
    }
}
