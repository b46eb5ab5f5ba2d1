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
