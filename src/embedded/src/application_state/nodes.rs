//! The stored state of applications: paths and bytes, in the format that Fluo uses in ZooKeeper.

use std::ops::Range;

use fluo_table::coordination::{Application, Epochs, Timeline, zookeeper_format};
use fluo_table::{Error, ErrorKind, Escaped, Timestamp};

use crate::engine::{Read, Transaction};
use crate::error::Failure;

fn path(name: &str, node: &str) -> String {
    format!("/{name}{node}")
}

pub(crate) fn paths_of(name: &str) -> Range<String> {
    // `0` sorts right after `/`.
    format!("/{name}/")..format!("/{name}0")
}

pub(crate) fn get(read: &impl Read, name: &str, node: &str) -> Result<Option<Vec<u8>>, Failure> {
    let bytes = read.get(&read.maps().coordination, path(name, node).as_bytes())?;
    Ok(bytes.map(|bytes| bytes.to_vec()))
}

pub(crate) fn put(
    transaction: &mut Transaction<'_>,
    name: &str,
    node: &str,
    bytes: &[u8],
) -> Result<(), Failure> {
    let nodes = &transaction.engine_maps().coordination;
    transaction.insert(nodes, path(name, node).as_bytes(), bytes)
}

pub(crate) fn exist(read: &impl Read, name: &str) -> Result<bool, Failure> {
    read.contains(&read.maps().coordination, path(name, zookeeper_format::ID).as_bytes())
}

/// Returns the names of all applications, sorted.
pub(crate) fn names(read: &impl Read) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    let mut from = "/".to_owned();
    // One lookup for each application, however many nodes it has.
    while let Some(node) = read.entries(&read.maps().coordination, from.as_bytes(), None).next() {
        let name = name_of(&node?.0)?.to_owned();
        from = paths_of(&name).end;
        names.push(name);
    }
    // Names sort differently than paths, in which other characters follow the name.
    names.sort();
    Ok(names)
}

pub(crate) fn name_of(path: &[u8]) -> Result<&str, Failure> {
    let rest = std::str::from_utf8(path).ok().and_then(|path| path.strip_prefix('/'));
    let (name, _) = rest.and_then(|rest| rest.split_once('/')).ok_or_else(|| no_path(path))?;
    Ok(name)
}

pub(crate) fn no_path(path: &[u8]) -> Failure {
    Failure::damaged(format_args!("`{}` is not a path of an application", Escaped(path)))
}

/// Returns the state of an application.
pub(crate) fn read(read: &impl Read, name: &str) -> Result<Application, Failure> {
    if !exist(read, name)? {
        return Err(Error::no_such_application(name).into());
    }
    read_parts(read, name)
}

/// Returns the state of an application that has at least one node.
pub(crate) fn read_parts(read: &impl Read, name: &str) -> Result<Application, Failure> {
    let application = zookeeper_format::read_application(|node| get(read, name, node));
    application.map_err(|failure| of_application(name, failure))
}

pub(crate) fn timestamp_at(read: &impl Read, name: &str, node: &str) -> Result<Timestamp, Failure> {
    let bytes = get(read, name, node)?;
    let timestamp = zookeeper_format::read_timestamp(node, bytes.as_deref());
    timestamp.map_err(|error| of_application(name, error.into()))
}

pub(crate) fn last_transactor(read: &impl Read, name: &str) -> Result<u64, Failure> {
    let bytes = get(read, name, zookeeper_format::TRANSACTOR_COUNT)?;
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

pub(crate) fn remove(transaction: &mut Transaction<'_>, name: &str) -> Result<(), Failure> {
    let (nodes, paths) = (&transaction.engine_maps().coordination, paths_of(name));
    transaction.remove_range(nodes, paths.start.as_bytes(), paths.end.as_bytes())
}

/// Returns the epochs of the last opening, or `None` before the first.
pub(crate) fn epochs(read: &impl Read, name: &str) -> Result<Option<Epochs>, Failure> {
    let bytes = get(read, name, zookeeper_format::EPOCHS)?;
    let read = bytes.map(|bytes| Epochs::decode(&bytes)).transpose();
    read.map_err(|error| Failure::damaged(format_args!("application `{name}`: {error}")))
}

/// Returns the times of timestamps, or the error if they are damaged.
pub(crate) fn timeline(
    read: &impl Read,
    name: &str,
) -> Result<fluo_table::Result<Timeline>, Failure> {
    let bytes = get(read, name, zookeeper_format::TIMELINE)?;
    Ok(bytes.map_or_else(|| Ok(Timeline::default()), |bytes| Timeline::decode(&bytes)))
}
