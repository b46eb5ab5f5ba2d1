//! The handle of an Accumulo instance.

use std::num::NonZeroUsize;

use accumulo_proxy::{ConditionalWriterOptions, ProxyClient, ProxyOptions};
use fluo_table::{Error, Result, check_table_name};

use crate::error::port_error;
use crate::iterator_build::{IteratorBuild, Readiness};
use crate::table_ids::Identities;

/// The tables of an Accumulo instance, reached through one proxy. Clones share its connections.
#[derive(Clone, Debug)]
pub struct AccumuloTables {
    pub(crate) client: ProxyClient,
    pub(crate) identities: Identities,
    pub(crate) iterator_build: IteratorBuild,
    pub(crate) readiness: Readiness,
    pub(crate) conditional_calls: NonZeroUsize,
}

impl AccumuloTables {
    /// Connects to a proxy and logs in.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if no proxy answers,
    /// [`Denied`](fluo_table::ErrorKind::Denied) for a wrong user, password or shared secret.
    pub async fn connect(options: ProxyOptions) -> Result<Self> {
        let client = ProxyClient::connect(options).await.map_err(port_error)?;
        Ok(Self::new(client))
    }

    /// Creates a handle from a connected client.
    pub fn new(client: ProxyClient) -> Self {
        let identities = Identities::new(client.clone());
        Self {
            client,
            identities,
            iterator_build: IteratorBuild::default(),
            readiness: Readiness::default(),
            conditional_calls: ConditionalWriterOptions::default().calls_in_flight,
        }
    }

    /// Sets the build of Fluo's iterators that the tablet servers have. On Accumulo 2.x
    /// transactions are refused without [`IteratorBuild::ForAccumulo2`]: no call can prove which
    /// jars the servers have, and the jars for 1.x halt tablet servers of 2.x.
    #[must_use]
    pub fn iterator_build(self, build: IteratorBuild) -> Self {
        Self { iterator_build: build, readiness: Readiness::default(), ..self }
    }

    /// Sets the number of concurrent calls with writes, for each handle of a table: a call does not
    /// hold back the next one if it takes longer than 10 ms, or if 48 rows wait. While a call takes
    /// longer than half a second, two more are allowed. Default: 2.
    #[must_use]
    pub fn conditional_calls(self, conditional_calls: NonZeroUsize) -> Self {
        Self { conditional_calls, ..self }
    }

    /// Returns the client of the proxy, for operations that the ports do not have.
    pub fn client(&self) -> &ProxyClient {
        &self.client
    }

    /// Returns the id of a table. For an invalid name it does not ask Accumulo, which would return
    /// an error of its own.
    pub(crate) async fn id_of(&self, name: &str) -> Result<String> {
        if check_table_name(name).is_err() {
            return Err(Error::no_such_table(name));
        }
        let ids = self.identities.read().await?;
        ids.get(name).cloned().ok_or_else(|| Error::no_such_table(name))
    }

    /// Checks that a table exists, for calls that would not check it themselves.
    pub(crate) async fn require(&self, name: &str) -> Result<()> {
        self.id_of(name).await.map(|_| ())
    }
}
