//! The nodes, and changes of them, without sessions and connections.

use std::collections::{BTreeMap, BTreeSet};

use crate::wire::Writer;

/// The code of an error.
pub type Code = i32;

/// The node, or the parent of a new one, does not exist.
pub const NO_NODE: Code = -101;
/// The node has another version.
pub const BAD_VERSION: Code = -103;
/// The parent of a new node is ephemeral.
pub const NO_CHILDREN_FOR_EPHEMERALS: Code = -108;
/// The node exists.
pub const NODE_EXISTS: Code = -110;
/// The node has children.
pub const NOT_EMPTY: Code = -111;

/// A change of a node. The version -1 matches any version.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are those of a request in ZooKeeper's protocol")]
pub enum Change {
    /// Creates a node. A number follows the path of a sequential one.
    Create {
        path: String,
        data: Vec<u8>,
        is_ephemeral: bool,
        is_sequential: bool,
        /// True if the answer has the state of the node.
        with_stat: bool,
    },
    /// Deletes a node.
    Delete { path: String, version: i32 },
    /// Replaces the data of a node.
    Set { path: String, data: Vec<u8>, version: i32 },
    /// Requires a version of a node.
    Check { path: String, version: i32 },
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The data.
    pub data: Vec<u8>,
    /// The names of the children.
    pub children: BTreeSet<String>,
    created: i64,
    pub(crate) modified: i64,
    pub(crate) children_modified: i64,
    version: i32,
    /// The number of children that were ever created.
    created_children: i32,
    /// The session to which an ephemeral node belongs, or 0.
    owner: i64,
}

/// The state of a node.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the fields are those of ZooKeeper's protocol")]
pub struct Stat {
    pub created: i64,
    pub modified: i64,
    pub children_modified: i64,
    pub version: i32,
    pub children_version: i32,
    pub owner: i64,
    pub data_length: i32,
    pub children: i32,
}

impl Stat {
    pub(crate) fn write(&self, out: &mut Writer) {
        out.i64(self.created).i64(self.modified).i64(0).i64(0);
        out.i32(self.version).i32(self.children_version).i32(0);
        out.i64(self.owner).i32(self.data_length).i32(self.children);
        out.i64(self.children_modified);
    }
}

impl Node {
    /// Returns the state.
    pub fn stat(&self) -> Stat {
        Stat {
            created: self.created,
            modified: self.modified,
            children_modified: self.children_modified,
            version: self.version,
            children_version: self.created_children,
            owner: self.owner,
            data_length: i32::try_from(self.data.len()).unwrap(),
            children: i32::try_from(self.children.len()).unwrap(),
        }
    }
}

/// An effect that watches report, with the path of the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A node was created.
    Created(String),
    /// A node was deleted.
    Deleted(String),
    /// The data of a node was replaced.
    DataChanged(String),
}

impl Effect {
    /// Checks whether a watch of a node, or one of its children, reports this.
    pub fn is_seen_at(&self, path: &str, is_of_children: bool) -> bool {
        match self {
            Self::Deleted(deleted) if deleted == path => true,
            Self::Created(one) | Self::Deleted(one) if is_of_children => {
                parent_and_name(one).0 == path
            }
            Self::Created(one) | Self::DataChanged(one) => !is_of_children && one == path,
            Self::Deleted(_) => false,
        }
    }
}

/// The result of a change.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are those of an answer in ZooKeeper's protocol")]
pub enum Changed {
    /// The change was a creation. The path of a sequential node has its number.
    Created { path: String, stat: Stat, with_stat: bool },
    /// The change was a deletion.
    Deleted,
    /// The change was new data.
    Set(Stat),
    /// The version is the required one.
    Checked,
}

/// All nodes.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: BTreeMap<String, Node>,
    /// The number of the last transaction.
    pub(crate) last: i64,
}

impl Default for Tree {
    /// Creates the root.
    fn default() -> Self {
        Self { nodes: BTreeMap::from([("/".to_owned(), Node::default())]), last: 0 }
    }
}

