//! The paths of the nodes of one application.

use fluo_table::coordination::{TransactorId, zookeeper_format};
use fluo_table::{Error, Result};

/// The parent of the election nodes of oracles, `_c_<uuid>-lock-<10 digits>`: ephemeral, with the
/// `host:port` of an oracle.
pub(crate) const SERVERS: &str = "/oracle/server";
/// The node of the observers that clients before Fluo 1.2 stored.
pub(crate) const LEGACY_OBSERVERS: &str = "/config/fluo.observers";
/// The node with the format of the nodes that only this project has. Without it they have format 1.
pub(crate) const FORMAT: &str = "/config/format";
/// The format that this version of the library writes, and the only one that it reads.
pub(crate) const CURRENT_FORMAT: &str = "1";
pub(crate) const TRANSACTOR: &str = "/transactor";
/// The parent of the nodes of living transactors.
pub(crate) const NODES: &str = "/transactor/nodes";
pub(crate) const TIMESTAMPS: &str = "/transactor/timestamps";
pub(crate) const FINDERS: &str = "/finders";
/// The child of [`FINDERS`] that is not a worker: the split points of the table.
pub(crate) const SPLITS: &str = "splits";
/// The parent of the nodes with which workers [hand over](crate::coordination) notifications:
/// ephemeral, without data.
pub(crate) const HAND_OVERS: &str = "/hand-overs";
/// The parent of the places that workers have left for their successors: the name of a worker, with
/// the data of its node.
pub(crate) const VACANCIES: &str = "/vacancies";
pub(crate) const DEAD_LETTERS: &str = "/dead-letters";

/// Rejects an application that a later version of this library has used, from the data of
/// [`FORMAT`], and damaged data.
pub(crate) fn check_format(name: &str, stored: Option<&[u8]>) -> Result<()> {
    let Some(stored) = stored.filter(|stored| *stored != CURRENT_FORMAT.as_bytes()) else {
        return Ok(());
    };
    let stored = String::from_utf8_lossy(stored);
    Err(match stored.parse::<u64>() {
        Ok(2..) => Error::invalid(format!(
            "a later version of this library has used application `{name}`, in format `{stored}`; update this program"
        )),
        _ => Error::corrupt(format!(
            "the data at `{FORMAT}` of application `{name}` is not a format: `{}`",
            stored.escape_debug()
        )),
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Paths {
    pub(crate) root: String,
}

impl Paths {
    pub(crate) fn new(chroot: &str, name: &str) -> Self {
        Self { root: format!("{chroot}/{name}") }
    }

    pub(crate) fn at(&self, node: &str) -> String {
        format!("{}{node}", self.root)
    }

    /// Returns the path of the node that marks an application as complete.
    pub(crate) fn mark(&self) -> String {
        self.at(zookeeper_format::SETTINGS)
    }

    pub(crate) fn transactor(&self, id: TransactorId) -> String {
        format!("{}{NODES}/{id}", self.root)
    }

    pub(crate) fn published(&self, id: TransactorId) -> String {
        format!("{}{TIMESTAMPS}/{id}", self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_not_a_later_format() {
        check_format("web", None).unwrap();
        check_format("web", Some(b"1")).unwrap();
        let error = |stored| check_format("web", Some(stored)).unwrap_err();
        assert_eq!(error(b"12").kind(), fluo_table::ErrorKind::Invalid);
        for (stored, shown) in
            [(&b""[..], ""), (b"0", "0"), (b"2\n", "2\\n"), (b"\xff", "\u{fffd}")]
        {
            assert_eq!(error(stored).kind(), fluo_table::ErrorKind::Corrupt);
            let sentence = format!(
                "the data at `/config/format` of application `web` is not a format: `{shown}`"
            );
            assert_eq!(error(stored).to_string(), sentence);
        }
    }

    #[test]
    fn has_the_paths_of_java() {
        let paths = Paths::new("/fluo", "real");
        assert_eq!(paths.root, "/fluo/real");
        assert_eq!(paths.mark(), "/fluo/real/config/shared.config");
        let id = TransactorId(99);
        assert_eq!(paths.transactor(id), "/fluo/real/transactor/nodes/2r");
        assert_eq!(paths.published(id), "/fluo/real/transactor/timestamps/2r");
    }
}
