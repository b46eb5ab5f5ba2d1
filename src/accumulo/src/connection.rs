//! The connection to an Accumulo instance, its tables and its applications.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::{ConditionalWriterOptions, ProxyOptions};
use fluo_table::{Instance, Result};

use crate::coordination::{AccumuloCluster, ZooKeeperApplications};
use crate::oracle::OracleOptions;
use crate::tables::{AccumuloTables, IteratorBuild};
use crate::zookeeper::{Keeper, SessionOptions, ZooKeeperOptions};

/// The options of [`connect`], which checks them. `Debug` output contains no secret.
///
/// # Examples
///
/// ```
/// use fluo_accumulo::{AccumuloOptions, Credentials, ProxyOptions};
///
/// let proxy = ProxyOptions::new("localhost:42424", Credentials::password("root", "secret"));
/// let options = AccumuloOptions::new(proxy.clone(), "localhost:2181/fluo");
/// assert!(options.check().is_ok());
/// let without_path = AccumuloOptions::new(proxy, "localhost:2181");
/// assert!(without_path.check().is_err());
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct AccumuloOptions {
    proxy: ProxyOptions,
    iterator_build: IteratorBuild,
    conditional_calls: NonZeroUsize,
    instance_name: Option<String>,
    zookeeper: ZooKeeperOptions,
}

impl AccumuloOptions {
    /// Creates options for the tables of a proxy, and for the applications in the instance's
    /// ZooKeeper: [`ZooKeeperOptions`], or their address `HOST:PORT/PATH`. All other options have
    /// the defaults that their methods document.
    pub fn new(proxy: ProxyOptions, zookeeper: impl Into<ZooKeeperOptions>) -> Self {
        Self {
            proxy,
            iterator_build: IteratorBuild::default(),
            conditional_calls: ConditionalWriterOptions::default().calls_in_flight,
            instance_name: None,
            zookeeper: zookeeper.into(),
        }
    }

    /// Sets the name of the Accumulo instance. Default: that of the only instance in the ZooKeeper.
    pub fn instance_name(self, name: impl Into<String>) -> Self {
        Self { instance_name: Some(name.into()), ..self }
    }

    /// Sets the build of Fluo's iterators that the tablet servers have: see
    /// [`AccumuloTables::iterator_build`](crate::AccumuloTables::iterator_build).
    pub fn iterator_build(self, build: IteratorBuild) -> Self {
        Self { iterator_build: build, ..self }
    }

    /// Sets the number of concurrent calls with writes, for each handle of a table: a call does not
    /// hold back the next one if it takes longer than 10 ms, or if 48 rows wait. While a call takes
    /// longer than half a second, two more are allowed. Default: 2.
    pub fn conditional_calls(self, calls: NonZeroUsize) -> Self {
        Self { conditional_calls: calls, ..self }
    }

    /// Sets the [session timeout](ZooKeeperOptions::session_timeout) with ZooKeeper.
    pub fn session_timeout(self, timeout: Duration) -> Self {
        Self { zookeeper: self.zookeeper.session_timeout(timeout), ..self }
    }

    /// Returns the options of an oracle of an application in the same ZooKeeper.
    ///
    /// # Errors
    ///
    /// Those of [`OracleOptions::new`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use fluo_accumulo::{AccumuloOptions, Credentials, Oracle, ProxyOptions};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_table::Result<()> {
    /// let proxy = ProxyOptions::new("localhost:42424", Credentials::password("root", "secret"));
    /// let options = AccumuloOptions::new(proxy, "localhost:2181/fluo");
    /// let oracle = Oracle::start(options.oracle("web")?).await?;
    /// let fluo = fluo_accumulo::connect(options).await?;
    /// # drop(fluo);
    /// # oracle.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn oracle(&self, application: impl Into<String>) -> Result<OracleOptions> {
        OracleOptions::new(self.zookeeper.clone(), application)
    }

    /// Checks all options that can be checked without a connection.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid); the message names the option.
    pub fn check(&self) -> Result<()> {
        self.session().map(|_| ())
    }

    fn session(&self) -> Result<SessionOptions> {
        self.zookeeper.session(Duration::from_secs(1))
    }
}

