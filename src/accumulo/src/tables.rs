//! The handle of an Accumulo instance.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::{
    ConditionalWriterOptions, Error as ProxyError, ProxyClient, ProxyOptions, Result as ProxyResult,
};
use fluo_table::{Error, Result, check_table_name};
use futures::future::join_all;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::error::{kind_of, port_error};
use crate::gathered::Gathered;

/// The build of Fluo's iterators that is on the class path of the tablet servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IteratorBuild {
    /// For Accumulo 1.x: the published jars `fluo-accumulo` and `fluo-api` 1.2.0.
    #[default]
    ForAccumulo1,
    /// For Accumulo 2.x: `fluo-accumulo` and `fluo-api` 2.1.0-SNAPSHOT, built by hand from the main
    /// branch of `apache/fluo`. They are not published.
    ForAccumulo2,
}

/// The id of each table by its name.
pub(crate) type Ids = BTreeMap<String, String>;

/// The tables of an Accumulo instance, reached through one proxy or several. Clones share their
/// connections.
#[derive(Clone, Debug)]
pub struct AccumuloTables {
    pub(crate) client: ProxyClient,
    /// The ids of all tables. Concurrent readers share one or two calls.
    pub(crate) ids: Arc<Gathered<Arc<Ids>>>,
    pub(crate) iterator_build: IteratorBuild,
    /// The result of the check of the build, which runs once.
    pub(crate) readiness: Arc<OnceCell<Result<()>>>,
    pub(crate) writer_options: ConditionalWriterOptions,
}

impl AccumuloTables {
    /// Connects to the proxy, or to one of several, and logs in. Of several proxies, those that
    /// answer must be of one instance.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if no proxy answers,
    /// [`Denied`](fluo_table::ErrorKind::Denied) for a wrong user, password or shared secret,
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for proxies of different instances.
    pub async fn connect(options: ProxyOptions) -> Result<Self> {
        let client = ProxyClient::connect(options).await.map_err(port_error)?;
        check_one_instance(&client).await?;
        Ok(Self::new(client))
    }

    /// Creates a handle from a connected client.
    pub fn new(client: ProxyClient) -> Self {
        Self {
            client,
            ids: Arc::default(),
            iterator_build: IteratorBuild::default(),
            readiness: Arc::default(),
            writer_options: ConditionalWriterOptions::default(),
        }
    }

    /// Sets the build of Fluo's iterators that the tablet servers have. On Accumulo 2.x
    /// transactions are refused without [`IteratorBuild::ForAccumulo2`]: no call can prove which
    /// jars the servers have, and the jars for 1.x halt tablet servers of 2.x.
    #[must_use]
    pub fn iterator_build(self, build: IteratorBuild) -> Self {
        Self { iterator_build: build, readiness: Arc::default(), ..self }
    }

    /// Returns the client of the proxy, for operations that the ports do not have.
    pub fn client(&self) -> &ProxyClient {
        &self.client
    }

    /// Returns the id of a table. For an invalid name it does not ask Accumulo, which would return
    /// an error of its own.
    pub(crate) async fn id_of(&self, name: &str) -> Result<String> {
        if check_table_name(name).is_err() {
            return Err(Error::no_such_table(name));
        }
        self.ids().await?.get(name).cloned().ok_or_else(|| Error::no_such_table(name))
    }

    /// Checks that a table exists, for calls that would not check it themselves.
    pub(crate) async fn require(&self, name: &str) -> Result<()> {
        self.id_of(name).await.map(|_| ())
    }

    /// Makes a call that needs a permission on a table.
    pub(crate) async fn permitted<T>(
        &self,
        permission: &str,
        table: &str,
        call: impl Future<Output = ProxyResult<T>>,
    ) -> Result<T> {
        call.await.map_err(|error| self.lacking(permission, table, error))
    }

    /// Converts the error of a call that needs a permission on a table. If the user lacks the
    /// permission, the message names it, because that of Accumulo does not.
    pub(crate) fn lacking(&self, permission: &str, table: &str, error: ProxyError) -> Error {
        self.ids.forget();
        self.denied(&format!("the permission {permission} on table `{table}`"), error)
    }

    /// Converts the error of a call that needs a permission, and names it if the user lacks it.
    pub(crate) fn denied(&self, permission: &str, error: ProxyError) -> Error {
        if !error.is_denial() {
            return port_error(error);
        }
        let user = self.client.options().credentials.user();
        let is_certain = !error.may_have_taken_effect();
        let kind = kind_of(error.kind(), !is_certain);
        let message = lack(permission, user, &error.to_string(), is_certain);
        Error::with_source(kind, message, error)
    }
}

/// The time for a proxy to say its tablet servers. One that takes longer is not compared.
const PATIENCE: Duration = Duration::from_secs(2);

/// Refuses proxies of different instances: each would get a part of the calls, and the data would
/// be divided. A tablet server belongs to one instance.
async fn check_one_instance(client: &ProxyClient) -> Result<()> {
    let proxies: Vec<_> = client.each_proxy().collect();
    if proxies.len() < 2 {
        return Ok(());
    }
    let asked = proxies.iter().map(async |(proxy, address)| {
        let servers = timeout(PATIENCE, proxy.instance_operations().tablet_servers()).await;
        let servers: BTreeSet<_> = servers.ok()?.ok()?.into_iter().collect();
        (!servers.is_empty()).then_some((*address, servers))
    });
    let found: Vec<_> = join_all(asked).await.into_iter().flatten().collect();
    let Some(((first, servers), others)) = found.split_first() else {
        return Ok(());
    };
    match others.iter().find(|(_, found)| found.is_disjoint(servers)) {
        None => Ok(()),
        Some((other, _)) => Err(Error::invalid(format!(
            "the proxies {first} and {other} are of different instances: they share no tablet server; list those of one"
        ))),
    }
}

fn lack(permission: &str, user: Option<&str>, said: &str, is_certain: bool) -> String {
    let user = match user {
        Some(user) => format!("user `{}`", user.escape_debug()),
        // A proxy of Accumulo 2.x does not reveal its user.
        None => "the user of the proxy".to_owned(),
    };
    let doubt = if is_certain {
        ""
    } else {
        "; each server checks permissions itself, so other servers may have written some of the rows"
    };
    format!("{user} lacks {permission} ({said}){doubt}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_missing_permission() {
        let said = "updateAndFlush of `t` at h:1: PERMISSION_DENIED";
        assert_eq!(
            lack("the permission WRITE on table `t`", Some("guest"), said, true),
            "user `guest` lacks the permission WRITE on table `t` (updateAndFlush of `t` at h:1: PERMISSION_DENIED)"
        );
        assert_eq!(
            lack("the permission WRITE on table `t`", None, said, false),
            "the user of the proxy lacks the permission WRITE on table `t` (updateAndFlush of `t` at h:1: \
             PERMISSION_DENIED); each server checks permissions itself, so other servers may have written some of the rows"
        );
    }
}
