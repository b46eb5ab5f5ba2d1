//! The identity of tables: the id that belongs to a name.
//!
//! The proxy identifies tables by name, and a name can go to a new table after the old one is
//! deleted. A handle keeps the id of its table and checks before each call whether the name still
//! has that id (rule A3). An answer of the last [second](FRESH) is enough for that, so a handle
//! notices within a second that another process replaced its table. All other callers get the
//! answer to a call that began after they arrived, and share it. They also share a failure;
//! otherwise they would wait one after the other for a proxy that does not answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use accumulo_proxy::ProxyClient;
use fluo_table::{Error, Result};

use crate::error::port_error;
use crate::gathered::Gathered;
use crate::locked::locked;
use crate::table_fate::Fate;

/// The id of each table, by name.
pub(crate) type Ids = BTreeMap<String, String>;

/// Maximum age of an answer with which a handle checks its table.
const FRESH: Duration = Duration::from_secs(1);

/// The ids of all tables. Concurrent readers share one or two calls.
#[derive(Clone, Debug)]
pub(crate) struct Identities {
    client: ProxyClient,
    calls: Arc<Gathered<Arc<Ids>>>,
    /// The checks that found no recent answer. They share the next one, even if its call began
    /// before theirs.
    checks: Arc<Gathered<Arc<Ids>>>,
    /// The last successful answer; `None` after an error.
    recent: Arc<Mutex<Option<Recent>>>,
}

/// An answer, and the time at which its call began.
type Recent = (Instant, Arc<Ids>);

impl Identities {
    pub(crate) fn new(client: ProxyClient) -> Self {
        Self { client, calls: Arc::default(), checks: Arc::default(), recent: Arc::default() }
    }

    /// Returns the ids at the time of this call, or of a call of the proxy that began after it.
    pub(crate) async fn read(&self) -> Result<Arc<Ids>> {
        let call = async || {
            let begun = Instant::now();
            let ids = match self.client.table_operations().id_map().await {
                Ok(ids) => Ok(Arc::new(ids)),
                Err(error) => Err(port_error(self.refusal(error).await)),
            };
            self.set_recent(ids.clone().ok().map(|ids| (begun, ids)));
            ids
        };
        self.calls.get(call).await
    }

    /// Returns the reason for a failure of `tableIdMap`. That call cannot throw, so if the proxy
    /// may not answer it (for example after a change of the password), it fails with an internal
    /// error. A call that can throw returns the reason.
    async fn refusal(&self, error: accumulo_proxy::Error) -> accumulo_proxy::Error {
        match self.client.options().credentials().user() {
            Some(user) if error.kind() == accumulo_proxy::ErrorKind::Protocol => {
                let asked = self.client.security_operations().authorizations(user).await;
                asked.err().unwrap_or(error)
            }
            _ => error,
        }
    }

    /// Returns the fate of a table by its id, which a table keeps when it is renamed.
    pub(crate) async fn fate(&self, name: &str, id: &str) -> Result<Fate> {
        let ids = self.read().await?;
        Ok(Fate::new(&ids, name, id))
    }

    /// Rejects a table whose name has another id. An answer of the last second decides, unless a
    /// call failed since.
    pub(crate) async fn check(&self, name: &str, id: &str) -> Result<()> {
        let ids = match self.recent() {
            Some(ids) => ids,
            None => {
                let recent = async || match self.recent() {
                    Some(ids) => Ok(ids),
                    None => self.read().await,
                };
                self.checks.get(recent).await?
            }
        };
        if has_id(&ids, name, id) { Ok(()) } else { self.check_now(name, id).await }
    }

    /// Rejects a table whose name has another id at the time of this call.
    pub(crate) async fn check_now(&self, name: &str, id: &str) -> Result<()> {
        if has_id(&*self.read().await?, name, id) {
            Ok(())
        } else {
            Err(Error::no_such_table(name))
        }
    }

    /// Forgets the ids that it has read, because a call failed.
    pub(crate) fn forget_recent(&self) {
        self.set_recent(None);
    }

    fn recent(&self) -> Option<Arc<Ids>> {
        let recent = locked(&self.recent);
        let (begun, ids) = recent.as_ref()?;
        (begun.elapsed() < FRESH).then(|| ids.clone())
    }

    fn set_recent(&self, recent: Option<Recent>) {
        *locked(&self.recent) = recent;
    }
}

/// Checks whether a name has an id.
fn has_id(ids: &Ids, name: &str, id: &str) -> bool {
    ids.get(name).is_some_and(|found| found == id)
}
