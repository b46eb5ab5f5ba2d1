//! The comparison of the coordination with the table, before an oracle leads.
//!
//! A ZooKeeper that was restored from a backup, or a copy of it, would hand out timestamps again.
//! Each opening of the application records an epoch in its coordination and at its table, so the
//! table of a restored coordination has a later epoch. An oracle reaches no proxy. It reads the
//! property of the table where servers of Accumulo 1.x keep it, in the same ZooKeeper:
//!
//! ```text
//! /accumulo/<instance id>/tables/<table id>/{name, namespace, conf/<property>}
//! /accumulo/<instance id>/namespaces/<namespace id>/name
//! ```
//!
//! If these nodes are not there, as with Accumulo 2.1 or with another ZooKeeper, only the clients
//! compare the epochs, when they open the application.

use fluo_table::coordination::{Epochs, zookeeper_format};
use fluo_table::{Error, Result};
use futures::stream::{self, StreamExt, TryStreamExt};
use zookeeper_client::{Client, Error as ZooKeeperError};

use crate::oracle::session::{request_error, within_limit};

/// Maximum number of tables whose names are read at the same time.
const AT_ONCE: usize = 64;

/// Compares the epoch of the application's table with the recorded one.
pub(super) async fn check_epoch(session: &Client, application: &str) -> Result<()> {
    let Some(recorded) = data(session, zookeeper_format::EPOCHS).await? else {
        return Ok(());
    };
    let recorded = Epochs::decode(&recorded)?;
    let instance = text(session, zookeeper_format::INSTANCE_ID).await?;
    let table = text(session, zookeeper_format::TABLE).await?;
    let found = epoch_of(session, &instance, &table).await?;
    Epochs::check(application, Some(&recorded), found.as_deref())
}

/// Returns the epoch of a table, or `None` if the table or the property is not in this ZooKeeper.
async fn epoch_of(session: &Client, instance: &str, table: &str) -> Result<Option<String>> {
    let Ok(root) = session.clone().chroot("/") else {
        return Ok(None);
    };
    let (root, instance) = (&root, format!("/accumulo/{instance}"));
    let tables = format!("{instance}/tables");
    let list = within_limit(root.list_children(&tables));
    let ids = none_if_missing(list.await).map_err(failed)?;
    let ids = stream::iter(ids.unwrap_or_default()).map(|id| {
        let (instance, path) = (&instance, format!("{tables}/{id}"));
        async move {
            let is_table = name_of(root, instance, &path).await? == table;
            Ok::<_, Error>(is_table.then_some(path))
        }
    });
    let found: Vec<_> = ids.buffer_unordered(AT_ONCE).try_collect().await?;
    match found.into_iter().flatten().next() {
        Some(path) => {
            let property = format!("{path}/conf/{}", Epochs::PROPERTY);
            let found = data(root, &property).await?;
            Ok(found.map(|epoch| String::from_utf8_lossy(&epoch).into_owned()))
        }
        None => Ok(None),
    }
}

/// Returns the name of a table, with that of its namespace before it, unless that is the default
/// one, whose name is empty.
async fn name_of(root: &Client, instance: &str, path: &str) -> Result<String> {
    let name = text(root, &format!("{path}/name")).await?;
    let namespace = text(root, &format!("{path}/namespace")).await?;
    let namespace = text(root, &format!("{instance}/namespaces/{namespace}/name")).await?;
    Ok(match namespace.as_str() {
        "" => name,
        namespace => format!("{namespace}.{name}"),
    })
}

/// Returns the data of a node as text; empty if the node does not exist.
async fn text(client: &Client, path: &str) -> Result<String> {
    let data = data(client, path).await?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&data).into_owned())
}

async fn data(client: &Client, path: &str) -> Result<Option<Vec<u8>>> {
    let read = within_limit(client.get_data(path)).await;
    let read = none_if_missing(read).map_err(failed)?;
    Ok(read.map(|(data, _)| data))
}

fn none_if_missing<T>(read: Result<T, ZooKeeperError>) -> Result<Option<T>, ZooKeeperError> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(ZooKeeperError::NoNode | ZooKeeperError::NoAuth) => Ok(None),
        Err(error) => Err(error),
    }
}

fn failed(error: ZooKeeperError) -> Error {
    request_error("compare the epoch of the table", error)
}
