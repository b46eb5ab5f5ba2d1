//! Which calls fail, and what was called.

use std::collections::BTreeMap;

use fluo_core::{Error, ErrorKind};

use super::Fault;
use crate::AdminCall;

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) calls: Vec<AdminCall>,
    pub(super) changes: Numbered<Fault>,
    pub(super) writes: Numbered<Fault>,
    /// After how many batches a scan ends.
    pub(super) scans: Numbered<usize>,
}

/// Calls of one kind, numbered as they come, and what happens to some of them.
#[derive(Debug)]
pub(super) struct Numbered<F> {
    next: usize,
    faults: BTreeMap<usize, F>,
}

impl<F> Default for Numbered<F> {
    fn default() -> Self {
        Self {
            next: 0,
            faults: BTreeMap::new(),
        }
    }
}

impl<F> Numbered<F> {
    pub(super) fn fail(&mut self, n: usize, fault: F) {
        self.faults.insert(n, fault);
    }

    pub(super) fn count(&self) -> usize {
        self.next
    }

    /// Numbers a call, and says what happens to it.
    pub(super) fn next(&mut self) -> Option<F> {
        let fault = self.faults.remove(&self.next);
        self.next += 1;
        fault
    }
}

pub(super) fn unavailable() -> Error {
    let message = "injected fault: the call was not sent; nothing was done";
    Error::new(ErrorKind::Unavailable, message)
}

pub(super) fn uncertain() -> Error {
    let message = "injected fault: the answer was lost; the call may have taken effect";
    Error::new(ErrorKind::Uncertain, message)
}
