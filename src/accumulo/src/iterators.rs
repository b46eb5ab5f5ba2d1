//! The check that Fluo's iterators are built for the servers.
//!
//! The published jars (`fluo-accumulo` 1.2.0) use classes of Accumulo 1.x that are in another
//! package in 2.x. On 2.x each of their iterators loads, and works until it skips more than ten
//! entries of one column. Then it needs the missing class, and the error halts the tablet server.
//! So a successful class test proves nothing, and the check looks at more:
//!
//! | servers | setting | class `org.apache.fluo.accumulo.summarizer.FluoSummarizer` | transactions |
//! |---|---|---|---|
//! | 1.x | [`ForAccumulo1`](IteratorBuild::ForAccumulo1) | either | run |
//! | 1.x | [`ForAccumulo2`](IteratorBuild::ForAccumulo2) | either | refused: 1.x lacks classes |
//! | 2.x | `ForAccumulo1` | either | refused |
//! | 2.x | `ForAccumulo2` | loads, or the iterators are only in the class path of a table | run |
//! | 2.x | `ForAccumulo2` | does not load, but the iterators do | refused: jars of 1.2 |
//!
//! With jars of its own a table needs both classes on 2.x, and the iterators on 1.x.
//!
//! The jars of Fluo's main branch have that class, and the published ones do not. The class is
//! older than the build for 2.x: its absence proves a wrong jar, but its presence does not prove
//! the right one.
//!
//! No call of the proxy returns the version, so independent observations determine whether the
//! servers are of Accumulo 1.x or 2.x:
//!
//! | observation | 1.x | 2.x |
//! |---|---|---|
//! | credentials that the proxy accepts | a login | a shared secret |
//! | names in the configuration of the system | `master.*` alone | `manager.*` (2.1) |
//! | `core.iterators.system.SynchronizedIterator` (moved in 2.0) | loads | does not load |
//! | `core.spi.balancer.TableLoadBalancer` | does not load | loads (2.1) |
//!
//! One observation of 2.x is enough: iterators of the wrong build halt tablet servers of 2.x, so in
//! doubt transactions are refused. The first row of the table always gives an observation, so the
//! generation is never unknown. If the user may not read the configuration, there is one
//! observation less.

use accumulo_proxy::{ErrorKind, Result as ProxyResult};
use fluo_table::{Error, Result, TableAdmin};

use crate::backoff::settle;
use crate::error::port_error;
use crate::tables::{AccumuloTables, IteratorBuild};

pub(crate) const ITERATOR: &str = "org.apache.accumulo.core.iterators.SortedKeyValueIterator";
/// A class of the package that Fluo's published iterators use. Unlike the other classes of the
/// package it has a constructor without arguments, which the class test calls.
const MOVED: &str = "org.apache.accumulo.core.iterators.system.SynchronizedIterator";
const BALANCER_OF_2: &str = "org.apache.accumulo.core.spi.balancer.TableLoadBalancer";
const ANYTHING: &str = "java.lang.Object";

const ANY_OF_FLUO: &str = "org.apache.fluo.accumulo.iterators.SnapshotIterator";
const NEWER_THAN_1_2: &str = "org.apache.fluo.accumulo.summarizer.FluoSummarizer";
const SUMMARIZER: &str = "org.apache.accumulo.core.client.summary.Summarizer";

impl AccumuloTables {
    /// Checks whether Fluo's iterators fit the servers. The result is cached, unless the check
    /// itself fails.
    pub(crate) async fn require_iterators(&self) -> Result<()> {
        self.readiness.get_or_try_init(|| self.judge()).await?.clone()
    }

    /// Checks whether the servers load for a table the iterators that fit them. A server that has
    /// not received the class path of the table yet loads them later.
    pub(crate) async fn require_iterators_of(&self, table: &str) -> Result<()> {
        let newer = (NEWER_THAN_1_2, SUMMARIZER);
        let (version, newer) = match self.iterator_build {
            IteratorBuild::ForAccumulo1 => ("1.2.0", None),
            IteratorBuild::ForAccumulo2 => ("2.1.0-SNAPSHOT", Some(newer)),
        };
        for (class, as_type) in [(ANY_OF_FLUO, ITERATOR)].into_iter().chain(newer) {
            let loads = || self.can_load(table, class, as_type);
            settle(loads, |loads| loads.then_some(())).await?.ok_or_else(|| {
                Error::invalid(format!(
                    "the servers cannot load `{class}` from the class path of the table; name fluo-accumulo and fluo-api {version}"
                ))
            })?;
        }
        Ok(())
    }

