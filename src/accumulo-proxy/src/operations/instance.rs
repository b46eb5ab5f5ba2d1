//! Operations on the whole instance: servers, their activity and their configuration.

use std::collections::BTreeMap;

use crate::client::ProxyClient;
use crate::convert::all_from_wire;
use crate::data::{ActiveCompaction, ActiveScan};
use crate::error::Result;
use crate::wire::interface as wire;

/// Operations on the whole instance. A tablet server is identified by `host:port`, as returned by
/// [`tablet_servers`](Self::tablet_servers).
///
/// In addition to its documented errors, each method can fail with
/// [`Security`](crate::ErrorKind::Security) if the user lacks a permission, with
/// [`Accumulo`](crate::ErrorKind::Accumulo), and with the errors of [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct InstanceOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Returns the operations on the whole instance.
    pub fn instance_operations(&self) -> InstanceOperations<'_> {
        InstanceOperations { client: self }
    }
}

impl InstanceOperations<'_> {
    /// Returns the tablet servers (`getTabletServers`).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn tablet_servers(&self) -> Result<Vec<String>> {
        self.client
            .ask(None, wire::GetTabletServersRequest::new)
            .await
    }

    /// Checks whether a tablet server answers (`pingTabletServer`). If it does not, the error
    /// contains the reason.
    ///
    /// # Errors
    ///
    /// [`Accumulo`](crate::ErrorKind::Accumulo) if it does not.
    pub async fn ping_tablet_server(&self, server: &str) -> Result<()> {
        let request = |token| wire::PingTabletServerRequest::new(token, server.to_owned());
        self.client.ask(Some(server), request).await
    }

    /// Returns the scans on a tablet server (`getActiveScans`). A scan that was closed before its
    /// end stays there until it has been idle for a minute (`tserver.session.idle.max`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound) while one of the scans belongs to a
    /// deleted table, at which the proxy fails. [`Accumulo`](crate::ErrorKind::Accumulo) if the
    /// server does not answer.
    pub async fn active_scans(&self, server: &str) -> Result<Vec<ActiveScan>> {
        type Request = wire::GetActiveScansRequest;
        let scans = self
            .client
            .ask(Some(server), |token| Request::new(token, server.to_owned()));
        let scans = all_from_wire(scans.await?);
        self.client.meaning::<Request, _>(Some(server), scans)
    }

    /// Returns the compactions on a tablet server (`getActiveCompactions`).
    ///
    /// # Errors
    ///
    /// [`Accumulo`](crate::ErrorKind::Accumulo) if it does not answer.
    pub async fn active_compactions(&self, server: &str) -> Result<Vec<ActiveCompaction>> {
        type Request = wire::GetActiveCompactionsRequest;
        let running = self
            .client
            .ask(Some(server), |token| Request::new(token, server.to_owned()));
        let running = all_from_wire(running.await?);
        self.client.meaning::<Request, _>(Some(server), running)
    }

    /// Returns the configuration in the files of the servers (`getSiteConfiguration`), including
    /// the secrets and defaults that the server reports.
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) without the permission.
    pub async fn site_configuration(&self) -> Result<BTreeMap<String, String>> {
        self.client
            .ask(None, wire::GetSiteConfigurationRequest::new)
            .await
    }

    /// Returns the configuration of the system (`getSystemConfiguration`). Properties in ZooKeeper
    /// override the files of the servers, which override Accumulo's defaults.
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) without the permission.
    pub async fn system_configuration(&self) -> Result<BTreeMap<String, String>> {
        self.client
            .ask(None, wire::GetSystemConfigurationRequest::new)
            .await
    }

    /// Sets a property of the system in ZooKeeper (`setProperty`). If the property can be changed
    /// at run time, the servers apply it within about a second.
    ///
    /// # Errors
    ///
    /// [`Accumulo`](crate::ErrorKind::Accumulo) for a name or value that is rejected.
    pub async fn set_property(&self, property: &str, value: &str) -> Result<()> {
        let request =
            |token| wire::SetPropertyRequest::new(token, property.to_owned(), value.to_owned());
        self.client.ask(Some(property), request).await
    }

    /// Removes a property of the system from ZooKeeper (`removeProperty`), so that the value in the
    /// files applies.
    ///
    /// # Errors
    ///
    /// [`Accumulo`](crate::ErrorKind::Accumulo) for a name that is rejected.
    pub async fn remove_property(&self, property: &str) -> Result<()> {
        let request = |token| wire::RemovePropertyRequest::new(token, property.to_owned());
        self.client.ask(Some(property), request).await
    }

    /// Checks whether the servers can load *and instantiate* a class as `as_type`
    /// (`testClassLoad`). See [the method for tables](crate::TableOperations::test_class_load) for
    /// the meaning of `false`.
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn test_class_load(&self, class: &str, as_type: &str) -> Result<bool> {
        let request =
            |token| wire::TestClassLoadRequest::new(token, class.to_owned(), as_type.to_owned());
        self.client.ask(Some(class), request).await
    }
}
