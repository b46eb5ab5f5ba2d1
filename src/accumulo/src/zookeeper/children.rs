//! The children of a node, which are read again only after an event.

use std::collections::BTreeMap;

use fluo_table::Result;
use futures::FutureExt;
use futures::future::{pending, select_all, try_join_all};

use super::TRIES;
use super::session::{Node, Session, too_busy};
use super::watched::Watched;

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
        Self { parent, names: None, nodes: BTreeMap::new() }
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

    /// Checks whether the parent did not exist at the last read, so that nothing is watched.
    pub(crate) fn is_missing(&self) -> bool {
        self.names.is_none()
    }

    /// Reads everything that has changed. If this is canceled, the children are not current.
    pub(crate) async fn read(&mut self, session: &Session) -> Result<()> {
        for _ in 0..TRIES {
            if !self.has_current_names() {
                self.names = session.watch_children(&self.parent).await?;
            }
            let names = self.names.as_ref().map(|names| &*names.value);
            let names = names.unwrap_or_default();
            self.nodes.retain(|name, node| names.contains(name) && node.is_current());
            let missing = self.missing().map(|name| {
                let path = format!("{}/{name}", self.parent);
                async move { Ok((name.clone(), session.watch_node(&path).await?)) }
            });
            let read = try_join_all(missing).await?;
            let read = read.into_iter();
            self.nodes.extend(read.filter_map(|(name, node)| Some((name, node?))));
            // Without the parent there is no watch.
            if self.names.is_none() || self.is_current() {
                return Ok(());
            }
        }
        Err(too_busy(&self.parent))
    }

    /// Waits for the next event. Without a watch, never returns.
    pub(crate) fn changed(&self) -> impl Future<Output = ()> + Send + use<> {
        let names = self.names.iter().map(|names| names.event().boxed());
        let nodes = self.nodes.values().map(|node| node.event().boxed());
        let events: Vec<_> = names.chain(nodes).collect();
        async move {
            match events.is_empty() {
                true => pending().await,
                false => drop(select_all(events).await),
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
