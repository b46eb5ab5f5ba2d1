//! The nodes of the simulated ZooKeeper.

use std::collections::BTreeMap;

use zookeeper_client::{Error, MultiWriteResult, Stat};

#[derive(Clone, Debug, Default)]
struct Node {
    data: Vec<u8>,
    version: i32,
    created: i64,
    /// The session of an ephemeral node, or 0.
    owner: i64,
    /// The number of changes of the children.
    changes: i32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: BTreeMap<String, Node>,
    last_change: i64,
}

/// A change of a request, as the client adds it.
#[derive(Clone, Debug)]
pub(super) enum TreeChange {
    Check { path: String, version: i32 },
    Create { path: String, data: Vec<u8>, owner: i64, is_numbered: bool },
    Set { path: String, data: Vec<u8>, version: Option<i32> },
    Delete { path: String, version: Option<i32> },
}

/// A path, and whether its children have changed instead of the node.
pub(super) type Event = (String, bool);

impl Tree {
    pub(super) fn create_all(&mut self, path: &str, data: &str) {
        // The root is the empty path.
        let ends = path.match_indices('/').map(|(end, _)| path.split_at(end).0);
        for parent in ends {
            self.nodes.entry(parent.to_owned()).or_default();
        }
        self.nodes.entry(path.to_owned()).or_default().data = data.into();
    }

    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.nodes.get(path).map(|node| String::from_utf8_lossy(&node.data).into_owned())
    }

    pub(super) fn children(&self, path: &str) -> Vec<String> {
        let prefix = format!("{path}/");
        let after = self.nodes.range(prefix.clone()..);
        let below = after.map_while(|(path, _)| path.strip_prefix(&prefix));
        below.filter(|name| !name.contains('/')).map(str::to_owned).collect()
    }

    pub(super) fn data(&self, path: &str) -> Result<(Vec<u8>, Stat), Error> {
        let stat = self.stat(path).ok_or(Error::NoNode)?;
        Ok((self.nodes.get(path).map(|node| node.data.clone()).unwrap_or_default(), stat))
    }

    pub(super) fn stat(&self, path: &str) -> Option<Stat> {
        let node = self.nodes.get(path)?;
        Some(Stat {
            czxid: node.created,
            mzxid: node.created,
            pzxid: node.created,
            ctime: 0,
            mtime: 0,
            version: node.version,
            cversion: node.changes,
            aversion: 0,
            ephemeral_owner: node.owner,
            data_length: i32::try_from(node.data.len()).unwrap_or(i32::MAX),
            num_children: i32::try_from(self.children(path).len()).unwrap_or(i32::MAX),
        })
    }

    /// Makes all changes, or none and returns the index of one that is refused.
    pub(super) fn change(
        &mut self,
        changes: &[TreeChange],
    ) -> Result<(Vec<MultiWriteResult>, Vec<Event>), (usize, Error)> {
        let mut after = self.clone();
        after.last_change += 1;
        let (mut results, mut events) = (Vec::new(), Vec::new());
        for (index, change) in changes.iter().enumerate() {
            let done = after.apply(change, &mut events).map_err(|error| (index, error))?;
            results.push(done);
        }
        *self = after;
        Ok((results, events))
    }

    /// Deletes the ephemeral nodes of a session.
    pub(super) fn end(&mut self, owner: i64) -> Vec<Event> {
        let of_owner = self.nodes.iter().filter(|(_, node)| node.owner == owner);
        let paths: Vec<_> = of_owner.map(|(path, _)| path.clone()).collect();
        let mut events = Vec::new();
        for path in paths {
            let delete = TreeChange::Delete { path, version: None };
            let _ = self.apply(&delete, &mut events);
        }
        events
    }

    fn apply(
        &mut self,
        change: &TreeChange,
        events: &mut Vec<Event>,
    ) -> Result<MultiWriteResult, Error> {
        match change {
            TreeChange::Check { path, version } => {
                self.expect(path, Some(*version))?;
                Ok(MultiWriteResult::Check)
            }
            TreeChange::Create { path, data, owner, is_numbered } => {
                let parent = parent_of(path);
                let above = self.nodes.get_mut(&parent).ok_or(Error::NoNode)?;
                if above.owner != 0 {
                    return Err(Error::NoChildrenForEphemerals);
                }
                let path = match is_numbered {
                    true => format!("{path}{:010}", above.changes),
                    false => path.clone(),
                };
                if self.nodes.contains_key(&path) {
                    return Err(Error::NodeExists);
                }
                self.touch(&parent);
                let (data, owner, created) = (data.clone(), *owner, self.last_change);
                self.nodes.insert(path.clone(), Node { data, owner, created, ..Node::default() });
                events.extend([(path.clone(), false), (parent, true)]);
                let stat = self.stat(&path).ok_or(Error::NoNode)?;
                Ok(MultiWriteResult::Create { path, stat })
            }
            TreeChange::Set { path, data, version } => {
                let node = self.expect(path, *version)?;
                node.data.clone_from(data);
                node.version += 1;
                events.push((path.clone(), false));
                let stat = self.stat(path).ok_or(Error::NoNode)?;
                Ok(MultiWriteResult::SetData { stat })
            }
            TreeChange::Delete { path, version } => {
                self.expect(path, *version)?;
                if !self.children(path).is_empty() {
                    return Err(Error::NotEmpty);
                }
                self.nodes.remove(path);
                let parent = parent_of(path);
                self.touch(&parent);
                events.extend([(path.clone(), false), (path.clone(), true), (parent, true)]);
                Ok(MultiWriteResult::Delete)
            }
        }
    }

    fn touch(&mut self, parent: &str) {
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.changes += 1;
        }
    }

    fn expect(&mut self, path: &str, version: Option<i32>) -> Result<&mut Node, Error> {
        let node = self.nodes.get_mut(path).ok_or(Error::NoNode)?;
        match version.filter(|version| *version >= 0) {
            Some(version) if version != node.version => Err(Error::BadVersion),
            _ => Ok(node),
        }
    }
}

fn parent_of(path: &str) -> String {
    path.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned())
}
