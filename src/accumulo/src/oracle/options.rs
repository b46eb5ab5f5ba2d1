//! The options of an oracle.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use fluo_table::coordination::check_application_name;
use fluo_table::{Error, Result, check_option};

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
#[derive(Clone)]
pub struct OracleOptions {
    pub(crate) zookeepers: String,
    pub(crate) application: String,
    pub(crate) secret: Option<String>,
    pub(crate) session_timeout: Duration,
    pub(crate) listen: IpAddr,
    pub(crate) host: Option<String>,
    pub(crate) port: u16,
    pub(crate) horizon_period: Duration,
}

impl OracleOptions {
    /// Creates options for an application. `zookeepers` has the servers of ZooKeeper and the path
    /// of all applications: `host:port,host:port/fluo`.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if there is no server, or if no application can
    /// have this name.
    pub fn new(zookeepers: impl Into<String>, application: impl Into<String>) -> Result<Self> {
        let (zookeepers, application) = (zookeepers.into(), application.into());
        check_application_name(&application)?;
        let servers = zookeepers.split('/').next().unwrap_or_default();
        if servers.trim().is_empty() {
            return Err(Error::invalid(
                "the address of ZooKeeper is missing; write it as host:port,host:port/path",
            ));
        }
        Ok(Self {
            zookeepers,
            application,
            secret: None,
            session_timeout: Duration::from_secs(30),
            listen: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            host: None,
            port: 0,
            horizon_period: Duration::from_secs(60),
        })
    }

    /// Sets the secret that protects the nodes of the application. Default: none, and the nodes are
    /// open to all.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.secret = Some(secret.into());
        self
    }

    /// Sets the time after which ZooKeeper ends the session of a crashed process, at least 4 s. It
    /// is the time after which another oracle takes over from a crashed one. Default: 30 s.
    #[must_use]
    pub fn session_timeout(mut self, timeout: Duration) -> Self {
        self.session_timeout = timeout;
        self
    }

    /// Sets the address at which an oracle listens. Default: `0.0.0.0`, all of IPv4.
    #[must_use]
    pub fn listen(mut self, address: IpAddr) -> Self {
        self.listen = address;
        self
    }

    /// Sets the name under which all clients reach this oracle. Default: the name of the machine.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.host = Some(host.into());
        self
    }

    /// Sets the port of an oracle. Default: 0, a free port.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Sets the time after which the leader computes the horizon again. Default: 60 s, as in Fluo.
    #[must_use]
    pub fn horizon_period(mut self, period: Duration) -> Self {
        self.horizon_period = period;
        self
    }

    /// Checks the bounds of the options.
    pub(crate) fn check(&self) -> Result<()> {
        let longest = Duration::from_secs(3_600);
        let timeouts = Duration::from_secs(4)..=longest;
        check_option("session_timeout", self.session_timeout, timeouts)?;
        let periods = Duration::from_millis(10)..=longest;
        check_option("horizon_period", self.horizon_period, periods)
    }

    /// Returns the name under which clients reach this oracle.
    pub(crate) fn own_host(&self) -> Result<String> {
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

impl fmt::Debug for OracleOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OracleOptions")
            .field("zookeepers", &self.zookeepers)
            .field("application", &self.application)
            .field("secret", &self.secret.as_ref().map(|_| "redacted"))
            .field("session_timeout", &self.session_timeout)
            .field("listen", &self.listen)
            .field("host", &self.host)
            .field("port", &self.port)
            .field("horizon_period", &self.horizon_period)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_options_out_of_bounds() {
        let options = || OracleOptions::new("localhost", "web").unwrap();
        assert!(options().check().is_ok());
        let second = Duration::from_secs(1);
        let error = options().session_timeout(second).check().unwrap_err();
        assert!(error.to_string().contains("session_timeout"), "{error}");
        let error = options().horizon_period(Duration::ZERO).check().unwrap_err();
        assert!(error.to_string().contains("horizon_period"), "{error}");
    }

    #[test]
    fn does_not_show_the_secret() {
        let options = OracleOptions::new("localhost:2181/fluo", "web").unwrap();
        let shown = format!("{:?}", options.secret("s3cr3t"));
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }

    #[test]
    fn rejects_hosts_that_clients_cannot_parse() {
        let options = OracleOptions::new("localhost:2181/fluo", "web").unwrap();
        assert!(options.own_host().is_ok());
        for host in ["", "::1", "a b", "a/b", "a:1"] {
            let error = options.clone().host(host).own_host().unwrap_err();
            assert_eq!(error.kind(), fluo_table::ErrorKind::Invalid);
        }
        assert!(OracleOptions::new("", "web").is_err());
        assert!(OracleOptions::new("/fluo", "web").is_err());
        assert!(OracleOptions::new("localhost", "a/b").is_err());
    }
}
