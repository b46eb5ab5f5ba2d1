//! The task that combines waiting mutations into calls.
//!
//! ```text
//! arrive ──┬── ready: rows that no call has ──── calls (lanes.rs) ──── answers
//!          └── behind: rows that are ready or in a call already, in the order of their arrival
//! ```
//!
//! A request contains each row once. Of several mutations of one row, therefore only one is ready
//! or under way at a time; the next becomes ready when the previous one has its outcome. A caller
//! that waited too long gives its mutation up, unless a call has it: nothing of it is sent then.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::lanes::{Lanes, Load, Tablet};
use super::session::{Link, Updates};
use crate::convert::{FromWire, ToWire};
use crate::data::{Bytes, ConditionalMutation, ConditionalOutcome};
use crate::error::{ErrorKind, Result};
use crate::write::direct::CALL_BYTES;

/// A mutation, and the channel to the caller that waits for its outcome.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) mutation: ConditionalMutation,
    pub(super) bytes: usize,
    pub(super) since: Instant,
    pub(super) claim: Claim,
    pub(super) permit: OwnedSemaphorePermit,
    pub(super) answer: oneshot::Sender<Result<ConditionalOutcome>>,
}

/// The decision to send a mutation, or to give it up. The first one counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim(Arc<AtomicBool>);

impl Claim {
    /// Decides about the mutation. Returns `false` if the other side has decided.
    pub(super) fn take(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}

pub(super) struct Gatherer {
    link: Arc<Link>,
    ready: VecDeque<Item>,
    behind: HashMap<Bytes, VecDeque<Item>>,
    lanes: Lanes,
}

impl Gatherer {
    /// Starts the task. When all senders are dropped, the task ends and the writer on the proxy is
    /// closed.
    pub(super) fn spawn(link: Arc<Link>) -> mpsc::UnboundedSender<Vec<Item>> {
        let gatherer = Self {
            lanes: Lanes::new(&link.options),
            link,
            ready: VecDeque::new(),
            behind: HashMap::new(),
        };
        // The writer limits the waiting bytes.
        let (sender, queue) = mpsc::unbounded_channel();
        tokio::spawn(gatherer.run(queue));
        sender
    }

    async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Vec<Item>>) {
        let mut is_open = true;
        let mut send_at = None;
        while is_open || !self.lanes.is_empty() {
            tokio::select! {
                items = queue.recv(), if is_open => match items {
                    Some(items) => self.arrive(items),
                    None => is_open = false,
                },
                rows = self.lanes.next() => self.leave(rows),
                () = sleep_until(send_at.unwrap_or_else(Instant::now)), if send_at.is_some() => {}
            }
            while let Ok(items) = queue.try_recv() {
                self.arrive(items);
            }
            send_at = self.send();
        }
    }

    fn arrive(&mut self, items: Vec<Item>) {
        for item in items {
            match self.behind.get_mut(&item.mutation.row) {
                Some(behind) => behind.push_back(item),
                None => {
                    self.behind.insert(item.mutation.row.clone(), VecDeque::new());
                    self.ready.push_back(item);
                }
            }
        }
    }

    /// Removes the rows of a finished call, so that the next mutation of each row becomes ready.
    fn leave(&mut self, rows: Vec<Bytes>) {
        for row in rows {
            match self.behind.get_mut(&row).and_then(VecDeque::pop_front) {
                Some(next) => self.ready.push_back(next),
                None => {
                    self.behind.remove(&row);
                }
            }
        }
    }

    /// Sends all calls that may leave. Returns the time of the next attempt if rows are left.
    fn send(&mut self) -> Option<Instant> {
        while !self.ready.is_empty() {
            let now = Instant::now();
            let link = Arc::clone(&self.link);
            let load = self.lanes.load(now, self.ready.len(), || Box::pin(link.splits()));
            let (tablet, items) = match load {
                Load::Nothing => (None, Vec::new()),
                Load::All => (None, self.gather(|_, _| true)),
                Load::Others => (None, self.gather(|lanes, row| lanes.free_tablet(row).is_some())),
                Load::OneTablet => self.gather_tablet(),
            };
            if items.is_empty() {
                return self.lanes.next_look(now);
            }
            self.lanes.start(tablet, call(Arc::clone(&self.link), items));
        }
        None
    }

    /// Takes mutations of the tablet of the first one whose tablet has no call of its own.
    fn gather_tablet(&mut self) -> (Option<Tablet>, Vec<Item>) {
        let mut tablet = None;
        let items = self.gather(|lanes, row| {
            let of_row = lanes.free_tablet(row);
            of_row.is_some_and(|of_row| *tablet.get_or_insert_with(|| of_row.clone()) == of_row)
        });
        (tablet, items)
    }

    /// Takes the mutations of the wanted rows that fit in the next call.
    fn gather(&mut self, mut is_wanted: impl FnMut(&Lanes, &Bytes) -> bool) -> Vec<Item> {
        let (mut items, mut others) = (Vec::new(), VecDeque::new());
        let mut bytes = 0_usize;
        while items.len() < self.link.options.rows_per_call.get()
            && let Some(item) = self.ready.pop_front()
        {
            let is_late = item.since.elapsed() >= self.link.patience();
            if is_late || item.answer.is_closed() {
                // The caller gives up, and nothing of the mutation was sent.
                self.leave(vec![item.mutation.row]);
            } else if !is_wanted(&self.lanes, &item.mutation.row) {
                others.push_back(item);
            } else if bytes.saturating_add(item.bytes) > CALL_BYTES && !items.is_empty() {
                self.ready.push_front(item);
                break;
            } else if item.claim.take() {
                bytes = bytes.saturating_add(item.bytes);
                items.push(item);
            } else {
                self.leave(vec![item.mutation.row]);
            }
        }
        others.append(&mut self.ready);
        self.ready = others;
        items
    }
}

/// Makes a call, answers its callers, and returns its rows.
async fn call(link: Arc<Link>, items: Vec<Item>) -> Vec<Bytes> {
    let mut result = link.update(|| updates(&items)).await;
    let mut rows = Vec::new();
    for Item { mutation: ConditionalMutation { row, .. }, answer, permit, .. } in items {
        let outcome = match &mut result {
            Ok(statuses) => Ok(match statuses.remove(&row) {
                Some(status) => ConditionalOutcome::from_wire(status, None),
                None => {
                    let reason = "the reply lacks a row of the request";
                    let error = link.error(ErrorKind::Protocol, reason);
                    ConditionalOutcome::Unknown(Some(error.with_possible_effect(true)))
                }
            }),
            Err(error) if error.may_have_taken_effect() => {
                Ok(ConditionalOutcome::Unknown(Some(error.clone())))
            }
            Err(error) => Err(error.clone()),
        };
        // The caller may be cancelled.
        let _ = answer.send(outcome);
        drop(permit);
        rows.push(row);
    }
    rows
}

fn updates(items: &[Item]) -> Updates {
    let mutations = items.iter().map(|item| &item.mutation);
    mutations.map(|mutation| (mutation.row.clone(), mutation.to_wire())).collect()
}
