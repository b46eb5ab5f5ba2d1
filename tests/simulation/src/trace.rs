//! The events of a run, line by line.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// All events of a run in order, each line with its time. Two runs of one seed have the same trace.
#[derive(Debug)]
pub(super) struct Trace {
    begun: Instant,
    lines: Mutex<Vec<String>>,
}

impl Trace {
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), lines: Mutex::default() }
    }

    pub(super) fn add(&self, line: impl fmt::Display) {
        let now_ms = self.begun.elapsed().as_millis();
        let line = format!("{now_ms:>7} {line}");
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
