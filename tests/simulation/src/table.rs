//! The table, as one client reaches it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::vec;

use async_trait::async_trait;
use fluo_table::coordination::PendingCommit;
use fluo_table::{
    Bytes, Cell, CellBatches, ConditionalMutation, Key, MultiRowWrite, Mutation, Outcome, Result,
    Scan, Span, Table, row_successor,
};
use futures::stream::{self, StreamExt};

use super::WorldBug;
use super::denial::Denied;
use super::late::Late;
use super::link::{Fate, Link, denied, unavailable, uncertain};
use super::words;

/// The table at the other end of a link. Every mutation has its own fate, and takes effect at its
/// own time.
#[derive(Debug)]
pub(super) struct SimulatedTable {
    pub(super) link: Arc<Link>,
}

#[async_trait]
impl Table for SimulatedTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        let rest = Rest {
            link: self.link.clone(),
            batch_cells: scan.batch_cells.get(),
            scan: Some(scan),
            found: Vec::new().into_iter(),
        };
        stream::try_unfold(rest, Rest::next).boxed()
    }

    fn is_remote(&self) -> bool {
        self.link.world.dials.is_remote
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<()> {
        mutation.check()
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        let mut failed = None;
        for (number, mutation) in mutations.into_iter().enumerate() {
            self.link.travel().await;
            if self.is_denied([&mutation]) {
                // What came before it in this call has taken effect.
                let nothing_was_done = number == 0;
                return Err(if nothing_was_done { denied() } else { uncertain() });
            }
            match self.fate("write", [&mutation]) {
                Fate::Before if number == 0 => return Err(unavailable()),
                Fate::Before | Fate::Lost => failed = Some(uncertain()),
                Fate::Late => {
                    self.link.world.delay(Late::Plain(mutation));
                    failed = Some(uncertain());
                }
                Fate::After => {
                    self.link.world.apply(mutation);
                    failed = Some(uncertain());
                }
                Fate::Fine if self.link.world.strikes(WorldBug::WriteLost) => {}
                Fate::Fine => self.link.world.apply(mutation),
                Fate::Cut { takes_effect } => {
                    if takes_effect {
                        self.link.world.apply(mutation);
                    }
                    self.link.cut().await;
                }
            }
        }
        self.link.travel().await;
        failed.map_or(Ok(()), Err)
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for mutation in mutations {
            self.link.travel().await;
            if self.is_denied([&mutation.mutation]) {
                outcomes.push(Outcome::ConstraintViolation(denied()));
                continue;
            }
            let fate = self.fate("write if", [&mutation.mutation]);
            if fate == Fate::Before && outcomes.is_empty() {
                return Err(unavailable());
            }
            outcomes.push(self.write_as_one(vec![mutation], None, fate).await?);
        }
        self.link.travel().await;
        let world = &self.link.world;
        let is_lost = |outcome: &Outcome| matches!(outcome, Outcome::Unknown(_));
        if outcomes.iter().any(is_lost) && world.random.chance(world.dials.shares_fate) {
            outcomes.fill(Outcome::Unknown(uncertain()));
        }
        Ok(outcomes)
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        self.link.is_together.then_some(self as &dyn MultiRowWrite)
    }
}

#[async_trait]
impl MultiRowWrite for SimulatedTable {
    async fn write_atomically(
        &self,
        mutations: Vec<ConditionalMutation>,
        commit: Option<PendingCommit>,
    ) -> Result<Outcome> {
        let commit = self.link.travel_with(commit).await;
        let written = mutations.iter().map(|conditional| &conditional.mutation);
        if self.is_denied(written.clone()) {
            return Err(denied());
        }
        let fate = self.fate("write together if", written);
        if fate == Fate::Before {
            return Err(unavailable());
        }
        let outcome = self.write_as_one(mutations, commit, fate).await;
        self.link.travel().await;
        outcome
    }
}

