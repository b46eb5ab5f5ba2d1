//! The end of a process: signals, and a limit for the work in progress.

use std::future::pending;
use std::process::exit;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{mem, thread};

use fluo_table::{Error, ErrorKind, Result};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{info, warn};

use crate::signals::Signals;

/// The time between the end of the limit and the exit, in which the program may end by itself.
const GRACE: Duration = Duration::from_secs(1);

/// A handle that stops a process as a signal does, but does not make the program exit if a thread
/// blocks. Cloning is cheap.
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
///
/// From the first signal on the program has that limit to drop this. Otherwise it exits, even if
/// all threads of its runtime block: a thread of its own receives the signals.
#[derive(Debug)]
pub(crate) struct Stop {
    signals: UnboundedReceiver<u8>,
    exits: UnboundedSender<Exit>,
    stopper: Stopper,
    max_drain: Duration,
}

/// An end of the program, unless it has ended by itself before.
#[derive(Clone, Copy, Debug)]
struct Exit {
    at: Instant,
    code: u8,
}

impl Exit {
    fn after(limit: Duration, code: u8) -> Self {
        Self { at: Instant::now() + limit, code }
    }

    /// Returns the earlier one, with the code of the first one.
    fn or_earlier(self, first: Option<Self>) -> Self {
        first.map_or(self, |first| Self { at: first.at.min(self.at), ..first })
    }
}

impl Stop {
    pub(crate) fn listen(max_drain: Duration) -> Result<Self> {
        let (sender, signals) = unbounded_channel();
        let (exits, receiver) = unbounded_channel();
        let (ready, listening) = mpsc::sync_channel(1);
        let watcher = thread::Builder::new().name("fluo-signals".to_owned());
        let started = watcher.spawn(move || {
            let watching = async {
                match Signals::listen() {
                    Ok(signals) => {
                        let _ = ready.send(Ok(()));
                        watch(signals, max_drain, &sender, receiver).await;
                    }
                    Err(error) => _ = ready.send(Err(error)),
                }
            };
            match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime.block_on(watching),
                Err(error) => {
                    let _ = ready.send(Err(unreceivable(error)));
                }
            }
        });
        started.map_err(unreceivable)?;
        listening.recv().map_err(unreceivable)??;
        let stopper = Stopper(Arc::new(Semaphore::new(0)));
        Ok(Self { signals, exits, stopper, max_drain })
    }

    pub(crate) fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Waits for the next signal or call of a handle.
    pub(crate) async fn next(&mut self) -> Cause {
        tokio::select! {
            Some(code) = self.signals.recv() => Cause::Signal(code),
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
        let code_of = |cause| match cause {
            Cause::Signal(code) => Some(code),
            Cause::Failure => Some(1),
            Cause::End | Cause::Stopper => None,
        };
        let mut code = code_of(cause);
        let exits = self.exits.clone();
        let exit_after = |limit, code: Option<u8>| {
            if let Some(code) = code {
                // The thread of the receiver ends after its last sender.
                let _ = exits.send(Exit::after(limit + GRACE, code));
            }
        };
        exit_after(self.max_drain, code);
        tokio::select! {
            done = work => return Some(done),
            () = sleep(self.max_drain) => warn!("work in progress took too long and is abandoned"),
            next = self.next() => {
                code = code.or(code_of(next));
                warn!("a second signal: work in progress is abandoned");
            }
        }
        exit_after(Duration::ZERO, code);
        if code.is_some() {
            // The drop of the last sender would cancel the exit.
            mem::forget(exits);
        }
        None
    }
}

fn unreceivable(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::with_source(ErrorKind::Unavailable, "signals cannot be received", error)
}

/// Passes signals on, and ends the program at the earliest exit, until all senders of exits are
/// dropped.
async fn watch(
    mut signals: Signals,
    max_drain: Duration,
    sender: &UnboundedSender<u8>,
    mut exits: UnboundedReceiver<Exit>,
) {
    let mut first = None;
    loop {
        let due = async {
            match first {
                Some(Exit { at, code }) => {
                    sleep_until(at).await;
                    code
                }
                None => pending().await,
            }
        };
        let next = tokio::select! {
            code = signals.next() => {
                let _ = sender.send(code);
                // A second signal leaves no time.
                let limit = if first.is_none() { max_drain } else { Duration::ZERO };
                Exit::after(limit + GRACE, code)
            }
            next = exits.recv() => match next {
                Some(next) => next,
                None => return,
            },
            code = due => {
                // A thread that blocks may hold the log.
                let said = || warn!("the program did not end, and exits now");
                if thread::Builder::new().spawn(said).is_ok() {
                    sleep(GRACE / 10).await;
                }
                exit(code.into());
            }
        };
        first = Some(next.or_earlier(first));
    }
}
