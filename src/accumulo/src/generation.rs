//! The generation of the servers: Accumulo 1.x or 2.x.
//!
//! No call of the proxy returns the version, so independent observations determine the generation:
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

use accumulo_proxy::{ErrorKind, ProxyClient, Result as ProxyResult};
use fluo_table::Result;

use crate::error::port_error;

/// The type of all iterators.
pub(crate) const ITERATOR: &str = "org.apache.accumulo.core.iterators.SortedKeyValueIterator";
/// A class of the package that Fluo's published iterators use. Unlike the other classes of the
/// package it has a constructor without arguments, which the class test calls.
const MOVED: &str = "org.apache.accumulo.core.iterators.system.SynchronizedIterator";
const BALANCER_OF_2: &str = "org.apache.accumulo.core.spi.balancer.TableLoadBalancer";
const ANYTHING: &str = "java.lang.Object";

/// The observations, each as a phrase for an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generation {
    of_1: Vec<&'static str>,
    of_2: Vec<&'static str>,
}

impl Generation {
    /// Makes the observations.
    pub(crate) async fn observe(client: &ProxyClient) -> Result<Self> {
        let mut seen = Self::default();
        match client.options().credentials().user() {
            Some(_) => seen.of_1.push("the proxy accepts logins"),
            None => seen.of_2.push("the proxy accepts a shared secret"),
        }
        let instance = client.instance_operations();
        let configuration = where_allowed(instance.system_configuration().await)?;
        let has = |prefix: &str| {
            let mut names = configuration.iter().flat_map(|all| all.keys());
            names.any(|name| name.starts_with(prefix))
        };
        if has("manager.") {
            seen.of_2.push("the system has properties `manager.*`");
        } else if has("master.") {
            seen.of_1.push("the system has properties `master.*`");
        }
        match where_allowed(instance.test_class_load(MOVED, ITERATOR).await)? {
            Some(true) => seen.of_1.push("the package `core.iterators.system` exists"),
            Some(false) => seen.of_2.push("the package `core.iterators.system` does not exist"),
            None => {}
        }
        let balancer = instance.test_class_load(BALANCER_OF_2, ANYTHING).await;
        if where_allowed(balancer)? == Some(true) {
            seen.of_2.push("the package `core.spi.balancer` exists");
        }
        Ok(seen)
    }

    /// Checks whether the servers are of Accumulo 2.x.
    pub(crate) fn is_2(&self) -> bool {
        !self.of_2.is_empty()
    }

    /// Returns the observations that determine the generation.
    pub(crate) fn seen(&self) -> String {
        let decisive = if self.is_2() { &self.of_2 } else { &self.of_1 };
        decisive.join(", ")
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