impl SimulatedTable {
    /// Checks whether a write is denied now.
    fn is_denied<'m>(&self, written: impl IntoIterator<Item = &'m Mutation>) -> bool {
        if !self.link.denies(Denied::Writes) {
            return false;
        }
        let written: Vec<_> = written.into_iter().collect();
        let is_forward = written.iter().all(|mutation| words::rolls_forward(mutation));
        let counter = match is_forward {
            true => &self.link.denied_forwards,
            false => &self.link.denied_others,
        };
        counter.fetch_add(1, Ordering::SeqCst);
        let what = words::of_mutations(written);
        self.link.say(format_args!("write {what} (denied)"));
        true
    }

    fn fate<'m>(&self, what: &str, mutations: impl IntoIterator<Item = &'m Mutation>) -> Fate {
        let fate = self.link.fate();
        let said = match fate {
            Fate::Fine => String::new(),
            other => format!(" ({other:?})"),
        };
        self.link.say(format_args!("{what} {}{said}", words::of_mutations(mutations)));
        fate
    }

    async fn write_as_one(
        &self,
        mutations: Vec<ConditionalMutation>,
        commit: Option<PendingCommit>,
        fate: Fate,
    ) -> Result<Outcome> {
        let (world, authorizations) = (&self.link.world, &self.link.authorizations);
        Ok(match fate {
            Fate::Fine => world.apply_if(mutations, authorizations)?,
            Fate::Before => Outcome::ConstraintViolation(unavailable()),
            Fate::Lost if world.strikes(WorldBug::UnknownAsAccepted) => Outcome::Accepted,
            Fate::Lost => Outcome::Unknown(uncertain()),
            Fate::Late => {
                world.delay(Late::Conditional(mutations, authorizations.clone(), commit));
                Outcome::Unknown(uncertain())
            }
            Fate::After => {
                world.apply_if(mutations, authorizations)?;
                match world.strikes(WorldBug::UnknownAsRejected) {
                    true => Outcome::Rejected,
                    false => Outcome::Unknown(uncertain()),
                }
            }
            Fate::Cut { takes_effect } => {
                if takes_effect {
                    world.apply_if(mutations, authorizations)?;
                }
                drop(commit);
                self.link.cut().await;
                Outcome::Unknown(uncertain())
            }
        })
    }
}

/// The rest of a scan, in pieces that are read at different times. Most pieces have whole rows.
struct Rest {
    link: Arc<Link>,
    batch_cells: usize,
    /// The part that is not read yet.
    scan: Option<Scan>,
    /// The cells that are read but not returned yet.
    found: vec::IntoIter<Cell>,
}

impl Rest {
    async fn next(mut self) -> Result<Option<(Vec<Cell>, Self)>> {
        while self.found.len() == 0 {
            let Some(scan) = self.scan.take() else {
                return Ok(None);
            };
            self.link.travel().await;
            self.link.say(format_args!("scan {}", words::of_scan(&scan)));
            match self.link.fate() {
                Fate::Fine => {}
                Fate::Cut { .. } => self.link.cut().await,
                _ => return Err(unavailable()),
            }
            if self.link.denies(Denied::Reads) {
                return Err(denied());
            }
            self.read_piece(&scan);
            self.link.travel().await;
        }
        let batch = self.found.by_ref().take(self.batch_cells).collect();
        Ok(Some((batch, self)))
    }

    fn read_piece(&mut self, scan: &Scan) {
        let world = &self.link.world;
        let mut found = world.server.scan(scan, &self.link.authorizations);
        if found.len() > 1 && world.random.chance(world.dials.is_torn) {
            let length = u64::try_from(found.len()).unwrap_or_default() - 1;
            let last = usize::try_from(world.random.below(length)).unwrap_or_default();
            if let Some(cut) = found.get(last).map(after_column_of) {
                found.retain(|cell| cell.key < cut);
                self.scan = Some(rest_from(scan, &cut));
                self.found = found.into_iter();
                return;
            }
        }
        let by_row = found.chunk_by(|one, other| one.key.row == other.key.row);
        let rows: Vec<Bytes> =
            by_row.filter_map(|cells| cells.first()).map(|cell| cell.key.row.clone()).collect();
        if rows.len() > 1 && world.random.chance(500) {
            let last = world.random.pick(rows.get(..rows.len() - 1).unwrap_or_default());
            found.retain(|cell| cell.key.row <= last);
            self.scan = Some(rest_from(scan, &Key::first_of_row(row_successor(&last))));
        }
        if world.strikes(WorldBug::CellNotRead) {
            found.pop();
        }
        self.found = found.into_iter();
    }
}

/// The first key after all versions of a cell's column.
fn after_column_of(cell: &Cell) -> Key {
    let timestamp = i64::MIN;
    Key { timestamp, ..cell.key.clone() }.successor()
}

/// Returns the rest of a scan from a key on.
fn rest_from(scan: &Scan, from: &Key) -> Scan {
    let after = scan.spans().iter().filter_map(|span| {
        let start = span.start().clone().max(from.clone());
        let rest = Span::between(start, span.end().cloned());
        (!rest.is_empty()).then_some(rest)
    });
    let rest = Scan::over_all(after).filter(scan.filter).batch_cells(scan.batch_cells);
    scan.columns.iter().cloned().fold(rest, Scan::column)
}
