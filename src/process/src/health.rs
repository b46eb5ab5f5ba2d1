//! The state of a process, as a supervisor asks for it.

use std::sync::{Mutex, PoisonError};

use fluo_accumulo::OracleMonitor;
use fluo_engine::WorkerMonitor;
use fluo_table::{Error, Result};

/// The work that a process does at present.
#[derive(Debug)]
pub(crate) enum State {
    Starting,
    Working(WorkerMonitor),
    Electing(OracleMonitor),
    Loading,
    Stopping,
}

#[derive(Debug)]
pub(crate) struct Health(Mutex<State>);

impl Health {
    pub(crate) fn starting() -> Self {
        Self(Mutex::new(State::Starting))
    }

    pub(crate) fn set(&self, state: State) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Checks whether the process does its work. The error is the reason why it does not.
    pub(crate) fn check_ready(&self) -> Result<()> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Starting => Err(Error::unavailable("the process is starting")),
            State::Working(worker) => worker.check(),
            State::Electing(oracle) => oracle.check(),
            State::Loading => Ok(()),
            State::Stopping => Err(Error::unavailable("the process is stopping")),
        }
    }
}
