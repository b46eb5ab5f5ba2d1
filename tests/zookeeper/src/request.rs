//! The requests of clients.

use crate::tree::Change;
use crate::wire::Reader;

/// A kind of watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// On the data or the existence of a node.
    Data,
    /// On the children of a node.
    Children,
}

/// An operation of ZooKeeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Creates a node.
    Create,
    /// Deletes a node.
    Delete,
    /// Reads the state of a node.
    Exists,
    /// Reads the data of a node.
    GetData,
    /// Replaces the data of a node.
    SetData,
    /// Lists the children of a node.
    GetChildren,
    /// Brings the server of a session up to date.
    Sync,
    /// Makes several changes together.
    Multi,
    /// Any other request, such as a ping.
    Other,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Change(Change),
    Multi(Vec<Change>),
    Exists { path: String, watches: bool },
    GetData { path: String, watches: bool },
    GetChildren { path: String, watches: bool, with_stat: bool },
    Sync { path: String },
    SetWatches { since: i64, data: Vec<String>, absent: Vec<String>, children: Vec<String> },
    RemoveWatches { path: String, kinds: &'static [Kind] },
    Ping,
    Authenticate,
    Close,
    Unknown,
}

const CREATE: i32 = 1;
const DELETE: i32 = 2;
const SET_DATA: i32 = 5;
const CHECK: i32 = 13;
pub(crate) const CREATE_WITH_STAT: i32 = 15;

impl Request {
    /// Reads the body of a request.
    pub(crate) fn decode(code: i32, body: &[u8]) -> Option<Self> {
        let mut from = Reader(body);
        Some(match code {
            CREATE | DELETE | SET_DATA | CHECK | CREATE_WITH_STAT => {
                Self::Change(Change::decode(code, &mut from)?)
            }
            3 => Self::Exists { path: from.text()?, watches: from.bool()? },
            4 => Self::GetData { path: from.text()?, watches: from.bool()? },
            8 | 12 => Self::GetChildren {
                path: from.text()?,
                watches: from.bool()?,
                with_stat: code == 12,
            },
            9 => Self::Sync { path: from.text()? },
            11 => Self::Ping,
            14 => {
                let mut changes = Vec::new();
                loop {
                    let (code, is_end, _) = (from.i32()?, from.bool()?, from.i32()?);
                    if is_end {
                        break Self::Multi(changes);
                    }
                    changes.push(Change::decode(code, &mut from)?);
                }
            }
            18 => Self::RemoveWatches {
                path: from.text()?,
                kinds: match from.i32()? {
                    1 => &[Kind::Children],
                    2 => &[Kind::Data],
                    _ => &[Kind::Children, Kind::Data],
                },
            },
            100 => Self::Authenticate,
            101 => Self::SetWatches {
                since: from.i64()?,
                data: from.texts()?,
                absent: from.texts()?,
                children: from.texts()?,
            },
            -11 => Self::Close,
            _ => Self::Unknown,
        })
    }

    pub(crate) fn operation(&self) -> Operation {
        match self {
            Self::Change(Change::Create { .. }) => Operation::Create,
            Self::Change(Change::Delete { .. }) => Operation::Delete,
            Self::Change(Change::Set { .. }) => Operation::SetData,
            Self::Multi(_) => Operation::Multi,
            Self::Exists { .. } => Operation::Exists,
            Self::GetData { .. } => Operation::GetData,
            Self::GetChildren { .. } => Operation::GetChildren,
            Self::Sync { .. } => Operation::Sync,
            _ => Operation::Other,
        }
    }

    /// Checks whether a path of the request contains a text.
    pub(crate) fn concerns(&self, text: &str) -> bool {
        match self {
            Self::Change(change) => change.path().contains(text),
            Self::Multi(changes) => changes.iter().any(|change| change.path().contains(text)),
            Self::Exists { path, .. }
            | Self::GetData { path, .. }
            | Self::GetChildren { path, .. }
            | Self::Sync { path } => path.contains(text),
            _ => false,
        }
    }
}

impl Change {
    fn decode(code: i32, from: &mut Reader<'_>) -> Option<Self> {
        let path = from.text()?;
        Some(match code {
            CREATE | CREATE_WITH_STAT => {
                let data = from.bytes()?;
                for _ in 0..from.i32()? {
                    let (_permissions, _scheme, _id) = (from.i32()?, from.bytes()?, from.bytes()?);
                }
                let flags = from.i32()?;
                Self::Create {
                    path,
                    data,
                    is_ephemeral: flags & 1 != 0,
                    is_sequential: flags & 2 != 0,
                    with_stat: code == CREATE_WITH_STAT,
                }
            }
            DELETE => Self::Delete { path, version: from.i32()? },
            SET_DATA => Self::Set { path, data: from.bytes()?, version: from.i32()? },
            CHECK => Self::Check { path, version: from.i32()? },
            _ => return None,
        })
    }

    fn path(&self) -> &str {
        match self {
            Self::Create { path, .. }
            | Self::Delete { path, .. }
            | Self::Set { path, .. }
            | Self::Check { path, .. } => path,
        }
    }
}