    async fn judge(&self) -> Result<Result<()>> {
        let (is_2, observations) = self.observe().await?;
        let (reason, remedy) = match (is_2, self.iterator_build) {
            (false, IteratorBuild::ForAccumulo1) => return Ok(Ok(())),
            (false, IteratorBuild::ForAccumulo2) => STATED_FOR_2,
            (true, IteratorBuild::ForAccumulo1) => NOT_STATED,
            (true, IteratorBuild::ForAccumulo2) => {
                let instance = self.client.instance_operations();
                let loads = async |class, as_type| {
                    instance.test_class_load(class, as_type).await.map_err(port_error)
                };
                if !loads(ANY_OF_FLUO, ITERATOR).await? || loads(NEWER_THAN_1_2, SUMMARIZER).await?
                {
                    return Ok(Ok(()));
                }
                PUBLISHED
            }
        };
        let version = if is_2 { "2.x" } else { "1.x" };
        Ok(Err(Error::invalid(format!(
            "transactions are refused: {reason}; the servers behind {} run Accumulo {version} ({observations}); {remedy}",
            self.client.options().address,
        ))))
    }

    /// Returns whether the servers are of Accumulo 2.x, and the observations that determine it,
    /// for an operator.
    async fn observe(&self) -> Result<(bool, String)> {
        let (mut of_1, mut of_2) = (Vec::new(), Vec::new());
        match self.client.options().credentials.user() {
            Some(_) => of_1.push("the proxy accepts logins"),
            None => of_2.push("the proxy accepts a shared secret"),
        }
        let instance = self.client.instance_operations();
        let configuration = where_allowed(instance.system_configuration().await)?;
        let has = |prefix: &str| {
            let mut names = configuration.iter().flat_map(|all| all.keys());
            names.any(|name| name.starts_with(prefix))
        };
        if has("manager.") {
            of_2.push("the system has properties `manager.*`");
        } else if has("master.") {
            of_1.push("the system has properties `master.*`");
        }
        match where_allowed(instance.test_class_load(MOVED, ITERATOR).await)? {
            Some(true) => of_1.push("the package `core.iterators.system` exists"),
            Some(false) => of_2.push("the package `core.iterators.system` does not exist"),
            None => {}
        }
        let balancer = instance.test_class_load(BALANCER_OF_2, ANYTHING).await;
        if where_allowed(balancer)? == Some(true) {
            of_2.push("the package `core.spi.balancer` exists");
        }
        let is_2 = !of_2.is_empty();
        Ok((is_2, if is_2 { of_2 } else { of_1 }.join(", ")))
    }
}

/// Returns the result of a call; `None` if the user may not make the call.
fn where_allowed<T>(found: ProxyResult<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::Security => Ok(None),
        Err(error) => Err(port_error(error)),
    }
}

const NOT_STATED: (&str, &str) = (
    "Fluo's published iterators (fluo-accumulo 1.2.0) halt tablet servers of Accumulo 2.x, and no call can prove that \
     the servers have other ones",
    "put fluo-accumulo and fluo-api 2.1.0-SNAPSHOT, built from the main branch of apache/fluo, on the class path of the \
     tablet servers, and then open the tables with `IteratorBuild::ForAccumulo2`, or set FLUO_ITERATORS=accumulo-2",
);
const PUBLISHED: (&str, &str) = (
    "the iterators on the servers are those of fluo-accumulo 1.2 or older, which halt tablet servers of Accumulo 2.x \
     (`SnapshotIterator` loads and `FluoSummarizer` does not)",
    "replace them with fluo-accumulo and fluo-api 2.1.0-SNAPSHOT, built from the main branch of apache/fluo",
);
const STATED_FOR_2: (&str, &str) = (
    "iterators that are built for Accumulo 2.x need classes that 1.x lacks",
    "put fluo-accumulo and fluo-api 1.2.0 on the class path of the tablet servers, and open the tables with \
     `IteratorBuild::ForAccumulo1`",
);
