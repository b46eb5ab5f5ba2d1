//! A table whose writes wait from a certain one on, or are denied.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use fluo_table::{Error, ErrorKind, Result, Table};
use fluo_tests::{Call, Fault, Hooks, Intercepted, Latch};

/// The hooks of a table whose writes wait from a certain one on, or are denied.
#[derive(Debug, Default)]
pub(crate) struct Gated {
    calls: AtomicUsize,
    /// The number of spans of all scans; a cell is one span.
    spans: AtomicUsize,
    /// The number of writes before the first that waits, or `None` if every write is denied.
    let_through: Option<usize>,
    pub(crate) latch: Latch,
}

impl Gated {
    /// Wraps a table that lets this number of writes through; later ones wait.
    pub(crate) fn after(let_through: usize, inner: &Arc<dyn Table>) -> Arc<Gate> {
        Self::table(Some(let_through), inner)
    }

    /// Wraps a table that denies every write.
    pub(crate) fn denied(inner: &Arc<dyn Table>) -> Arc<Gate> {
        Self::table(None, inner)
    }

    fn table(let_through: Option<usize>, inner: &Arc<dyn Table>) -> Arc<Gate> {
        let hooks = Self { let_through, ..Self::default() };
        Arc::new(Intercepted::with_hooks(inner.clone(), hooks).row_by_row())
    }

    /// Returns the number of writes and the number of scanned spans.
    pub(crate) fn asked(&self) -> (usize, usize) {
        let count = |calls: &AtomicUsize| calls.load(Ordering::SeqCst);
        (count(&self.calls), count(&self.spans))
    }
}

pub(crate) type Gate = Intercepted<dyn Table, Gated>;

#[async_trait]
impl Hooks for Gated {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if let Call::Scan(scan) = call {
            self.spans.fetch_add(scan.spans().len(), Ordering::SeqCst);
            return Ok(None);
        }
        let calls = self.calls.fetch_add(1, Ordering::SeqCst);
        match self.let_through {
            None => {
                let message = "user `reader` has no permission `WRITE` on table `web`";
                return Err(Error::new(ErrorKind::Denied, message));
            }
            Some(let_through) if calls >= let_through => self.latch.pass().await,
            Some(_) => {}
        }
        Ok(None)
    }
}
