//! Changes of nodes that take effect together.

#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Requires that a node exists, and has this version.
    Require { path: String, version: Option<i32> },
    /// Creates a node.
    Create { kind: NodeKind, path: String, data: Vec<u8> },
    /// Replaces the data of a node, if it has this version.
    Set { path: String, data: Vec<u8>, version: Option<i32> },
    /// Deletes a node without children, if it has this version.
    Delete { path: String, version: Option<i32> },
}

/// The life of a new node, and the clients that may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// It exists until it is deleted. If there is a secret, only clients that have it can read it.
    Persistent,
    /// It exists until it is deleted, and all clients can read it.
    Public,
    /// It exists as long as the session.
    Ephemeral,
    /// It exists as long as the session. Its name is the last part of the path, followed by a
    /// number above those of earlier nodes of the same parent.
    Numbered,
}

impl Change {
    pub(crate) fn create(
        kind: NodeKind,
        path: impl Into<String>,
        data: impl Into<Vec<u8>>,
    ) -> Self {
        Self::Create { kind, path: path.into(), data: data.into() }
    }

    /// Creates a node, or replaces its data if it was found with this version.
    pub(crate) fn write(path: String, data: Vec<u8>, found: Option<i32>) -> Self {
        match found {
            Some(_) => Self::Set { path, data, version: found },
            None => Self::create(NodeKind::Persistent, path, data),
        }
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self::Delete { path: path.into(), version: None }
    }

    /// Returns the path of the node; without the number, if it gets one.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Require { path, .. }
            | Self::Create { path, .. }
            | Self::Set { path, .. }
            | Self::Delete { path, .. } => path,
        }
    }
}

/// The result of several changes, of which all took effect or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All changes took effect. Contains the path of each created node.
    Done(Vec<String>),
    /// None took effect, because of the change with this index.
    Refused(usize, Refusal),
    /// The connection was lost before the answer, and the session continues.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The node does not exist; of a new node, its parent.
    Missing,
    Exists,
    /// The node has another version, or children.
    Other,
}
