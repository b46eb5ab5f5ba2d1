//! A table that is cut off after a number of its writing calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use fluo_table::{
    CellBatches, ConditionalMutation, Error, ErrorKind, MultiRowWrite, Mutation, Outcome, Result,
    Scan, Table,
};
use futures::stream::{self, StreamExt};

/// A table on which every call fails after a number of writing calls. Its content then is what a
/// process that crashed at this point leaves.
#[derive(Debug)]
pub(super) struct CutTable {
    inner: Arc<dyn Table>,
    calls: AtomicUsize,
    most: usize,
    /// The call whose answer is lost, if any. It does not cut off the table.
    lost: Option<Lost>,
    is_row_by_row: bool,
}

/// A writing call whose answer is lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost {
    /// The number of the call, from 0.
    pub(super) call: usize,
    /// `true` if the call took effect.
    pub(super) is_applied: bool,
}

enum Fate {
    Through,
    LostAfter,
    LostBefore,
    CutOff,
}

impl CutTable {
    pub(super) fn after(inner: Arc<dyn Table>, most: usize) -> Self {
        Self {
            inner,
            calls: AtomicUsize::new(0),
            most,
            lost: None,
            is_row_by_row: false,
        }
    }

    /// Makes the table write its rows one by one, which adds steps after which it can be cut off.
    pub(super) fn row_by_row(self) -> Self {
        Self {
            is_row_by_row: true,
            ..self
        }
    }

    pub(super) fn losing(inner: Arc<dyn Table>, lost: Lost) -> Self {
        Self {
            lost: Some(lost),
            ..Self::after(inner, usize::MAX)
        }
    }

    /// Returns the number of writing calls so far.
    pub(super) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    fn next(&self) -> Fate {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        match self.lost {
            Some(lost) if lost.call == call && lost.is_applied => Fate::LostAfter,
            Some(lost) if lost.call == call => Fate::LostBefore,
            _ if call < self.most => Fate::Through,
            _ => Fate::CutOff,
        }
    }
}

fn cut_off() -> Error {
    Error::new(ErrorKind::Storage, "cut off")
}

fn lost() -> Error {
    Error::new(ErrorKind::Uncertain, "the answer was lost")
}

#[async_trait]
impl Table for CutTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        if self.calls() >= self.most {
            return stream::iter([Err(cut_off())]).boxed();
        }
        self.inner.scan(scan)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        match self.next() {
            Fate::Through => self.inner.write(mutations).await,
            Fate::CutOff => Err(cut_off()),
            Fate::LostBefore => Err(lost()),
            Fate::LostAfter => {
                self.inner.write(mutations).await?;
                Err(lost())
            }
        }
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        let unknown = vec![Outcome::Unknown(lost()); mutations.len()];
        match self.next() {
            Fate::Through => self.inner.write_conditional(mutations).await,
            Fate::CutOff => Err(cut_off()),
            Fate::LostBefore => Ok(unknown),
            Fate::LostAfter => {
                self.inner.write_conditional(mutations).await?;
                Ok(unknown)
            }
        }
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        let inner = self.inner.together().filter(|_| !self.is_row_by_row);
        inner.map(|_| self as &dyn MultiRowWrite)
    }
}

#[async_trait]
impl MultiRowWrite for CutTable {
    async fn write_atomically(&self, mutations: Vec<ConditionalMutation>) -> Result<Outcome> {
        let inner = self.inner.together().unwrap();
        match self.next() {
            Fate::Through => inner.write_atomically(mutations).await,
            Fate::CutOff => Err(cut_off()),
            Fate::LostBefore => Ok(Outcome::Unknown(lost())),
            Fate::LostAfter => {
                inner.write_atomically(mutations).await?;
                Ok(Outcome::Unknown(lost()))
            }
        }
    }
}
