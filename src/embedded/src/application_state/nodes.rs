//! The stored state of applications: paths and bytes, in the format that Fluo uses in ZooKeeper.

use std::ops::Range;

use fluo_table::coordination::{Application, Epochs, zookeeper_format};
use fluo_table::{Error, ErrorKind, Timestamp};
use redb::{ReadTransaction, ReadableTable, WriteTransaction};

use crate::error::Failure;
use crate::schema::{COORDINATION, open_if_created};

fn path(name: &str, node: &str) -> String {
    format!("/{name}{node}")
}

pub(crate) fn paths_of(name: &str) -> Range<String> {
    // `0` sorts right after `/`.
    format!("/{name}/")..format!("/{name}0")
}

/// The nodes of all applications, in a snapshot or in a write.
pub(crate) trait Nodes: ReadableTable<&'static str, &'static [u8]> {}

impl<T: ReadableTable<&'static str, &'static [u8]>> Nodes for T {}

pub(crate) fn get(nodes: &impl Nodes, name: &str, node: &str) -> Result<Option<Vec<u8>>, Failure> {
    let bytes = nodes.get(path(name, node).as_str())?;
    Ok(bytes.map(|bytes| bytes.value().to_vec()))
}

pub(crate) fn put(
    transaction: &WriteTransaction,
    name: &str,
    node: &str,
    bytes: &[u8],
) -> Result<(), Failure> {
    let mut nodes = transaction.open_table(COORDINATION)?;
    nodes.insert(path(name, node).as_str(), bytes)?;
    Ok(())
}

pub(crate) fn exist(nodes: &impl Nodes, name: &str) -> Result<bool, Failure> {
    Ok(nodes.get(path(name, zookeeper_format::ID).as_str())?.is_some())
}

/// Returns the names of all applications, sorted.
pub(crate) fn names(snapshot: &ReadTransaction) -> Result<Vec<String>, Failure> {
    open_if_created(snapshot, COORDINATION)?
        .map_or_else(|| Ok(Vec::new()), |nodes| names_in(&nodes))
}

pub(crate) fn names_in(nodes: &impl Nodes) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    let mut from = "/".to_owned();
    // One lookup for each application, however many nodes it has.
    while let Some(node) = nodes.range::<&str>(from.as_str()..)?.next() {
        let (path, _) = node?;
        let name = name_of(path.value())?.to_owned();
        // Damage must not cause an endless loop.
        if path.value() < from.as_str() {
            return Err(Failure::damaged("a path is out of order"));
        }
        from = paths_of(&name).end;
        names.push(name);
    }
    // Names sort differently than paths, in which other characters follow the name.
    names.sort();
    Ok(names)
}

pub(crate) fn name_of(path: &str) -> Result<&str, Failure> {
    let rest = path.strip_prefix('/');
    let name = rest.and_then(|rest| rest.split_once('/'));
    let (name, _) = name.ok_or_else(|| {
        Failure::damaged(format_args!("`{path}` is not a path of an application"))
    })?;
    Ok(name)
}

pub(crate) fn read(snapshot: &ReadTransaction, name: &str) -> Result<Application, Failure> {
    read_in(&with_application(snapshot, name)?, name)
}

/// Returns the nodes of all applications, if there is one with this name.
pub(crate) fn with_application(
    snapshot: &ReadTransaction,
    name: &str,
) -> Result<impl Nodes + use<>, Failure> {
    match open_if_created(snapshot, COORDINATION)? {
        Some(nodes) if exist(&nodes, name)? => Ok(nodes),
        _ => Err(Error::no_such_application(name).into()),
    }
}

pub(crate) fn read_in(nodes: &impl Nodes, name: &str) -> Result<Application, Failure> {
    let application = zookeeper_format::read_application(|node| get(nodes, name, node));
    application.map_err(|failure| of_application(name, failure))
}

pub(crate) fn timestamp_at(
    nodes: &impl Nodes,
    name: &str,
    node: &str,
) -> Result<Timestamp, Failure> {
    let bytes = get(nodes, name, node)?;
    let timestamp = zookeeper_format::read_timestamp(node, bytes.as_deref());
    timestamp.map_err(|error| of_application(name, error.into()))
}

pub(crate) fn last_transactor(nodes: &impl Nodes, name: &str) -> Result<u64, Failure> {
    let bytes = get(nodes, name, zookeeper_format::TRANSACTOR_COUNT)?;
    let last = zookeeper_format::read_transactor_count(bytes.as_deref());
    last.map_err(|error| of_application(name, error.into()))
}

/// Converts the error of an invalid node to damage, with the name of the application.
fn of_application(name: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Refused(error) if error.kind() == ErrorKind::Corrupt => {
            Failure::damaged(format_args!("application `{name}`: {error}"))
        }
        other => other,
    }
}

pub(crate) fn remove(transaction: &WriteTransaction, name: &str) -> Result<(), Failure> {
    let paths = paths_of(name);
    let range = paths.start.as_str()..paths.end.as_str();
    transaction.open_table(COORDINATION)?.retain_in::<&str, _>(range, |_, _| false)?;
    Ok(())
}

/// Returns the epochs of the last opening, or `None` before the first.
pub(crate) fn epochs(nodes: &impl Nodes, name: &str) -> Result<Option<Epochs>, Failure> {
    let bytes = get(nodes, name, zookeeper_format::EPOCHS)?;
    let read = bytes.map(|bytes| Epochs::decode(&bytes)).transpose();
    read.map_err(|error| Failure::damaged(format_args!("application `{name}`: {error}")))
}
