//! The calls that fail, and the list of all calls.

use std::collections::BTreeMap;

use fluo_table::{Error, ErrorKind};

use super::Fault;
use crate::AdminCall;

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) calls: Vec<AdminCall>,
    pub(super) changes: Numbered<Fault>,
    pub(super) writes: Numbered<Fault>,
    /// The number of batches after which a scan ends.
    pub(super) scans: Numbered<usize>,
}

/// Calls of one kind, numbered in their order, and the faults of some of them.
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

    /// Numbers a call and returns its fault, if any.
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
