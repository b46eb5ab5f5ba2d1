//! Nodes that are read once, and again only after an event.
//!
//! A watch of ZooKeeper reports the first change after the read that set it, once. After a lost
//! connection the client sets its watches again, from the last transaction that it has seen, so the
//! server reports all changes since. The end of the session ends all watches.
//!
//! Events and answers of a session arrive in the order of the transactions. So a value that is
//! [current](Watched::is_current) contains every change whose answer this session has received.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};

use fluo_table::locked;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

use super::client::OneshotWatcher;

/// A value with the watch that was set when it was read.
#[derive(Clone, Debug)]
pub(crate) struct Watched<T> {
    pub(crate) value: T,
    event: Shared<BoxFuture<'static, ()>>,
    /// Held by each poll of the event. A [`Shared`] that another thread polls is pending, although
    /// its event may have arrived.
    polls: Arc<Mutex<()>>,
}

impl<T> Watched<T> {
    pub(super) fn new(value: T, watcher: OneshotWatcher) -> Self {
        Self::with_event(value, watcher.changed().map(drop).boxed())
    }

    fn with_event(value: T, event: BoxFuture<'static, ()>) -> Self {
        Self { value, event: event.shared(), polls: Arc::default() }
    }

    /// Checks that no event has arrived since the read.
    pub(crate) fn is_current(&self) -> bool {
        self.event().now_or_never().is_none()
    }

    pub(crate) fn event(&self) -> impl Future<Output = ()> + Send + Unpin + use<T> {
        let mut event = self.event.clone();
        let polls = self.polls.clone();
        poll_fn(move |context| {
            let _poll = locked(&polls);
            event.poll_unpin(context)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::task::Poll;
    use std::thread;
    use std::time::Duration;

    use futures::executor::block_on;

    use super::*;

    #[test]
    fn a_value_is_not_current_while_another_thread_notices_the_event() {
        let (noticing, begun) = mpsc::channel();
        let (finish, finished) = mpsc::channel::<()>();
        let event = poll_fn(move |_| {
            noticing.send(()).unwrap();
            finished.recv().unwrap();
            Poll::Ready(())
        });
        let watched = Arc::new(Watched::with_event((), event.boxed()));
        let waiter = thread::spawn({
            let event = watched.event();
            move || block_on(event)
        });
        begun.recv().unwrap();
        let check = thread::spawn(move || watched.is_current());
        // Without the lock the check ends in this time.
        thread::sleep(Duration::from_millis(50));
        finish.send(()).unwrap();
        assert!(!check.join().unwrap());
        waiter.join().unwrap();
    }
}
