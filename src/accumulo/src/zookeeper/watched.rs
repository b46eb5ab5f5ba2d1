//! Nodes that are read once, and again only after an event.
//!
//! A watch of ZooKeeper reports the first change after the read that set it, once. After a lost
//! connection the client sets its watches again, from the last transaction that it has seen, so the
//! server reports all changes since. The end of the session ends all watches.
//!
//! Events and answers of a session arrive in the order of the transactions. So a value that is
//! [current](Watched::is_current) contains every change whose answer this session has received.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};

use fluo_table::Result;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared, select_all, try_join_all};
use zookeeper_client::OneshotWatcher;

use super::session::{Node, Session, too_busy};

/// Maximum number of times to read children again because one of them changes meanwhile.
const TRIES: u32 = 100;

/// A value with the watch that was set when it was read.
#[derive(Clone)]
pub(super) struct Watched<T> {
    pub(super) value: T,
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
        Self {
            value,
            event: event.shared(),
            polls: Arc::default(),
        }
    }

    /// Checks that no event has arrived since the read.
    fn is_current(&self) -> bool {
        self.event().now_or_never().is_none()
    }

    /// Waits for the event.
    fn event(&self) -> impl Future<Output = ()> + Send + Unpin + use<T> {
        let mut event = self.event.clone();
        let polls = self.polls.clone();
        poll_fn(move |context| {
            let _poll = polls.lock().unwrap_or_else(PoisonError::into_inner);
            event.poll_unpin(context)
        })
    }
}

impl<T: fmt::Debug> fmt::Debug for Watched<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watched").field(&self.value).finish()
    }
}

/// The children of a node, with their data. There are none before the first
/// [`read`](Self::read).
#[derive(Debug)]
pub(crate) struct Children {
    parent: String,
    names: Option<Watched<Vec<String>>>,
    nodes: BTreeMap<String, Watched<Node>>,
}

impl Children {
    pub(crate) fn new(parent: String) -> Self {
        Self {
            parent,
            names: None,
            nodes: BTreeMap::new(),
        }
    }

    /// Returns the children in the order of the bytes of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        let nodes = self.nodes.iter();
        nodes.map(|(name, node)| (&**name, &node.value))
    }

    /// Checks that the children have been read, and no event has arrived since. Sends no request.
    pub(crate) fn is_current(&self) -> bool {
        self.has_current_names()
            && self.missing().next().is_none()
            && self.nodes.values().all(Watched::is_current)
    }

    /// Reads everything that has changed. If this is canceled, the children are not current.
    ///
    /// # Errors
    ///
    /// Those of [`Session::children`].
    pub(crate) async fn read(&mut self, session: &Session) -> Result<()> {
        for _ in 0..TRIES {
            if !self.has_current_names() {
                self.names = session.watch_children(&self.parent).await?;
            }
            let names = self.names.as_ref().map(|names| &*names.value);
            let names = names.unwrap_or_default();
            self.nodes
                .retain(|name, node| names.contains(name) && node.is_current());
            let missing = self.missing().map(|name| {
                let path = format!("{}/{name}", self.parent);
                async move { Ok((name.clone(), session.watch_node(&path).await?)) }
            });
            let read = try_join_all(missing).await?;
            let read = read.into_iter();
            self.nodes
                .extend(read.filter_map(|(name, node)| Some((name, node?))));
            // Without the parent there is no watch.
            if self.names.is_none() || self.is_current() {
                return Ok(());
            }
        }
        Err(too_busy(&self.parent))
    }

    /// Waits until the children are not current.
    pub(crate) fn changed(&self) -> impl Future<Output = ()> + Send + use<> {
        let names = self.names.iter().map(|names| names.event().boxed());
        let nodes = self.nodes.values().map(|node| node.event().boxed());
        let events: Vec<_> = names.chain(nodes).collect();
        async move {
            if !events.is_empty() {
                select_all(events).await;
            }
        }
    }

    fn has_current_names(&self) -> bool {
        self.names.as_ref().is_some_and(Watched::is_current)
    }

    /// Returns the names of the children whose nodes are not read.
    fn missing(&self) -> impl Iterator<Item = &String> {
        let names = self.names.iter().flat_map(|names| &names.value);
        names.filter(|name| !self.nodes.contains_key(*name))
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
