//! The tasks of a process. Those of a frozen process do not run, and those of a killed one never
//! run again.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Poll, Waker};

pub(crate) use real_tokio::task::*;

use super::process::{draw, state_of};

thread_local! {
    /// The process whose task runs.
    static CURRENT: Cell<u32> = const { Cell::new(0) };
    /// The tasks that run again when their process does.
    static SUSPENDED: RefCell<BTreeMap<u32, Vec<Waker>>> = RefCell::default();
}

pub(super) fn begin() {
    CURRENT.set(0);
    drop(SUSPENDED.take());
}

/// Runs work of a process, and all tasks that it spawns, as long as the process runs.
pub async fn run<F: Future>(process: u32, work: F) -> F::Output {
    let mut work = pin!(work);
    poll_fn(|context| {
        let state = state_of(process);
        if state.is_frozen || state.is_dead {
            let waker = context.waker().clone();
            SUSPENDED.with_borrow_mut(|all| all.entry(process).or_default().push(waker));
            return Poll::Pending;
        }
        let outer = CURRENT.replace(process);
        let polled = work.as_mut().poll(context);
        CURRENT.set(outer);
        polled
    })
    .await
}

/// Runs the suspended tasks of a process, in any order.
pub(super) fn resume(process: u32) {
    let mut suspended = SUSPENDED.with_borrow_mut(|all| all.remove(&process).unwrap_or_default());
    draw(|random| random.shuffle(&mut suspended));
    suspended.into_iter().for_each(Waker::wake);
}

pub(crate) fn spawn<F>(work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    real_tokio::spawn(run(CURRENT.get(), work))
}

#[derive(Debug)]
pub(crate) struct JoinSet<T>(real_tokio::task::JoinSet<T>);

impl<T: Send + 'static> JoinSet<T> {
    pub(crate) fn new() -> Self {
        Self(real_tokio::task::JoinSet::new())
    }

    pub(crate) fn spawn(&mut self, work: impl Future<Output = T> + Send + 'static) -> AbortHandle {
        self.0.spawn(run(CURRENT.get(), work))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.0.try_join_next()
    }
}
