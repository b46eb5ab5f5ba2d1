//! The identity of tables: the id that belongs to a name.
//!
//! The proxy identifies tables by name, and a name can go to a new table after the old one is
//! deleted. A handle keeps the id of its table and checks before each call whether the name still
//! has that id (rule A3). An answer of the last [second](FRESH) is enough for that, so a handle
//! notices within a second that another process replaced its table. All other callers get the
//! answer to a call that began after they arrived, and share it. They also share a failure;
//! otherwise they would wait one after the other for a proxy that does not answer.

use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::{Error as ProxyError, ErrorKind as ProxyErrorKind};
use fluo_table::{Error, ErrorKind, Result};

use crate::error::port_error;
use crate::tables::{AccumuloTables, Ids};

/// Maximum age of an answer with which a handle checks its table.
const FRESH: Duration = Duration::from_secs(1);

impl AccumuloTables {
    /// Returns the ids at the time of this call, or of a call of the proxy that began after it.
    pub(crate) async fn ids(&self) -> Result<Arc<Ids>> {
        self.ids_within(Duration::ZERO).await
    }

    async fn ids_within(&self, max_age: Duration) -> Result<Arc<Ids>> {
        let call = async || match self.client.table_operations().id_map().await {
            Ok(ids) => Ok(Arc::new(ids)),
            Err(error) => Err(port_error(self.refusal(error).await)),
        };
        self.ids.get(max_age, call).await
    }

    /// Returns the reason for a failure of `tableIdMap`. That call cannot throw, so if the proxy
    /// may not answer it (for example after a change of the password), it fails with an internal
    /// error. A call that can throw returns the reason.
    async fn refusal(&self, error: ProxyError) -> ProxyError {
        match self.client.options().credentials.user() {
            Some(user) if error.kind() == ProxyErrorKind::Protocol => {
                let asked = self.client.security_operations().authorizations(user).await;
                asked.err().unwrap_or(error)
            }
            _ => error,
        }
    }

    /// Converts the error of a write to a table that may have got another name or id during the
    /// call, which Accumulo does not say.
    pub(crate) async fn write_error(&self, name: &str, id: &str, error: ProxyError) -> Error {
        let ids = self.ids().await;
        let Some((fate, rows_are_deleted)) = ids.ok().and_then(|ids| fate(&ids, name, id)) else {
            return port_error(error);
        };
        let kind = if error.may_have_taken_effect() && !rows_are_deleted {
            ErrorKind::Uncertain
        } else {
            ErrorKind::NotFound
        };
        Error::with_source(kind, format!("table `{name}` was {fate} ({error})"), error)
    }

    /// Rejects a table whose name has another id. An answer of the last second decides, unless a
    /// call failed since.
    pub(crate) async fn check_id(&self, name: &str, id: &str) -> Result<()> {
        let ids = self.ids_within(FRESH).await?;
        if has_id(&ids, name, id) { Ok(()) } else { self.check_id_now(name, id).await }
    }

    /// Rejects a table whose name has another id at the time of this call.
    pub(crate) async fn check_id_now(&self, name: &str, id: &str) -> Result<()> {
        let has_id = has_id(&*self.ids().await?, name, id);
        if has_id { Ok(()) } else { Err(Error::no_such_table(name)) }
    }
}

fn has_id(ids: &Ids, name: &str, id: &str) -> bool {
    ids.get(name).is_some_and(|found| found == id)
}

/// Returns what happened to a table that had this name and id, and whether rows that were written
/// meanwhile are deleted. Returns `None` if it still has both.
fn fate(ids: &Ids, name: &str, id: &str) -> Option<(String, bool)> {
    let owner = ids.iter().find(|(_, found)| *found == id).map(|(owner, _)| owner);
    match owner {
        Some(owner) if owner == name => None,
        Some(owner) => Some((format!("renamed to `{owner}` during the call"), false)),
        None if ids.contains_key(name) => {
            let fate =
                "deleted during the call, and another table was created under its name".to_owned();
            Some((fate, false))
        }
        None => Some(("deleted during the call, together with its rows".to_owned(), true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_fate_of_a_table_by_its_id() {
        for (ids, expected) in [
            ([("s", "2"), ("t", "1")], None),
            ([("t", "2"), ("u", "1")], Some(("renamed to `u` during the call", false))),
            (
                [("s", "3"), ("t", "2")],
                Some((
                    "deleted during the call, and another table was created under its name",
                    false,
                )),
            ),
            (
                [("r", "3"), ("s", "2")],
                Some(("deleted during the call, together with its rows", true)),
            ),
        ] {
            let ids = ids.map(|(name, id)| (name.to_owned(), id.to_owned())).into();
            let found = fate(&ids, "t", "1");
            assert_eq!(found.as_ref().map(|(fate, deleted)| (&**fate, *deleted)), expected);
        }
    }
}
