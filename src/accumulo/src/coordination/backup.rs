//! Backups of the nodes of an application.
//!
//! A backup has every node that does not belong to a session. The nodes of transactors, workers and
//! oracles end with their sessions, and these create them again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::{check_application_name, zookeeper_format};
use fluo_table::{Bytes, Error, Result};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::applications::find;
use super::cluster::check_instance;
use super::initialization::{create_application, creation};
use super::{in_own_task, locks};
use crate::paths::{FORMAT, Paths, check_format};
use crate::zookeeper::{AT_ONCE, Keeper, ZooKeeperOptions, list_tree};

const SHORTEST: Duration = Duration::from_secs(1);

/// A node of an application in ZooKeeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredNode {
    /// The path below the node of the application, such as `/config/shared.config`; empty for that
    /// node itself.
    pub path: String,
    /// The data of the node.
    pub data: Bytes,
}

/// Returns the nodes of an application that is not running, sorted by path. Those of sessions are
/// left out.
///
/// # Errors
///
/// [`NotFound`](fluo_table::ErrorKind::NotFound) if the application does not exist;
/// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if it is running, or if ZooKeeper does not
/// answer; [`Denied`](fluo_table::ErrorKind::Denied) if the secret is missing or wrong;
/// [`Invalid`](fluo_table::ErrorKind::Invalid) for invalid options, and for an application that a
/// later version of this library has used.
pub async fn back_up_application(
    zookeeper: &ZooKeeperOptions,
    name: &str,
) -> Result<Vec<StoredNode>> {
    let keeper = Keeper::connect(zookeeper.session(SHORTEST)?).await?;
    let session = &*keeper.session().await?;
    let (paths, mark) = find(&keeper, session, name).await?;
    let count = async || {
        let node = session.current_node(&paths.at(zookeeper_format::TRANSACTOR_COUNT)).await?;
        Ok::<_, Error>(node.map(|node| node.data))
    };
    let check_stopped = async || match locks::is_running(session, &paths, None).await? {
        true => Err(Error::still_running(name)),
        false => Ok(()),
    };
    let before = count().await?;
    check_stopped().await?;
    let root = &paths.root;
    let nodes = stream::iter(list_tree(session, root).await?).map(|path| async move {
        let node = session.node(&path).await?.filter(|node| !node.stat.is_ephemeral);
        let path = path.strip_prefix(root).unwrap_or(&path);
        Ok::<_, Error>(node.map(|node| (path.to_owned(), node.data.into())))
    });
    let nodes: Vec<Option<(String, Bytes)>> = nodes.buffered(AT_ONCE).try_collect().await?;
    let nodes = nodes.into_iter().flatten().collect();
    check(name, &nodes)?;
    // A client that began and ended meanwhile has counted itself.
    check_stopped().await?;
    if count().await? != before {
        return Err(Error::still_running(name));
    }
    // After the reads, because the data may belong to a later application of the same name.
    let found = session.current_stat(&paths.mark()).await?;
    if found.is_none_or(|found| found.created != mark.created) {
        return Err(Error::no_such_application(name));
    }
    Ok(nodes.into_iter().map(|(path, data)| StoredNode { path, data }).collect())
}

/// Creates an application with the nodes of a backup. Its nodes are open to all, or protected by
/// the secret of the options, as those of a new application.
///
/// # Errors
///
/// [`AlreadyExists`](fluo_table::ErrorKind::AlreadyExists) if there is an application with this
/// name or this table; [`Invalid`](fluo_table::ErrorKind::Invalid) for invalid options, and for
/// nodes that are not those of an application, or those of a later version of this library, or of
/// an Accumulo instance that this ZooKeeper does not have;
/// [`Corrupt`](fluo_table::ErrorKind::Corrupt) for damaged nodes;
/// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if another caller is creating or removing
/// the application or its table, or if ZooKeeper does not answer. Nothing was changed then, unless
/// the connection was lost.
pub async fn restore_application(
    zookeeper: &ZooKeeperOptions,
    name: &str,
    nodes: impl IntoIterator<Item = StoredNode>,
) -> Result<()> {
    check_application_name(name)?;
    let mut unique = BTreeMap::new();
    for StoredNode { path, data } in nodes {
        if unique.contains_key(&path) {
            let path = shown(&path);
            return Err(Error::invalid(format!(
                "the nodes of application `{name}` have `{path}` twice; use another backup"
            )));
        }
        unique.insert(path, data);
    }
    let nodes = unique;
    let table = check(name, &nodes)?;
    let keeper = Arc::new(Keeper::connect(zookeeper.session(SHORTEST)?).await?);
    let instance = nodes.get(zookeeper_format::INSTANCE_ID).map(|id| &id[..]);
    check_instance(&*keeper.session().await?, name, instance.unwrap_or_default()).await?;
    let paths = Paths::new(keeper.chroot(), name);
    let create = |(path, data): &(String, Bytes)| creation(&paths, path, data.to_vec());
    let (mark, others): (Vec<_>, Vec<_>) =
        nodes.into_iter().partition(|(path, _)| path == zookeeper_format::SETTINGS);
    let changes: Vec<_> = others.iter().chain(&mark).map(create).collect();
    let name = name.to_owned();
    in_own_task(async move {
        let _claim = locks::lock_setup(keeper.clone(), name.clone(), table.clone()).await?;
        create_application(&keeper, &name, &table, &changes).await
    })
    .await
}

fn shown(path: &str) -> String {
    match path {
        "" => "/".to_owned(),
        path => path.escape_debug().to_string(),
    }
}

/// Checks that nodes are those of an application that this version can use, and returns its table.
fn check(name: &str, nodes: &BTreeMap<String, Bytes>) -> Result<String> {
    let incomplete = |missing: &str| {
        let missing = shown(missing);
        Error::invalid(format!(
            "the nodes of application `{name}` lack `{missing}`; use another backup"
        ))
    };
    for path in nodes.keys() {
        if let Some((parent, node)) = path.rsplit_once('/')
            && !matches!(node, "" | "." | "..")
            && !node.contains(char::is_control)
        {
            if !nodes.contains_key(parent) {
                return Err(incomplete(parent));
            }
        } else if !path.is_empty() {
            let path = path.escape_debug();
            return Err(Error::invalid(format!(
                "`{path}` is not the path of a node; use another backup"
            )));
        }
    }
    for needed in [zookeeper_format::SETTINGS, zookeeper_format::INSTANCE_ID] {
        if !nodes.contains_key(needed) {
            return Err(incomplete(needed));
        }
    }
    check_format(name, nodes.get(FORMAT).map(|format| &format[..]))?;
    let stored = |path| Ok::<_, Error>(nodes.get(path).map(|data| data.to_vec()));
    Ok(zookeeper_format::read_application(stored)?.table)
}
