//! The Accumulo instance of a ZooKeeper.

use fluo_table::{Error, ErrorKind, Result};

use crate::zookeeper::Session;

const INSTANCES: &str = "/accumulo/instances";

/// The name and the id of an Accumulo instance. Each application stores both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AccumuloCluster {
    pub(crate) name: String,
    pub(crate) id: String,
}

impl AccumuloCluster {
    /// Reads the id of the instance with this name, or of the only one if there is no name.
    pub(crate) async fn find(session: &Session, name: Option<&str>) -> Result<Self> {
        let name = match name {
            Some(name) => name.to_owned(),
            None => only(session.children(INSTANCES).await?)?,
        };
        let node = session.node(&format!("{INSTANCES}/{name}")).await?;
        let node = node.ok_or_else(|| missing(&format!("no Accumulo instance `{name}`")))?;
        let id = String::from_utf8(node.data).map_err(|error| {
            let message = format!("the id of the Accumulo instance `{name}` is not text");
            Error::with_source(ErrorKind::Corrupt, message, error)
        })?;
        Ok(Self { name, id })
    }

    /// Rejects an application of another instance: its table is not in this one.
    pub(super) fn check(&self, application: &str, stored: &[u8]) -> Result<()> {
        if stored == self.id.as_bytes() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the application `{application}` belongs to the Accumulo instance `{}`, not to `{}` (`{}`); connect to the former",
            String::from_utf8_lossy(stored).escape_debug(),
            self.name,
            self.id
        )))
    }
}

/// Rejects a backup of an application if a ZooKeeper has no instance with the id in it.
pub(super) async fn check_instance(session: &Session, name: &str, id: &[u8]) -> Result<()> {
    let mut ids = Vec::new();
    for instance in session.children(INSTANCES).await? {
        let node = session.node(&format!("{INSTANCES}/{instance}")).await?;
        let found = node.map(|node| node.data).unwrap_or_default();
        if found == id {
            return Ok(());
        }
        ids.push(String::from_utf8_lossy(&found).escape_debug().to_string());
    }
    ids.sort();
    let (id, ids) = (String::from_utf8_lossy(id), ids.join("`, `"));
    Err(Error::invalid(format!(
        "the backup of application `{name}` is of the Accumulo instance `{}`; this ZooKeeper has `{ids}`",
        id.escape_debug()
    )))
}

fn only(mut names: Vec<String>) -> Result<String> {
    names.sort();
    match names.len() {
        0 | 1 => names.pop().ok_or_else(|| missing("no Accumulo instance")),
        _ => Err(Error::invalid(format!(
            "ZooKeeper has several Accumulo instances, and the options name none of them; name one: `{}`",
            names.join("`, `")
        ))),
    }
}

fn missing(what: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("ZooKeeper has {what}; use the ZooKeeper of the Accumulo cluster"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_an_application_of_another_instance() {
        let cluster = AccumuloCluster { name: "here".to_owned(), id: "1-2".to_owned() };
        assert!(cluster.check("web", b"1-2").is_ok());
        let error = cluster.check("web", b"3-4").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            "the application `web` belongs to the Accumulo instance `3-4`, not to `here` (`1-2`); connect to the former"
        );
    }

    #[test]
    fn the_only_instance_needs_no_name() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(only(names(&["a"])).unwrap(), "a");
        assert_eq!(
            only(names(&["b", "a"])).unwrap_err().to_string(),
            "ZooKeeper has several Accumulo instances, and the options name none of them; name one: `a`, `b`"
        );
        let error = only(names(&[])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(
            error.to_string(),
            "ZooKeeper has no Accumulo instance; use the ZooKeeper of the Accumulo cluster"
        );
    }
}
