//! The nodes of all workers, and the shares that follow from them.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use fluo_table::coordination::Share;
use fluo_table::{Error, Result};

use super::place::Place;
use super::splits;
use super::worker_settings::GROUP_SIZE;
use crate::paths::{FINDERS, Paths, SPLITS};
use crate::zookeeper::Node;

/// The nodes of all workers at one time. As for Java, every child of the parent is a worker,
/// whatever its name is, except the split points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finders<'a> {
    /// The names of the workers and vacancies, each with the data of its node.
    workers: BTreeMap<&'a str, &'a [u8]>,
    /// The names of the vacancies.
    vacant: BTreeSet<&'a str>,
    pub(super) splits: Option<&'a Node>,
}

impl<'a> Finders<'a> {
    /// Creates the state from the children of the parent, and the vacancies.
    pub(super) fn new(
        nodes: impl IntoIterator<Item = (&'a str, &'a Node)>,
        vacancies: impl IntoIterator<Item = (&'a str, &'a Node)>,
    ) -> Self {
        let (mut workers, mut splits) = (BTreeMap::new(), None);
        for (name, node) in nodes {
            if name == SPLITS {
                splits = Some(node);
            } else {
                workers.insert(name, &*node.data);
            }
        }
        let vacancies = vacancies.into_iter().filter(|(name, _)| !workers.contains_key(name));
        let vacancies: Vec<_> = vacancies.collect();
        let vacant = vacancies.iter().map(|(name, _)| *name).collect();
        workers.extend(vacancies.into_iter().map(|(name, node)| (name, &*node.data)));
        Self { workers, vacant, splits }
    }