/// Connects to the tables of an Accumulo instance, through its proxy, and to the applications in
/// its ZooKeeper.
///
/// Transactors, workers and set-up locks of the returned instance exist as long as one session with
/// ZooKeeper. If this process does not reach ZooKeeper for the
/// [session timeout](ZooKeeperOptions::session_timeout), they end, and the next call begins another
/// session.
///
/// Tasks of the instance run on the runtime of the caller that needs them first. The instance works
/// as long as that runtime does.
///
/// # Errors
///
/// [`Invalid`](fluo_table::ErrorKind::Invalid) for invalid options, and if the options name no
/// Accumulo instance and ZooKeeper has several; [`NotFound`](fluo_table::ErrorKind::NotFound) if
/// ZooKeeper has no such instance; [`Unavailable`](fluo_table::ErrorKind::Unavailable) if no proxy
/// or no ZooKeeper answers; [`Denied`](fluo_table::ErrorKind::Denied) for wrong credentials.
///
/// # Examples
///
/// ```no_run
/// use fluo_accumulo::{AccumuloOptions, Credentials, ProxyOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_table::Result<()> {
/// let proxy = ProxyOptions::new("localhost:42424", Credentials::password("root", "secret"));
/// let fluo = fluo_accumulo::connect(AccumuloOptions::new(proxy, "localhost:2181/fluo")).await?;
/// println!("{:?}", fluo.applications().list().await?);
/// # Ok(())
/// # }
/// ```
pub async fn connect(options: AccumuloOptions) -> Result<Instance> {
    let keeper = Keeper::connect(options.session()?).await?;
    let name = options.instance_name.as_deref();
    let cluster = AccumuloCluster::find(&*keeper.session().await?, name).await?;
    let tables = AccumuloTables::connect(options.proxy).await?;
    let mut tables = tables.iterator_build(options.iterator_build);
    tables.writer_options = tables.writer_options.calls_in_flight(options.conditional_calls);
    let tables = Arc::new(tables);
    let applications = ZooKeeperApplications::new(keeper, cluster, tables.clone());
    Ok(Instance::new(tables, Arc::new(applications)))
}

#[cfg(test)]
mod tests {
    use accumulo_proxy::Credentials;

    use super::*;

    fn options(change: impl FnOnce(ZooKeeperOptions) -> ZooKeeperOptions) -> AccumuloOptions {
        let credentials = Credentials::password("root", "pa55word");
        let proxy = ProxyOptions::new("localhost:42424", credentials);
        AccumuloOptions::new(proxy, change(ZooKeeperOptions::new("localhost:2181/fluo")))
    }

    #[test]
    fn debug_output_contains_no_secret() {
        let options = options(|it| it.secret("s3cr3t").sasl("alice", "pa55word"));
        for text in [format!("{options:?}"), format!("{:?}", options.session().unwrap())] {
            assert!(!text.contains("s3cr3t") && !text.contains("pa55word"), "{text}");
        }
    }

    #[test]
    fn rejects_users_of_sasl_that_need_quotes() {
        for user in ["", "a\"b", "a\\b", "a\nb"] {
            let error = options(|it| it.sasl(user, "pa55word")).check().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "`{}` cannot be a user of SASL; write a name without quotes, backslashes and control characters",
                    user.escape_debug()
                )
            );
        }
    }

    #[test]
    fn rejects_a_session_timeout_out_of_bounds() {
        assert!(options(|it| it).check().is_ok());
        let error = options(|it| it.session_timeout(Duration::ZERO)).check().unwrap_err();
        assert_eq!(
            error.to_string(),
            "option `session_timeout` is 0ns; it must be at least 1s and at most 3600s"
        );
    }
}
