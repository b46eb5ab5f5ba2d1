//! The node of a published timestamp, and the time from which each horizon update counts it.
//!
//! Our oracle reads its next timestamp before it lists the published ones, and asks the leader of
//! the ensemble first, so a node counts from its creation on. An oracle of Java lists first, does
//! not ask the leader, and reads its counter afterwards. If a node is created in between, one
//! update of that oracle may move the horizon above a timestamp that was drawn after the creation.
//! Such an update takes milliseconds. So a new node holds nothing for its [first
//! second](FIRST_SECOND): until then readers ask for the horizon. A change of the data of a node
//! has no such gap, because an update that reads the old data moves the horizon less.

use std::sync::Mutex;
use std::time::Duration;

use crate::locked::locked;
use crate::zookeeper::Moment;

/// The time after which an update of the horizon that began before the creation has ended.
const FIRST_SECOND: Duration = Duration::from_secs(1);

/// The node of one transactor.
#[derive(Debug, Default)]
pub(super) struct Publication {
    /// `None` if the node may not exist.
    created: Mutex<Option<Moment>>,
}

impl Publication {
    /// Records that the node is about to be created or deleted.
    pub(super) fn before_change(&self) {
        self.set(None);
    }

    /// Records that the node exists. Its first second begins now if it may be new or if its age is
    /// not known.
    pub(super) fn after_publication(&self, may_be_new: bool) {
        let mut created = locked(&self.created);
        if may_be_new || created.is_none() {
            *created = Some(Moment::now());
        }
    }

    /// Checks whether each update of the horizon counts the node.
    pub(super) fn is_counted(&self) -> bool {
        let created = *locked(&self.created);
        created.is_some_and(|created| Moment::now().has_passed(created, FIRST_SECOND))
    }

    fn set(&self, created: Option<Moment>) {
        *locked(&self.created) = created;
    }
}
