//! The check of the stored state of applications.

use std::collections::BTreeMap;

use fluo_table::coordination::{FailedNotification, check_application_name, zookeeper_format};
use redb::{ReadTransaction, ReadableTable};

use super::nodes::Nodes;
use super::{dead_letters, nodes};
use crate::error::Failure;
use crate::schema::{COORDINATION, DEAD_LETTERS, open_if_created};

/// All nodes that an application can have.
const NODES: [&str; 8] = [
    zookeeper_format::TABLE,
    zookeeper_format::ID,
    zookeeper_format::OBSERVERS,
    zookeeper_format::SETTINGS,
    zookeeper_format::MAX_TIMESTAMP,
    zookeeper_format::HORIZON,
    zookeeper_format::TRANSACTOR_COUNT,
    zookeeper_format::EPOCHS,
];

pub(crate) fn check(snapshot: &ReadTransaction) -> Result<u64, Failure> {
    let names = nodes::names(snapshot)?;
    if let Some(nodes) = open_if_created(snapshot, COORDINATION)? {
        check_paths(&nodes)?;
        names.iter().try_for_each(|name| check_application(&nodes, name))?;
    }
    let left = names.iter().map(|name| (name.as_str(), FailedNotification::MAX_DEAD_LETTERS));
    check_dead_letters(snapshot, &mut left.collect())?;
    Ok(u64::try_from(names.len()).unwrap_or(u64::MAX))
}

fn check_paths(nodes: &impl Nodes) -> Result<(), Failure> {
    for node in nodes.iter()? {
        let (path, _) = node?;
        let path = path.value();
        let name = nodes::name_of(path)?;
        let is_known = |node: &&str| path == format!("/{name}{node}");
        if check_application_name(name).is_err() || !NODES.iter().any(is_known) {
            return Err(Failure::damaged(format_args!(
                "`{}` is not a path of an application",
                path.escape_default()
            )));
        }
    }
    Ok(())
}

fn check_application(nodes: &impl Nodes, name: &str) -> Result<(), Failure> {
    nodes::read_in(nodes, name)?
        .check_bounds()
        .map_err(|error| Failure::damaged(format_args!("application `{name}`: {error}")))?;
    let end = nodes::timestamp_at(nodes, name, zookeeper_format::MAX_TIMESTAMP)?;
    let horizon = nodes::timestamp_at(nodes, name, zookeeper_format::HORIZON)?;
    if horizon > end {
        return Err(Failure::damaged(format_args!(
            "the horizon of the application `{name}` is {horizon}, and its timestamps end at {end}"
        )));
    }
    nodes::last_transactor(nodes, name)?;
    nodes::epochs(nodes, name).map(drop)
}

fn check_dead_letters(
    snapshot: &ReadTransaction,
    left: &mut BTreeMap<&str, usize>,
) -> Result<(), Failure> {
    let Some(table) = open_if_created(snapshot, DEAD_LETTERS)? else {
        return Ok(());
    };
    for entry in table.iter()? {
        let (key, value) = entry?;
        let (name, _) =
            dead_letters::read(key.value(), value.value()).ok_or_else(dead_letters::unreadable)?;
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
