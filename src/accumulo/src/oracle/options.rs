//! The options of an oracle.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use fluo_table::coordination::check_application_name;
use fluo_table::{Error, Result, check_option};

use crate::zookeeper::{Access, Sasl, SessionOptions};

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
    session: SessionOptions,
    pub(super) listen: IpAddr,
    host: Option<String>,
    pub(super) port: u16,
    pub(super) horizon_period: Duration,
}

impl OracleOptions {
    /// Creates options for an application. `zookeepers` has the servers of ZooKeeper and the path
    /// of all applications: `host:port,host:port/fluo`.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if a server or the path is missing, or if no
    /// application can have this name.
    pub fn new(zookeepers: impl AsRef<str>, application: impl Into<String>) -> Result<Self> {
        let application = application.into();
        check_application_name(&application)?;
        Ok(Self {
            application,
            session: SessionOptions::new(zookeepers.as_ref())?,
            listen: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            host: None,
            port: 0,
            horizon_period: Duration::from_secs(60),
        })
    }

    /// Sets the secret that protects the nodes of the application. Default: none, and the nodes are
    /// open to all.
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.session.access = Access::with_secret(secret.into());
        self
    }

    /// Encrypts the connections to ZooKeeper, as
    /// [`AccumuloOptions::zookeeper_tls`](crate::AccumuloOptions::zookeeper_tls) does. Default: not
    /// encrypted.
    #[cfg(feature = "tls")]
    pub fn zookeeper_tls(mut self, certificates: accumulo_proxy::TlsCertificates) -> Self {
        self.session.security.tls = Some(certificates);
        self
    }

    /// Sets the user of the connections to ZooKeeper, and the password, as
    /// [`AccumuloOptions::zookeeper_sasl`](crate::AccumuloOptions::zookeeper_sasl) does. Default:
    /// none.
    pub fn zookeeper_sasl(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.session.security.sasl = Some(Sasl { user: user.into(), password: password.into() });
        self
    }

    /// Sets the time after which ZooKeeper ends the session of a crashed process, at least 4 s. It
    /// is the time after which another oracle takes over from a crashed one. Default: 30 s.
    pub fn session_timeout(mut self, timeout: Duration) -> Self {
        self.session.timeout = timeout;
        self
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

    /// Checks the bounds of the options, and returns those of the session.
    pub(super) fn session(&self) -> Result<SessionOptions> {
        self.session.check(Duration::from_secs(4))?;
        let periods = Duration::from_millis(10)..=Duration::from_secs(3_600);
        check_option("horizon_period", self.horizon_period, periods)?;
        Ok(self.session.clone())
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
        let error = options().session_timeout(Duration::from_secs(1)).session().unwrap_err();
        assert!(error.to_string().contains("session_timeout"), "{error}");
        let error = options().horizon_period(Duration::ZERO).session().unwrap_err();
        assert!(error.to_string().contains("horizon_period"), "{error}");
        assert!(OracleOptions::new("localhost:2181", "web").is_err());
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
