//! Which table a name stands for.
//!
//! The proxy knows tables by name, and a name can be given to a new table once the old one is deleted. A handle
//! remembers the id of its table and looks before each call whether the name still has it (rule A3). Tasks that
//! look at the same time share one answer, as far as it was asked for after each of them came; a failure too, or they
//! would wait for a proxy that does not answer one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use accumulo_proxy::ProxyClient;
use fluo_core::{Error, Result};
use tokio::sync::Mutex;

use crate::error::port_error;

/// The id of each table, by name.
pub(crate) type Ids = BTreeMap<String, String>;

/// The names of the instance, read so that many who ask at once cost one call or two.
#[derive(Clone, Debug)]
pub(crate) struct Identities {
    client: ProxyClient,
    /// The last answer, and how many calls were begun before it.
    last: Arc<Mutex<Answer>>,
    begun: Arc<std::sync::atomic::AtomicU64>,
}

#[derive(Debug)]
struct Answer {
    number: u64,
    ids: Result<Arc<Ids>>,
}

/// What became of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is there, under its name.
    Same,
    /// It has this name now.
    Renamed(String),
    /// It was deleted, and its name is free.
    Deleted,
    /// It was deleted, and its name stands for another table.
    Replaced,
}

fn fate_in(ids: &Ids, name: &str, id: &str) -> Fate {
    let owner = ids.iter().find(|(_, found)| *found == id);
    match owner {
        Some((found, _)) if found == name => Fate::Same,
        Some((found, _)) => Fate::Renamed(found.clone()),
        None if ids.contains_key(name) => Fate::Replaced,
        None => Fate::Deleted,
    }
}

impl Identities {
    pub(crate) fn new(client: ProxyClient) -> Self {
        Self {
            client,
            last: Arc::new(Mutex::new(Answer {
                number: 0,
                ids: Ok(Arc::default()),
            })),
            begun: Arc::default(),
        }
    }

    /// The ids as of now, or as of a call that began after this one.
    pub(crate) async fn read(&self) -> Result<Arc<Ids>> {
        use std::sync::atomic::Ordering::SeqCst;
        // An answer serves whoever came before its call began, and nobody who came later.
        let came_before = self.begun.load(SeqCst);
        let mut last = self.last.lock().await;
        if last.number > came_before {
            return last.ids.clone();
        }
        let number = self.begun.fetch_add(1, SeqCst) + 1;
        let ids = match self.client.table_operations().id_map().await {
            Ok(ids) => Ok(Arc::new(ids)),
            Err(error) => Err(port_error(self.refusal(error).await)),
        };
        *last = Answer { number, ids };
        last.ids.clone()
    }

    /// `tableIdMap` can throw nothing, so a proxy that may not answer it (the password was changed, say) fails inside.
    /// A call that can throw says why.
    async fn refusal(&self, error: accumulo_proxy::Error) -> accumulo_proxy::Error {
        match self.client.options().credentials().user() {
            Some(user) if error.kind() == accumulo_proxy::ErrorKind::Protocol => {
                let asked = self.client.security_operations().authorizations(user).await;
                asked.err().unwrap_or(error)
            }
            _ => error,
        }
    }

    /// What became of a table, by its id: a table keeps it when it is renamed.
    pub(crate) async fn fate(&self, name: &str, id: &str) -> Result<Fate> {
        let ids = self.read().await?;
        Ok(fate_in(&ids, name, id))
    }

    /// Refuses a table whose name has another id by now.
    pub(crate) async fn check(&self, name: &str, id: &str) -> Result<()> {
        if self
            .read()
            .await?
            .get(name)
            .is_some_and(|found| found == id)
        {
            return Ok(());
        }
        Err(Error::no_such_table(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_known_by_its_id() {
        let ids = |pairs: &[(&str, &str)]| {
            let owned = |(name, id): &(&str, &str)| ((*name).to_owned(), (*id).to_owned());
            pairs.iter().map(owned).collect::<Ids>()
        };
        let fate = |pairs: &[(&str, &str)]| fate_in(&ids(pairs), "t", "1");
        assert_eq!(fate(&[("s", "2"), ("t", "1")]), Fate::Same);
        assert_eq!(fate(&[("t", "2"), ("u", "1")]), Fate::Renamed("u".into()));
        assert_eq!(fate(&[("s", "2")]), Fate::Deleted);
        assert_eq!(fate(&[("t", "2")]), Fate::Replaced);
    }
}
