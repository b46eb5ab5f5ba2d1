//! Calls about the servers: their activity and their configuration.

#[rustfmt::skip]
macro_rules! instance_calls { ($then:ident) => { $then! {
    InstanceOperations<'_>;

    /// Checks whether a tablet server answers. If it does not, the error contains the reason.
    fn ping_tablet_server(server: &str) -> (), about server;
    "pingTabletServer" PingTabletServer(token: Bytes, tserver: String) -> (),
        [Accumulo, Security], Read, Call;

    /// Returns the scans on a tablet server. A scan that was closed before its end stays there
    /// until it has been idle for a minute (`tserver.session.idle.max`). While one of the scans
    /// belongs to a deleted table, the proxy fails with
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    fn active_scans(server: &str) -> Vec<ActiveScan>, about server;
    "getActiveScans" GetActiveScans(token: Bytes, tserver: String) -> Vec<ActiveScan>,
        [Accumulo, Security], Read, Call;

    /// Returns the compactions on a tablet server.
    fn active_compactions(server: &str) -> Vec<ActiveCompaction>, about server;
    "getActiveCompactions" GetActiveCompactions(token: Bytes, tserver: String)
        -> Vec<ActiveCompaction>, [Accumulo, Security], Read, Call;

    /// Returns the configuration in the files of the servers, including the secrets and defaults
    /// that the server reports.
    fn site_configuration() -> BTreeMap<String, String>;
    "getSiteConfiguration" GetSiteConfiguration(token: Bytes) -> BTreeMap<String, String>,
        [Accumulo, Security], Read, Call;

    /// Returns the configuration of the system. Properties in ZooKeeper override the files of the
    /// servers, which override Accumulo's defaults.
    fn system_configuration() -> BTreeMap<String, String>;
    "getSystemConfiguration" GetSystemConfiguration(token: Bytes) -> BTreeMap<String, String>,
        [Accumulo, Security], Read, Call;

    /// Returns the tablet servers.
    fn tablet_servers() -> Vec<String>;
    "getTabletServers" GetTabletServers(token: Bytes) -> Vec<String>, [], Read, Call;

    /// Removes a property of the system from ZooKeeper, so that the value in the files applies.
    /// Accumulo rejects an unknown name.
    fn remove_property(property: &str) -> (), about property;
    "removeProperty" RemoveProperty(token: Bytes, property: String) -> (),
        [Accumulo, Security], Repeat, Call;

    /// Sets a property of the system in ZooKeeper. If the property can be changed at run time, the
    /// servers apply it within about a second. Accumulo rejects an unknown name and an invalid
    /// value.
    fn set_property(property: &str, value: &str) -> (), about property;
    "setProperty" SetProperty(token: Bytes, property: String, value: String) -> (),
        [Accumulo, Security], Repeat, Call;

    /// Checks whether the servers can load *and instantiate* a class as `as_type`. See [the method
    /// for tables](crate::TableOperations::test_class_load) for the meaning of `false`.
    fn test_class_load(class: &str, as_type: &str) -> bool, about class;
    "testClassLoad" TestClassLoad(token: Bytes, class_name: String, as_type_name: String) -> bool,
        [Accumulo, Security], Read, Call;
} } }

pub(crate) use instance_calls;
