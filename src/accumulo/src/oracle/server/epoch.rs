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
use fluo_table::{Error, ErrorKind, Result};
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::oracle::application::ServedApplication;
use crate::zookeeper::{AT_ONCE, Session};

/// Compares the epoch of the application's table with the recorded one.
pub(super) async fn check_epoch(application: &ServedApplication, session: &Session) -> Result<()> {
    let at = |node| application.paths.at(node);
    let Some(recorded) = data(session, &at(zookeeper_format::EPOCHS)).await? else {
        return Ok(());
    };
    let recorded = Epochs::decode(&recorded)?;
    let instance = text(session, &at(zookeeper_format::INSTANCE_ID)).await?;
    let table = text(session, &at(zookeeper_format::TABLE)).await?;
    let Some((instance, table)) = instance.zip(table) else { return Ok(()) };
    let found = epoch_of(session, &format!("/accumulo/{instance}"), &table).await?;
    Epochs::check(&application.name, Some(&recorded), found.as_deref())
}

/// Returns the epoch of a table, or `None` if the table or the property is not in this ZooKeeper.
async fn epoch_of(session: &Session, instance: &str, table: &str) -> Result<Option<String>> {
    let tables = format!("{instance}/tables");
    let ids = match session.children(&tables).await {
        Err(error) if error.kind() == ErrorKind::Denied => Vec::new(),
        ids => ids?,
    };
    let ids = stream::iter(ids).map(|id| {
        let path = format!("{tables}/{id}");
        async move {
            let name = name_of(session, instance, &path).await?;
            Ok::<_, Error>(name.filter(|name| name == table).map(|_| path))
        }
    });
    let found: Vec<_> = ids.buffer_unordered(AT_ONCE).try_collect().await?;
    let Some(path) = found.into_iter().flatten().next() else {
        return Ok(None);
    };
    let found = data(session, &format!("{path}/conf/{}", Epochs::PROPERTY)).await?;
    Ok(found.map(|epoch| String::from_utf8_lossy(&epoch).into_owned()))
}

/// Returns the name of a table, with that of its namespace before it, unless that is the default
/// one, whose name is empty. `None` for a table that is being created or deleted.
async fn name_of(session: &Session, instance: &str, path: &str) -> Result<Option<String>> {
    let name = text(session, &format!("{path}/name")).await?;
    let namespace = text(session, &format!("{path}/namespace")).await?;
    let Some((name, id)) = name.zip(namespace.filter(|id| !id.is_empty())) else {
        return Ok(None);
    };
    let namespace = text(session, &format!("{instance}/namespaces/{id}/name")).await?;
    Ok(namespace.map(|namespace| match &*namespace {
        "" => name,
        namespace => format!("{namespace}.{name}"),
    }))
}

async fn text(session: &Session, path: &str) -> Result<Option<String>> {
    let data = data(session, path).await?;
    Ok(data.map(|data| String::from_utf8_lossy(&data).into_owned()))
}

async fn data(session: &Session, path: &str) -> Result<Option<Vec<u8>>> {
    Ok(session.readable_node(path).await?.map(|node| node.data))
}
