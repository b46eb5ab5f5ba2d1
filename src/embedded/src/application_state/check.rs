//! The check of the stored state of applications.

use std::collections::BTreeMap;

use fluo_table::ErrorKind;
use fluo_table::coordination::{FailedNotification, check_application_name, zookeeper_format};

use super::{dead_letters, nodes};
use crate::engine::{Read, Snapshot};
use crate::error::Failure;

/// All nodes that an application can have.
const NODES: [&str; 9] = [
    zookeeper_format::TABLE,
    zookeeper_format::ID,
    zookeeper_format::OBSERVERS,
    zookeeper_format::SETTINGS,
    zookeeper_format::MAX_TIMESTAMP,
    zookeeper_format::HORIZON,
    zookeeper_format::TRANSACTOR_COUNT,
    zookeeper_format::EPOCHS,
    zookeeper_format::TIMELINE,
];

pub(crate) fn check(snapshot: &Snapshot) -> Result<u64, Failure> {
    check_paths(snapshot)?;
    let names = nodes::names(snapshot)?;
    names.iter().try_for_each(|name| check_application(snapshot, name))?;
    let left = names.iter().map(|name| (name.as_str(), FailedNotification::MAX_DEAD_LETTERS));
    check_dead_letters(snapshot, &mut left.collect())?;
    Ok(u64::try_from(names.len()).unwrap_or(u64::MAX))
}

fn check_paths(snapshot: &Snapshot) -> Result<(), Failure> {
    for node in snapshot.all(&snapshot.maps().coordination) {
        let (path, _) = node?;
        let name = nodes::name_of(&path)?;
        let is_known = |node: &&str| &path[..] == format!("/{name}{node}").as_bytes();
        if check_application_name(name).is_err() || !NODES.iter().any(is_known) {
            return Err(nodes::no_path(&path));
        }
    }
    Ok(())
}

fn check_application(snapshot: &Snapshot, name: &str) -> Result<(), Failure> {
    nodes::read_parts(snapshot, name)?
        .check_bounds()
        .map_err(|error| Failure::damaged(format_args!("application `{name}`: {error}")))?;
    let end = nodes::timestamp_at(snapshot, name, zookeeper_format::MAX_TIMESTAMP)?;
    let horizon = nodes::timestamp_at(snapshot, name, zookeeper_format::HORIZON)?;
    if horizon > end {
        return Err(Failure::damaged(format_args!(
            "the horizon of the application `{name}` is {horizon}, and its timestamps end at {end}"
        )));
    }
    nodes::last_transactor(snapshot, name)?;
    // A later format of the times is no damage: ages are not known then.
    if let Err(error) = nodes::timeline(snapshot, name)?
        && error.kind() == ErrorKind::Corrupt
    {
        return Err(Failure::damaged(format_args!("application `{name}`: {error}")));
    }
    nodes::epochs(snapshot, name).map(drop)
}

fn check_dead_letters(
    snapshot: &Snapshot,
    left: &mut BTreeMap<&str, usize>,
) -> Result<(), Failure> {
    for entry in snapshot.all(&snapshot.maps().dead_letters) {
        let (key, value) = entry?;
        let (name, _) = dead_letters::read(&key, &value).ok_or_else(dead_letters::unreadable)?;
        match left.get_mut(name) {
            None => {
                return Err(Failure::damaged("a failed notification belongs to no application"));
            }
            Some(0) => {
                return Err(Failure::damaged(format_args!(
                    "the application `{name}` has too many failed notifications"
                )));
            }
            Some(left) => *left -= 1,
        }
    }
    Ok(())
}
