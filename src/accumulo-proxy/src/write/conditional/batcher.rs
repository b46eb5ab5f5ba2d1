//! The task that combines waiting mutations into calls.
//!
//! ```text
//! arrive ──┬── ready: rows that no call has ──── calls (lanes.rs) ──── answers
//!          └── behind: rows that are ready or in a call already, in the order of their arrival
//! ```
//!
//! A request contains each row once. Of several mutations of one row, therefore only one is ready
//! or under way at a time; the next becomes ready when the previous one has its outcome. A mutation
//! that waited too long is answered with an error: nothing of it was sent.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::lanes::{Event, Lanes, Load, Tablet};
use super::session::{Link, Statuses, Updates};
use crate::convert::{FromWire, ToWire};
use crate::data::{Bytes, ConditionalMutation, ConditionalOutcome, ConditionalWriterOptions};
use crate::error::{Error, Result};
use crate::write::byte_permits::Place;
use crate::write::chunk::CALL_BYTES;

/// Minimum time between two searches for mutations that waited too long.
const MIN_BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// A mutation, and the channel to the caller that waits for its outcome.
#[derive(Debug)]
pub(super) struct Item {
    mutation: ConditionalMutation,
    bytes: usize,
    since: Instant,
    _place: Place,
    answer: oneshot::Sender<Result<ConditionalOutcome>>,
}

impl Item {
    pub(super) fn new(
        mutation: ConditionalMutation,
        bytes: usize,
        place: Place,
        answer: oneshot::Sender<Result<ConditionalOutcome>>,
    ) -> Self {
        Self { mutation, bytes, since: Instant::now(), _place: place, answer }
    }

    fn has_waited(&self, patience: Duration) -> bool {
        self.since.elapsed() >= patience
    }

    fn answer(self, outcome: Result<ConditionalOutcome>) {
        // The caller may be cancelled.
        let _ = self.answer.send(outcome);
    }
}

/// The task of a conditional writer.
pub(super) struct Gatherer {
    link: Arc<Link>,
    options: ConditionalWriterOptions,
    ready: VecDeque<Item>,
    behind: HashMap<Bytes, VecDeque<Item>>,
    /// Time of the next search for mutations that waited too long; `None` while no mutation waits.
    look_at: Option<Instant>,
    lanes: Lanes,
}