    /// Returns the names and the data of all nodes, the split points last.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let splits = self.splits.map(|node| (SPLITS, &*node.data));
        self.workers.iter().map(|(name, data)| (*name, *data)).chain(splits)
    }

    /// Returns the names of the workers, without the vacancies.
    pub(super) fn present(&self) -> impl Iterator<Item = &str> {
        self.workers.keys().copied().filter(|name| !self.vacant.contains(name))
    }

    /// Returns the index of a worker among all workers and vacancies.
    fn index(&self, name: &str) -> Option<usize> {
        self.workers.keys().position(|worker| *worker == name)
    }

    /// Checks whether a worker has to keep the split points up to date: the one whose name is the
    /// first of all, that of the split points included.
    pub(super) fn keeps_splits(&self, name: &str) -> bool {
        self.present().next() == Some(name) && (self.splits.is_none() || name < SPLITS)
    }

    /// Returns the share of a worker, or `None` if there is none yet, because no worker has stored
    /// the split points.
    pub(super) fn share(
        &self,
        paths: &Paths,
        name: &str,
        group_size: NonZeroU32,
    ) -> Result<Option<Share>> {
        let expected = group_size.to_string();
        let mut workers = self.workers.iter();
        if let Some((other, data)) = workers
            .find(|(name, data)| **data != expected.as_bytes() && !self.vacant.contains(*name))
        {
            return Err(Error::invalid(format!(
                "the worker at `{}/{other}` in ZooKeeper has the group size `{}`; restart it with `{GROUP_SIZE}` {group_size}",
                paths.at(FINDERS),
                String::from_utf8_lossy(data).escape_debug()
            )));
        }
        let (Some(index), Some(stored)) = (self.index(name), self.splits) else {
            return Ok(None);
        };
        let place = Place::new(self.workers.len(), index, group_size);
        place.share(&splits::decode(&stored.data)?).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::{Bytes, ErrorKind};

    use super::*;
    use crate::zookeeper::NodeStat;

    const SEVEN: NonZeroU32 = NonZeroU32::new(7).unwrap();

    type Nodes = Vec<(&'static str, Node)>;

    fn nodes(nodes: &[(&'static str, &[u8])]) -> Nodes {
        let node = |data: &[u8]| Node {
            data: data.to_vec(),
            stat: NodeStat {
                created: 0,
                version: 0,
                is_own: false,
                is_ephemeral: true,
                children: 0,
            },
        };
        let nodes = nodes.iter();
        nodes.map(|(name, data)| (*name, node(data))).collect()
    }

    fn finders(nodes: &Nodes) -> Finders<'_> {
        Finders::new(nodes.iter().map(|(name, node)| (*name, node)), [])
    }

    fn paths() -> Paths {
        Paths::new("/fluo", "web")
    }

    #[test]
    fn counts_every_node_but_the_split_points_as_a_worker() {
        let data = splits::encode(&[Bytes::from("m")]);
        let found = nodes(&[
            ("f-0000000000", b"7"),
            ("f-0000000002", b"7"),
            ("splits", &data),
            ("zzz-lock", b"7"),
        ]);
        let placed = finders(&found).share(&paths(), "f-0000000002", SEVEN).unwrap();
        let partition = placed.unwrap().partition();
        assert_eq!((partition.remainder(), partition.divisor().get()), (1, 3));
        assert_eq!(finders(&found).share(&paths(), "f-0000000001", SEVEN).unwrap(), None);
        let unsplit = nodes(&[("f-0000000000", b"7")]);
        assert_eq!(finders(&unsplit).share(&paths(), "f-0000000000", SEVEN).unwrap(), None);
    }

    #[test]
    fn the_first_of_all_names_keeps_the_split_points() {
        let found = nodes(&[("f-1", b"7"), ("f-2", b"7"), ("splits", b"")]);
        assert!(finders(&found).keeps_splits("f-1"));
        assert!(!finders(&found).keeps_splits("f-2"));
        let found = nodes(&[("a", b"7"), ("f-1", b"7")]);
        assert!(!finders(&found).keeps_splits("f-1"));
        assert!(!finders(&nodes(&[("splits", b""), ("zzz", b"7")])).keeps_splits("zzz"));
        assert!(finders(&nodes(&[("zzz", b"7")])).keeps_splits("zzz"));
    }

    #[test]
    fn a_vacancy_keeps_the_places_of_the_others() {
        let data = splits::encode(&[]);
        let all = nodes(&[("f-1", b"7"), ("f-2", b"7"), ("f-3", b"7"), ("splits", &data)]);
        let left = nodes(&[("f-2", b"7"), ("f-3", b"7"), ("splits", &data)]);
        let vacant = nodes(&[("f-1", b"7")]);
        let vacancies = vacant.iter().map(|(name, node)| (*name, node));
        let with = Finders::new(left.iter().map(|(name, node)| (*name, node)), vacancies);
        let before = finders(&all);
        let share = |finders: &Finders<'_>| finders.share(&paths(), "f-3", SEVEN).unwrap();
        assert_eq!(share(&with), share(&before));
        assert_ne!(share(&finders(&left)), share(&before));
        assert_eq!(with.checksum(), before.checksum());
        assert_ne!(finders(&left).checksum(), before.checksum());
        assert!(with.keeps_splits("f-2") && before.keeps_splits("f-1"));
        assert_eq!(with.present().collect::<Vec<_>>(), ["f-2", "f-3"]);
    }

    #[test]
    fn names_a_worker_with_another_group_size() {
        let data = splits::encode(&[]);
        let found = nodes(&[("f-1", b"7"), ("f-2", b"8"), ("splits", &data)]);
        let error = finders(&found).share(&paths(), "f-1", SEVEN).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            "the worker at `/fluo/web/finders/f-2` in ZooKeeper has the group size `8`; restart it with `fluo.impl.worker.finder.partition.groupSize` 7"
        );
    }

    #[test]
    fn reports_damaged_split_points() {
        let found = nodes(&[("f-1", b"7"), ("splits", b"m")]);
        let error = finders(&found).share(&paths(), "f-1", SEVEN).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
}
