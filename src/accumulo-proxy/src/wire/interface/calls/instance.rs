//! Calls about the servers: their activity and their configuration.

#[rustfmt::skip]
macro_rules! instance_calls { ($then:ident) => { $then! {
    INSTANCE, "The instance", InstanceOperations<'_>;

    /// Checks whether a tablet server answers. If it does not, the error contains the reason.
    fn ping_tablet_server(server: &str) -> (), about server;
    "pingTabletServer" (PingTabletServerRequest, PingTabletServerReply), Read, Call,
        { 1: token: Bytes, 2: tserver: String } -> nothing, [1: Accumulo, 2: Security];

    /// Returns the scans on a tablet server. A scan that was closed before its end stays there
    /// until it has been idle for a minute (`tserver.session.idle.max`). While one of the scans
    /// belongs to a deleted table, the proxy fails with
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    fn active_scans(server: &str) -> Vec<ActiveScan>, about server;
    "getActiveScans" (GetActiveScansRequest, GetActiveScansReply), Read, Call,
        { 1: token: Bytes, 2: tserver: String }
        -> value(Vec<ActiveScan>), [1: Accumulo, 2: Security];

    /// Returns the compactions on a tablet server.
    fn active_compactions(server: &str) -> Vec<ActiveCompaction>, about server;
    "getActiveCompactions" (GetActiveCompactionsRequest, GetActiveCompactionsReply), Read, Call,
        { 1: token: Bytes, 2: tserver: String }
        -> value(Vec<ActiveCompaction>), [1: Accumulo, 2: Security];

    /// Returns the configuration in the files of the servers, including the secrets and defaults
    /// that the server reports.
    fn site_configuration() -> BTreeMap<String, String>;
    "getSiteConfiguration" (GetSiteConfigurationRequest, GetSiteConfigurationReply), Read, Call,
        { 1: token: Bytes } -> value(BTreeMap<String, String>), [1: Accumulo, 2: Security];

    /// Returns the configuration of the system. Properties in ZooKeeper override the files of the
    /// servers, which override Accumulo's defaults.
    fn system_configuration() -> BTreeMap<String, String>;
    "getSystemConfiguration" (GetSystemConfigurationRequest, GetSystemConfigurationReply),
        Read, Call,
        { 1: token: Bytes } -> value(BTreeMap<String, String>), [1: Accumulo, 2: Security];

    /// Returns the tablet servers.
    fn tablet_servers() -> Vec<String>;
    "getTabletServers" (GetTabletServersRequest, GetTabletServersReply), Read, Call,
        { 1: token: Bytes } -> value(Vec<String>), [];

    /// Removes a property of the system from ZooKeeper, so that the value in the files applies.
    /// Accumulo rejects an unknown name.
    fn remove_property(property: &str) -> (), about property;
    "removeProperty" (RemovePropertyRequest, RemovePropertyReply), Repeat, Call,
        { 1: token: Bytes, 2: property: String } -> nothing, [1: Accumulo, 2: Security];

    /// Sets a property of the system in ZooKeeper. If the property can be changed at run time, the
    /// servers apply it within about a second. Accumulo rejects an unknown name and an invalid
    /// value.
    fn set_property(property: &str, value: &str) -> (), about property;
    "setProperty" (SetPropertyRequest, SetPropertyReply), Repeat, Call,
        { 1: token: Bytes, 2: property: String, 3: value: String }
        -> nothing, [1: Accumulo, 2: Security];

    /// Checks whether the servers can load *and instantiate* a class as `as_type`. See [the method
    /// for tables](crate::TableOperations::test_class_load) for the meaning of `false`.
    fn test_class_load(class: &str, as_type: &str) -> bool, about class;
    "testClassLoad" (TestClassLoadRequest, TestClassLoadReply), Read, Call,
        { 1: token: Bytes, 2: class_name: String, 3: as_type_name: String }
        -> value(bool), [1: Accumulo, 2: Security];
} } }

pub(crate) use instance_calls;