impl Gatherer {
    /// Starts the task. When all senders are dropped, the task ends and the writer on the proxy is
    /// closed.
    pub(super) fn spawn(
        link: Link,
        options: ConditionalWriterOptions,
    ) -> mpsc::UnboundedSender<Vec<Item>> {
        let gatherer = Self {
            link: Arc::new(link),
            lanes: Lanes::new(&options),
            options,
            ready: VecDeque::new(),
            behind: HashMap::new(),
            look_at: None,
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
                event = self.lanes.next() => match event {
                    Event::Ended(rows) => self.leave(rows),
                    Event::Found => {}
                },
                () = until(send_at), if send_at.is_some() => {}
                () = until(self.look_at), if self.look_at.is_some() => self.give_up_late(),
            }
            while let Ok(items) = queue.try_recv() {
                self.arrive(items);
            }
            send_at = self.send();
        }
    }

    fn arrive(&mut self, items: Vec<Item>) {
        for item in items {
            if self.look_at.is_none() {
                self.look_at = item.since.checked_add(self.link.patience());
            }
            match self.behind.get_mut(&item.mutation.row) {
                Some(behind) => behind.push_back(item),
                None => {
                    let row = item.mutation.row.clone();
                    self.behind.insert(row, VecDeque::new());
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

    /// Answers the mutations that waited too long, also those behind another mutation of their row.
    fn give_up_late(&mut self) {
        let patience = self.link.patience();
        let (late, ready) =
            self.ready.drain(..).partition::<VecDeque<_>, _>(|item| item.has_waited(patience));
        self.ready = ready;
        for behind in self.behind.values_mut() {
            // The queue is in the order of arrival: mutations that waited too long are in front.
            while behind.front().is_some_and(|item| item.has_waited(patience))
                && let Some(item) = behind.pop_front()
            {
                item.answer(Err(self.link.waited()));
            }
        }
        for item in late {
            self.refuse_late(item);
        }
        self.look_at = self.next_look();
    }

    fn refuse_late(&mut self, item: Item) {
        let row = item.mutation.row.clone();
        item.answer(Err(self.link.waited()));
        self.leave(vec![row]);
    }

    fn next_look(&self) -> Option<Instant> {
        let behind = self.behind.values().filter_map(VecDeque::front);
        let oldest = self.ready.iter().chain(behind).map(|item| item.since).min();
        let late = oldest?.checked_add(self.link.patience())?;
        Some(late.max(Instant::now() + MIN_BETWEEN_LOOKS))
    }

    /// Sends all calls that may leave. Returns the time of the next attempt if rows are left.
    fn send(&mut self) -> Option<Instant> {
        while !self.ready.is_empty() {
            let now = Instant::now();
            let link = Arc::clone(&self.link);
            let load = self.lanes.load(now, self.ready.len(), || Box::pin(splits(link)));
            let (tablet, items) = match load {
                Load::Nothing => (None, Vec::new()),
                Load::All => (None, self.gather(|_, _| true)),
                Load::Others => {
                    let is_free = |lanes: &Lanes, item: &Item| {
                        lanes.free_tablet(&item.mutation.row).is_some()
                    };
                    (None, self.gather(is_free))
                }
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
        let items = self.gather(|lanes, item| {
            let Some(of_row) = lanes.free_tablet(&item.mutation.row) else {
                return false;
            };
            *tablet.get_or_insert_with(|| of_row.clone()) == of_row
        });
        (tablet, items)
    }

    /// Takes the wanted mutations that fit in the next call.
    fn gather(&mut self, mut is_wanted: impl FnMut(&Lanes, &Item) -> bool) -> Vec<Item> {
        let (mut items, mut others) = (Vec::new(), VecDeque::new());
        let mut bytes = 0_usize;
        while items.len() < self.options.rows_per_call.get()
            && let Some(item) = self.ready.pop_front()
        {
            if item.answer.is_closed() {
                // The caller is cancelled, and nothing of the mutation was sent.
                self.leave(vec![item.mutation.row]);
                continue;
            }
            if item.has_waited(self.link.patience()) {
                self.refuse_late(item);
                continue;
            }
            if !is_wanted(&self.lanes, &item) {
                others.push_back(item);
                continue;
            }
            bytes = bytes.saturating_add(item.bytes);
            if bytes > CALL_BYTES && !items.is_empty() {
                self.ready.push_front(item);
                break;
            }
            items.push(item);
        }
        others.append(&mut self.ready);
        self.ready = others;
        items
    }
}

/// Returns the split points of the table. Without them, all rows count as rows of one tablet.
async fn splits(link: Arc<Link>) -> BTreeSet<Bytes> {
    link.splits().await.unwrap_or_default()
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

async fn call(link: Arc<Link>, items: Vec<Item>) -> Vec<Bytes> {
    let rows = items.iter().map(|item| item.mutation.row.clone()).collect();
    match link.update(|| updates(&items)).await {
        Ok(mut statuses) => {
            for item in items {
                let outcome = outcome(&link, &mut statuses, &item.mutation.row);
                item.answer(Ok(outcome));
            }
        }
        Err(error) => {
            for item in items {
                item.answer(failed(error.clone()));
            }
        }
    }
    rows
}

fn updates(items: &[Item]) -> Updates {
    let mutations = items.iter().map(|item| &item.mutation);
    mutations.map(|mutation| (mutation.row.to_vec(), mutation.to_wire())).collect()
}

fn outcome(link: &Link, statuses: &mut Statuses, row: &Bytes) -> ConditionalOutcome {
    let lacking = || "the reply lacks a row of the request".to_owned();
    let status = statuses.remove(row.as_ref()).ok_or_else(lacking);
    status
        .and_then(ConditionalOutcome::from_wire)
        .unwrap_or_else(|reason| ConditionalOutcome::Unknown(Some(link.meaningless(reason))))
}

fn failed(error: Error) -> Result<ConditionalOutcome> {
    if error.may_have_taken_effect() {
        Ok(ConditionalOutcome::Unknown(Some(error)))
    } else {
        Err(error)
    }
}
