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
//! If these nodes are not there, as with Accumulo 2.1 or with another ZooKeeper, an oracle reads no
//! tables. Only the clients compare the epochs, when they open the application.

use std::pin::pin;

use fluo_table::coordination::{Epochs, zookeeper_format};
use fluo_table::{Error, ErrorKind, Result};
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::oracle::application::ServedApplication;
use crate::zookeeper::{AT_ONCE, Session};

/// The id of the metadata table, which every instance has.
const METADATA: &str = "!0";

/// Compares the epoch of the application's table with the recorded one.
pub(super) async fn check_epoch(application: &ServedApplication, session: &Session) -> Result<()> {
    let at = |node| application.paths.at(node);
    let epochs = at(zookeeper_format::EPOCHS);
    if session.stat(&epochs).await?.is_none() {
        return Ok(());
    }
    let instance = text(session, &at(zookeeper_format::INSTANCE_ID)).await?;
    let table = text(session, &at(zookeeper_format::TABLE)).await?;
    let Some((instance, table)) = instance.zip(table) else { return Ok(()) };
    let found = epoch_of(session, &format!("/accumulo/{instance}"), &table).await?;
    // An opening writes its record before the property, so the record is read after it.
    let Some(recorded) = data(session, &epochs).await? else { return Ok(()) };
    let recorded = Epochs::decode(&recorded)?;
    Epochs::check(&application.name, Some(&recorded), found.as_deref())
}

/// Returns the epoch of a table, or `None` if the table or the property is not in this ZooKeeper.
async fn epoch_of(session: &Session, instance: &str, table: &str) -> Result<Option<String>> {
    let tables = format!("{instance}/tables");
    let metadata = session.stat(&format!("{tables}/{METADATA}/conf")).await?;
    if metadata.is_none_or(|conf| conf.children == 0) {
        // The properties of tables are not in nodes of their own.
        return Ok(None);
    }
    let ids = match session.children(&tables).await {
        Err(error) if error.kind() == ErrorKind::Denied => Vec::new(),
        ids => ids?,
    };
    let found = stream::iter(ids).map(|id| {
        let path = format!("{tables}/{id}");
        async move {
            let is_it = is_named(session, instance, &path, table).await?;
            Ok::<_, Error>(is_it.then_some(path))
        }
    });
    let found = found.buffer_unordered(AT_ONCE).try_filter_map(async |path| Ok(path));
    let Some(path) = pin!(found).try_next().await? else {
        return Ok(None);
    };
    let found = data(session, &format!("{path}/conf/{}", Epochs::PROPERTY)).await?;
    Ok(found.map(|epoch| String::from_utf8_lossy(&epoch).into_owned()))
}

/// Checks whether a table has a name, which begins with that of its namespace unless that is the
/// default one, whose name is empty. A table that is being created or deleted has no name.
async fn is_named(session: &Session, instance: &str, path: &str, table: &str) -> Result<bool> {
    let Some(name) = text(session, &format!("{path}/name")).await? else { return Ok(false) };
    let Some(before) = table.strip_suffix(&*name) else { return Ok(false) };
    let namespace = text(session, &format!("{path}/namespace")).await?;
    let Some(id) = namespace.filter(|id| !id.is_empty()) else { return Ok(false) };
    let namespace = text(session, &format!("{instance}/namespaces/{id}/name")).await?;
    Ok(namespace.is_some_and(|namespace| match &*namespace {
        "" => before.is_empty(),
        namespace => before.strip_suffix('.') == Some(namespace),
    }))
}

async fn text(session: &Session, path: &str) -> Result<Option<String>> {
    let data = data(session, path).await?;
    Ok(data.map(|data| String::from_utf8_lossy(&data).into_owned()))
}

async fn data(session: &Session, path: &str) -> Result<Option<Vec<u8>>> {
    Ok(session.readable_node(path).await?.map(|node| node.data))
}
