//! The instance: the handle from which tables are reached.

use accumulo_proxy::{ProxyClient, ProxyOptions};
use fluo_core::{Error, Result, check_table_name};

use crate::error::port_error;
use crate::identity::Identities;
use crate::iterators::{IteratorBuild, Readiness};

/// The tables of an Accumulo instance, reached through one proxy. Cloning gives another handle on the same
/// connections.
#[derive(Clone, Debug)]
pub struct AccumuloTables {
    pub(crate) client: ProxyClient,
    pub(crate) identities: Identities,
    pub(crate) iterator_build: IteratorBuild,
    pub(crate) readiness: Readiness,
}

impl AccumuloTables {
    /// Connects to a proxy and logs in.
    ///
    /// # Errors
    /// [`Unavailable`](fluo_core::ErrorKind::Unavailable) where no proxy answers, [`Denied`](fluo_core::ErrorKind::Denied)
    /// for a wrong user, password or shared secret.
    pub async fn connect(options: ProxyOptions) -> Result<Self> {
        let client = ProxyClient::connect(options).await.map_err(port_error)?;
        Ok(Self::new(client))
    }

    /// The tables behind a client that is connected already.
    pub fn new(client: ProxyClient) -> Self {
        let identities = Identities::new(client.clone());
        Self {
            client,
            identities,
            iterator_build: IteratorBuild::default(),
            readiness: Readiness::default(),
        }
    }

    /// Says which build of Fluo's iterators the tablet servers have. Transactions on Accumulo 2.x are refused without
    /// [`IteratorBuild::ForAccumulo2`]: no call tells for certain which jars are there, and those for 1.x halt tablet
    /// servers of 2.x.
    #[must_use]
    pub fn iterator_build(self, build: IteratorBuild) -> Self {
        Self {
            iterator_build: build,
            readiness: Readiness::default(),
            ..self
        }
    }

    /// The client of the proxy, for what the ports do not have.
    pub fn client(&self) -> &ProxyClient {
        &self.client
    }

    /// The id of a table. A name that no table can have is nobody's: Accumulo is not asked, which would answer
    /// with an error of its own.
    pub(crate) async fn id_of(&self, name: &str) -> Result<String> {
        if check_table_name(name).is_err() {
            return Err(Error::no_such_table(name));
        }
        let ids = self.identities.read().await?;
        ids.get(name)
            .cloned()
            .ok_or_else(|| Error::no_such_table(name))
    }

    /// Refuses a table that is not there, for calls that would otherwise not look.
    pub(crate) async fn require(&self, name: &str) -> Result<()> {
        self.id_of(name).await.map(|_| ())
    }
}
