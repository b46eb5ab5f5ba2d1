//! The end of a process: signals, and a limit for the work in progress.

use std::process::exit;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use std::{mem, thread};

use fluo_table::Result;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tracing::{info, warn};

use crate::signals::Signals;

/// The time between the end of the limit and the exit, in which the program may end by itself.
const GRACE: Duration = Duration::from_secs(1);

/// A handle that stops a process as a signal does. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<Semaphore>);

impl Stopper {
    /// Stops the process: as SIGTERM does at the first call, and as a second signal after that.
    pub fn stop(&self) {
        self.0.add_permits(1);
    }
}

/// The reason why a process stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Its work is done.
    End,
    /// A [`Stopper`].
    Stopper,
    /// A signal, with the exit code that shells use for it.
    Signal(u8),
    /// A part of it has failed.
    Failure,
}

/// The signals and the handles that stop a process, and its limit for the work in progress.
#[derive(Debug)]
pub(crate) struct Stop {
    signals: Signals,
    stopper: Stopper,
    max_drain: Duration,
}

impl Stop {
    pub(crate) fn listen(max_drain: Duration) -> Result<Self> {
        let stopper = Stopper(Arc::new(Semaphore::new(0)));
        Ok(Self { signals: Signals::listen()?, stopper, max_drain })
    }

    pub(crate) fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Waits for the next signal or call of a handle.
    pub(crate) async fn next(&mut self) -> Cause {
        tokio::select! {
            code = self.signals.next() => Cause::Signal(code),
            permit = self.stopper.0.acquire() => {
                // The semaphore is never closed.
                if let Ok(permit) = permit {
                    permit.forget();
                }
                Cause::Stopper
            }
        }
    }

    /// Waits for the end of work in progress, but no longer than allowed or until the next signal.
    pub(crate) async fn drain<T>(
        &mut self,
        work: impl Future<Output = T>,
        cause: Cause,
    ) -> Option<T> {
        info!("stopping within {:?}", self.max_drain);
        let exit_later = match cause {
            Cause::Signal(code) => Some(exit_later(self.max_drain, code.into())),
            Cause::Failure => Some(exit_later(self.max_drain, 1)),
            Cause::End | Cause::Stopper => None,
        };
        tokio::select! {
            done = work => return Some(done),
            () = sleep(self.max_drain) => warn!("work in progress took too long and is abandoned"),
            _ = self.next() => warn!("a second signal: work in progress is abandoned"),
        }
        if let Some(exit_later) = exit_later {
            // The thread waits for this, and not for the drop of the sender.
            let _ = exit_later.send(());
            mem::forget(exit_later);
        }
        None
    }
}

/// Ends the process after a limit, or [soon](GRACE) after a message, unless the sender is dropped
/// before. A runtime waits for an observer that blocks its thread, so this needs a thread of its
/// own.
fn exit_later(limit: Duration, code: i32) -> Sender<()> {
    let (abandoned, end) = channel();
    thread::spawn(move || {
        match end.recv_timeout(limit + GRACE) {
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) => thread::sleep(GRACE),
        }
        warn!("the program did not end, and exits now");
        exit(code);
    });
    abandoned
}
