//! The options of an oracle.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use fluo_table::coordination::check_application_name;
use fluo_table::{Error, Result, check_option};

use crate::zookeeper::{SessionOptions, ZooKeeperOptions};

/// The shortest session timeout of an oracle.
const SHORTEST: Duration = Duration::from_secs(4);

/// The options of an [`Oracle`](crate::Oracle) and of an [`OracleClient`](crate::OracleClient).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use fluo_accumulo::OracleOptions;
///
/// # fn main() -> fluo_table::Result<()> {
/// let options = OracleOptions::new("localhost:2181/fluo", "web")?
///     .host("oracle-1.example.org")
///     .port(9913)
///     .horizon_period(Duration::from_secs(30));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct OracleOptions {
    pub(super) application: String,
    zookeeper: ZooKeeperOptions,
    pub(super) listen: IpAddr,
    host: Option<String>,
    pub(super) port: u16,
    pub(super) horizon_period: Duration,
}

impl OracleOptions {
    /// Creates options for an application in a ZooKeeper: [`ZooKeeperOptions`], such as those of
    /// the application's instance, or their address `HOST:PORT/PATH`.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if no application can have this name. The start
    /// of an oracle or a client checks the other options.
    pub fn new(
        zookeeper: impl Into<ZooKeeperOptions>,
        application: impl Into<String>,
    ) -> Result<Self> {
        let (zookeeper, application) = (zookeeper.into(), application.into());
        check_application_name(&application)?;
        Ok(Self {
            application,
            zookeeper,
            listen: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            host: None,
            port: 0,
            horizon_period: Duration::from_secs(60),
        })
    }

    /// Sets the address at which an oracle listens. Default: `0.0.0.0`, all of IPv4.
    pub fn listen(self, address: IpAddr) -> Self {
        Self { listen: address, ..self }
    }

    /// Sets the name under which all clients reach this oracle. Default: the name of the machine.
    pub fn host(self, host: impl Into<String>) -> Self {
        Self { host: Some(host.into()), ..self }
    }

    /// Sets the port of an oracle. Default: 0, a free port.
    pub fn port(self, port: u16) -> Self {
        Self { port, ..self }
    }

    /// Sets the time after which the leader computes the horizon again. Default: 60 s, as in Fluo.
    pub fn horizon_period(self, period: Duration) -> Self {
        Self { horizon_period: period, ..self }
    }

    /// Sets the [session timeout](ZooKeeperOptions::session_timeout) with ZooKeeper.
    pub fn session_timeout(self, timeout: Duration) -> Self {
        Self { zookeeper: self.zookeeper.session_timeout(timeout), ..self }
    }

    /// Checks the bounds of the options, and returns those of the session.
    pub(super) fn session(&self) -> Result<SessionOptions> {
        let periods = Duration::from_millis(10)..=Duration::from_secs(3_600);
        check_option("horizon_period", self.horizon_period, periods)?;
        self.zookeeper.session(SHORTEST)
    }

    pub(super) fn own_host(&self) -> Result<String> {
        let host = match &self.host {
            Some(host) => host.clone(),
            None => rustix::system::uname().nodename().to_string_lossy().into_owned(),
        };
        let is_valid = |byte: u8| byte.is_ascii_graphic() && byte != b':' && byte != b'/';
        if host.is_empty() || !host.bytes().all(is_valid) {
            return Err(Error::invalid(format!(
                "`{}` cannot be the host of an oracle; use a name or an IPv4 address that clients can reach",
                host.escape_debug()
            )));
        }
        Ok(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> OracleOptions {
        OracleOptions::new("localhost:2181/fluo", "web").unwrap()
    }

    #[test]
    fn rejects_options_out_of_bounds() {
        assert!(options().session().is_ok());
        let zookeeper = ZooKeeperOptions::new("localhost:2181/fluo");
        let zookeeper = zookeeper.session_timeout(Duration::from_secs(1));
        let short = OracleOptions::new(zookeeper, "web").unwrap();
        let error = short.session().unwrap_err();
        assert!(error.to_string().contains("session_timeout"), "{error}");
        assert!(short.session_timeout(Duration::from_secs(30)).session().is_ok());
        let error = options().horizon_period(Duration::ZERO).session().unwrap_err();
        assert!(error.to_string().contains("horizon_period"), "{error}");
        assert!(OracleOptions::new("localhost:2181", "web").unwrap().session().is_err());
        assert!(OracleOptions::new("localhost/fluo", "a/b").is_err());
    }

    #[test]
    fn rejects_hosts_that_clients_cannot_parse() {
        assert!(options().own_host().is_ok());
        for host in ["", "::1", "a b", "a/b", "a:1"] {
            let error = options().host(host).own_host().unwrap_err();
            assert_eq!(error.kind(), fluo_table::ErrorKind::Invalid);
        }
    }
}
