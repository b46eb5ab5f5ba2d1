//! Operations on the whole instance: servers, what they do, and their configuration.

use std::collections::BTreeMap;

use crate::client::ProxyClient;
use crate::convert::all_from_wire;
use crate::data::{ActiveCompaction, ActiveScan};
use crate::error::Result;
use crate::wire::generated as wire;

/// Operations on the whole instance. A tablet server goes by `host:port`, as [`tablet_servers`](Self::tablet_servers)
/// gives it.
///
/// Besides the errors that a method names, each can fail with [`Security`](crate::ErrorKind::Security) where the
/// user lacks a permission, with [`Accumulo`](crate::ErrorKind::Accumulo), and with those of
/// [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct InstanceOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Operations on the whole instance.
    pub fn instance_operations(&self) -> InstanceOperations<'_> {
        InstanceOperations { client: self }
    }
}

impl InstanceOperations<'_> {
    /// The tablet servers (`getTabletServers`).
    ///
    /// # Errors
    /// Those of [every call](crate#errors).
    pub async fn tablet_servers(&self) -> Result<Vec<String>> {
        self.client
            .ask(None, wire::GetTabletServersRequest::new)
            .await
    }

    /// Asks a tablet server whether it answers (`pingTabletServer`): an error says why not.
    ///
    /// # Errors
    /// [`Accumulo`](crate::ErrorKind::Accumulo) where it does not.
    pub async fn ping_tablet_server(&self, server: &str) -> Result<()> {
        let request = |token| wire::PingTabletServerRequest::new(token, server.to_owned());
        self.client.ask(Some(server), request).await
    }

    /// The scans on a tablet server (`getActiveScans`). A scan that was closed before its end stays there until it has
    /// been idle for a minute (`tserver.session.idle.max`).
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound) as long as one of them is of a table that was deleted: the
    /// proxy fails at it. [`Accumulo`](crate::ErrorKind::Accumulo) where the server does not answer.
    pub async fn active_scans(&self, server: &str) -> Result<Vec<ActiveScan>> {
        type Request = wire::GetActiveScansRequest;
        let scans = self
            .client
            .ask(Some(server), |token| Request::new(token, server.to_owned()));
        let scans = all_from_wire(scans.await?);
        self.client.meaning::<Request, _>(Some(server), scans)
    }

    /// The compactions on a tablet server (`getActiveCompactions`).
    ///
    /// # Errors
    /// [`Accumulo`](crate::ErrorKind::Accumulo) where it does not answer.
    pub async fn active_compactions(&self, server: &str) -> Result<Vec<ActiveCompaction>> {
        type Request = wire::GetActiveCompactionsRequest;
        let running = self
            .client
            .ask(Some(server), |token| Request::new(token, server.to_owned()));
        let running = all_from_wire(running.await?);
        self.client.meaning::<Request, _>(Some(server), running)
    }

    /// The configuration of the servers' files (`getSiteConfiguration`), secrets and defaults included as the server
    /// gives them.
    ///
    /// # Errors
    /// [`Security`](crate::ErrorKind::Security) without the permission.
    pub async fn site_configuration(&self) -> Result<BTreeMap<String, String>> {
        self.client
            .ask(None, wire::GetSiteConfigurationRequest::new)
            .await
    }

    /// The configuration of the system (`getSystemConfiguration`): what is set in ZooKeeper, over the servers' files,
    /// over Accumulo's defaults.
    ///
    /// # Errors
    /// [`Security`](crate::ErrorKind::Security) without the permission.
    pub async fn system_configuration(&self) -> Result<BTreeMap<String, String>> {
        self.client
            .ask(None, wire::GetSystemConfigurationRequest::new)
            .await
    }

    /// Sets a property of the system, in ZooKeeper (`setProperty`). The servers see it within about a second, those
    /// that can be changed while they run.
    ///
    /// # Errors
    /// [`Accumulo`](crate::ErrorKind::Accumulo) for a name or value that is refused.
    pub async fn set_property(&self, property: &str, value: &str) -> Result<()> {
        let request =
            |token| wire::SetPropertyRequest::new(token, property.to_owned(), value.to_owned());
        self.client.ask(Some(property), request).await
    }

    /// Removes a property of the system from ZooKeeper (`removeProperty`), so that the one of the files holds.
    ///
    /// # Errors
    /// [`Accumulo`](crate::ErrorKind::Accumulo) for a name that is refused.
    pub async fn remove_property(&self, property: &str) -> Result<()> {
        let request = |token| wire::RemovePropertyRequest::new(token, property.to_owned());
        self.client.ask(Some(property), request).await
    }

    /// Whether the servers can load *and instantiate* a class as `as_type` (`testClassLoad`). What false means,
    /// [that of a table](crate::TableOperations::test_class_load) says.
    ///
    /// # Errors
    /// Those of [every call](crate#errors).
    pub async fn test_class_load(&self, class: &str, as_type: &str) -> Result<bool> {
        let request =
            |token| wire::TestClassLoadRequest::new(token, class.to_owned(), as_type.to_owned());
        self.client.ask(Some(class), request).await
    }
}
