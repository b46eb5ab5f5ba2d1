//! The calls that fail, and the list of all calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fluo_table::{Error, ErrorKind, Result};

use crate::{CoordinationCall, Fault};

/// The plan of one wrapper, its clones, and everything opened through them.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedPlan(Arc<Mutex<Plan>>);

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) calls: Vec<CoordinationCall>,
    pub(super) faults: BTreeMap<usize, Fault>,
    pub(super) cut_off_from: Option<usize>,
}

impl SharedPlan {
    pub(super) fn get(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call, or applies the fault that is planned for it.
    pub(super) async fn call<T>(
        &self,
        call: CoordinationCall,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match self.next(call)? {
            None => work.await,
            Some(Fault::Before) => Err(unavailable()),
            Some(Fault::Lost | Fault::Partial) => Err(uncertain()),
            Some(Fault::After) => {
                work.await?;
                Err(uncertain())
            }
        }
    }

    /// Lists a call and returns its fault, if any.
    fn next(&self, call: CoordinationCall) -> Result<Option<Fault>> {
        let mut plan = self.get();
        let n = plan.calls.len();
        plan.calls.push(call);
        match plan.cut_off_from {
            Some(from) if n >= from => Err(cut_off()),
            _ => Ok(plan.faults.remove(&n)),
        }
    }
}

fn unavailable() -> Error {
    let message = "injected fault: the call was not sent; nothing was done";
    Error::new(ErrorKind::Unavailable, message)
}

fn uncertain() -> Error {
    let message = "injected fault: the answer was lost; the call may have taken effect";
    Error::new(ErrorKind::Uncertain, message)
}

fn cut_off() -> Error {
    let message = "injected fault: the connection is lost permanently; nothing was done";
    Error::new(ErrorKind::Unavailable, message)
}