impl Tree {
    /// Returns the node at a path, such as `/fluo/web`.
    pub fn node(&self, path: &str) -> Option<&Node> {
        self.nodes.get(path)
    }

    /// Makes all changes of a session as one transaction, or none.
    ///
    /// # Errors
    ///
    /// The index and the code of a change that failed.
    pub fn change(
        &mut self,
        session: i64,
        changes: &[Change],
    ) -> Result<(Vec<Changed>, Vec<Effect>), (usize, Code)> {
        let mut next = self.clone();
        next.last += 1;
        let (mut results, mut effects) = (Vec::new(), Vec::new());
        for (index, change) in changes.iter().enumerate() {
            let result = next.apply(session, change, &mut effects);
            results.push(result.map_err(|code| (index, code))?);
        }
        *self = next;
        Ok((results, effects))
    }

    /// Deletes the ephemeral nodes of a session.
    pub fn end_session(&mut self, session: i64) -> Vec<Effect> {
        let nodes = self.nodes.iter().filter(|(_, node)| node.owner == session);
        let deletes: Vec<_> =
            nodes.map(|(path, _)| Change::Delete { path: path.clone(), version: -1 }).collect();
        self.change(session, &deletes).map_or(Vec::new(), |(_, effects)| effects)
    }

    fn apply(
        &mut self,
        session: i64,
        change: &Change,
        effects: &mut Vec<Effect>,
    ) -> Result<Changed, Code> {
        let last = self.last;
        match change {
            Change::Create { path, data, is_ephemeral, is_sequential, with_stat } => {
                let (parent, name) = parent_and_name(path);
                let above = self.nodes.get_mut(parent).ok_or(NO_NODE)?;
                if above.owner != 0 {
                    return Err(NO_CHILDREN_FOR_EPHEMERALS);
                }
                let suffix = match is_sequential {
                    true => format!("{:010}", above.created_children),
                    false => String::new(),
                };
                if !above.children.insert(format!("{name}{suffix}")) {
                    return Err(NODE_EXISTS);
                }
                above.created_children += 1;
                above.children_modified = last;
                let path = format!("{path}{suffix}");
                let node = Node {
                    data: data.clone(),
                    created: last,
                    modified: last,
                    children_modified: last,
                    owner: if *is_ephemeral { session } else { 0 },
                    ..Node::default()
                };
                let stat = node.stat();
                self.nodes.insert(path.clone(), node);
                effects.push(Effect::Created(path.clone()));
                Ok(Changed::Created { path, stat, with_stat: *with_stat })
            }
            Change::Delete { path, version } => {
                let node = self.at_version(path, *version)?;
                if !node.children.is_empty() {
                    return Err(NOT_EMPTY);
                }
                self.nodes.remove(path);
                let (parent, name) = parent_and_name(path);
                let above = self.nodes.get_mut(parent).ok_or(NO_NODE)?;
                above.children.remove(name);
                above.children_modified = last;
                effects.push(Effect::Deleted(path.clone()));
                Ok(Changed::Deleted)
            }
            Change::Set { path, data, version } => {
                let node = self.at_version(path, *version)?;
                node.data.clone_from(data);
                node.version += 1;
                node.modified = last;
                effects.push(Effect::DataChanged(path.clone()));
                Ok(Changed::Set(node.stat()))
            }
            Change::Check { path, version } => {
                self.at_version(path, *version)?;
                Ok(Changed::Checked)
            }
        }
    }

    fn at_version(&mut self, path: &str, version: i32) -> Result<&mut Node, Code> {
        let node = self.nodes.get_mut(path).ok_or(NO_NODE)?;
        match version {
            -1 => Ok(node),
            version if version == node.version => Ok(node),
            _ => Err(BAD_VERSION),
        }
    }
}

/// Returns the path of the parent of a node, and its name.
pub(crate) fn parent_and_name(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some(parts) => parts,
        None => ("/", path),
    }
}
