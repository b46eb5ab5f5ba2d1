//! The bugs that a run must find, and the rule that each one breaks.

use fluo_table::planted::{PlantedBug, plant};
use fluo_tests::simulation::{Report, Simulation, WorldBug};

use super::elle;

/// A planted bug, with its name and its effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plant {
    pub(crate) name: &'static str,
    pub(crate) breaks: &'static str,
    /// `true` if many seeds are needed to find the bug.
    pub(crate) is_rare: bool,
    planted: Planted,
}

#[derive(Clone, Copy, Debug)]
enum Planted {
    Engine(PlantedBug),
    World(WorldBug),
}

const fn engine(name: &'static str, breaks: &'static str, bug: PlantedBug) -> Plant {
    let planted = Planted::Engine(bug);
    let is_rare = false;
    Plant {
        name,
        breaks,
        is_rare,
        planted,
    }
}

const fn rare(name: &'static str, breaks: &'static str, bug: PlantedBug) -> Plant {
    let is_rare = true;
    Plant {
        is_rare,
        ..engine(name, breaks, bug)
    }
}

const fn world(name: &'static str, breaks: &'static str, bug: WorldBug) -> Plant {
    let planted = Planted::World(bug);
    let is_rare = false;
    Plant {
        name,
        breaks,
        is_rare,
        planted,
    }
}

const fn rare_world(name: &'static str, breaks: &'static str, bug: WorldBug) -> Plant {
    let is_rare = true;
    Plant {
        is_rare,
        ..world(name, breaks, bug)
    }
}

/// All planted bugs.
pub(crate) const PLANTS: &[Plant] = &[
    engine(
        "newer-writes-ignored",
        "a lock is written although the cell was written after the start",
        PlantedBug::NewerWritesIgnored,
    ),
    engine(
        "first-cell-checked",
        "only the first cell of a row is checked before all are locked",
        PlantedBug::FirstCellChecked,
    ),
    engine(
        "read-locks-ignored",
        "a cell that is locked for reading is locked for writing",
        PlantedBug::ReadLocksIgnored,
    ),
    rare(
        "read-lock-unchecked",
        "a read lock is written although the cell was written after the start",
        PlantedBug::ReadLockUnchecked,
    ),
    rare(
        "read-lock-forgotten",
        "the end of a read lock does not record that its transaction committed",
        PlantedBug::ReadLockForgotten,
    ),
    engine(
        "primary-last",
        "P6: the secondaries are committed before the primary",
        PlantedBug::PrimaryLast,
    ),
    engine(
        "timestamp-before-locks",
        "P4: the commit timestamp is taken before the locks are written",
        PlantedBug::TimestampBeforeLocks,
    ),
    engine(
        "secondary-left",
        "P7: a rollback leaves the secondaries, and reports that none is left",
        PlantedBug::SecondaryLeft,
    ),
    rare(
        "doubt-ignored",
        "P7: a transaction with a lock in doubt is marked as done",
        PlantedBug::DoubtIgnored,
    ),
    engine(
        "unknown-lock-is-locked",
        "a lock whose outcome is unknown is treated as written",
        PlantedBug::UnknownLockIsLocked,
    ),
    engine(
        "unknown-commit-is-committed",
        "a commit whose outcome is unknown is treated as done",
        PlantedBug::UnknownCommitIsCommitted,
    ),
    engine(
        "unknown-commit-is-failed",
        "a commit whose outcome is unknown is treated as failed",
        PlantedBug::UnknownCommitIsFailed,
    ),
    engine(
        "own-lock-not-checked",
        "P6: the primary is committed without a check of its lock",
        PlantedBug::OwnLockNotChecked,
    ),
    rare(
        "ended-lock-taken-away",
        "R6: a lock is removed although its column records its end",
        PlantedBug::EndedLockTakenAway,
    ),
    rare(
        "acknowledged-lock-waited-for",
        "R2: a reader waits for a lock whose end was collected without it",
        PlantedBug::AcknowledgedLockWaitedFor,
    ),
    rare(
        "labelled-primary",
        "P1: the primary is a cell that only some clients see",
        PlantedBug::LabelledPrimary,
    ),
    rare(
        "unseen-primary-is-damage",
        "R3: a lock of a live transaction whose primary cannot be seen is reported as damage",
        PlantedBug::UnseenPrimaryIsDamage,
    ),
    rare(
        "void-read-lock-is-damage",
        "R1: a void read lock whose primary was removed is reported as damage",
        PlantedBug::VoidReadLockIsDamage,
    ),
    rare(
        "denied-reader-fails",
        "R4: a reader without write permission fails at a decided lock",
        PlantedBug::DeniedReaderFails,
    ),
    engine(
        "live-lock-resolved",
        "R3: the lock of a live transaction is removed without a condition",
        PlantedBug::LiveLockResolved,
    ),
    rare(
        "primary-not-asked",
        "R1: abandoned locks are rolled back before their primary is read",
        PlantedBug::PrimaryNotAsked,
    ),
    engine(
        "committed-rolled-back",
        "R2: locks of a committed transaction are rolled back",
        PlantedBug::CommittedRolledBack,
    ),
    engine(
        "rolled-forward-to-start",
        "R2: locks are rolled forward to the start timestamp instead of the commit timestamp",
        PlantedBug::RolledForwardToStart,
    ),
    engine(
        "locks-not-seen",
        "S1: a reader does not see the locks on its cells",
        PlantedBug::LocksNotSeen,
    ),
    engine(
        "reads-ahead",
        "S1: a reader sees writes that were committed right after it began",
        PlantedBug::ReadsAhead,
    ),
    rare(
        "stale-reads",
        "S2: a reader does not check the horizon",
        PlantedBug::StaleReads,
    ),
    rare(
        "stale-commits",
        "a transaction below the horizon commits",
        PlantedBug::StaleCommits,
    ),
    rare(
        "one-version-too-far",
        "garbage collection drops a version that a snapshot needs",
        PlantedBug::OneVersionTooFar,
    ),
    engine(
        "decision-collected",
        "garbage collection drops the decision of a primary before its locks are removed",
        PlantedBug::DecisionCollected,
    ),
    rare(
        "notifications-after-commit",
        "P5: notifications are written after the commit",
        PlantedBug::NotificationsAfterCommit,
    ),
    engine(
        "later-notifications-taken-back",
        "O1: a transaction removes notifications that it did not see",
        PlantedBug::LaterNotificationsTakenBack,
    ),
    engine(
        "notification-taken-back-early",
        "O1: a notification is removed before the transaction that it started has committed",
        PlantedBug::NotificationTakenBackEarly,
    ),
    engine(
        "acknowledgement-ignored",
        "O3: a notification that another transaction has acknowledged is processed",
        PlantedBug::AcknowledgementIgnored,
    ),
    world(
        "timestamp-twice",
        "C1: a timestamp is handed out twice",
        WorldBug::TimestampTwice,
    ),
    world(
        "unknown-as-accepted",
        "T11: the table reports a write that it did not apply as accepted",
        WorldBug::UnknownAsAccepted,
    ),
    rare_world(
        "unknown-as-rejected",
        "T11: the table reports a write that it applied as rejected",
        WorldBug::UnknownAsRejected,
    ),
    world(
        "write-lost",
        "T5: the table acknowledges a write and loses it",
        WorldBug::WriteLost,
    ),
    rare_world(
        "row-torn",
        "T4: half of a mutation takes effect",
        WorldBug::RowTorn,
    ),
    world(
        "together-torn",
        "T16: only half of the mutations that are written together take effect",
        WorldBug::TogetherTorn,
    ),
    world(
        "condition-ignored",
        "T9: a conditional mutation is applied although its conditions do not hold",
        WorldBug::ConditionIgnored,
    ),
    world(
        "cell-not-read",
        "T2: a scan leaves out a cell",
        WorldBug::CellNotRead,
    ),
    world(
        "horizon-too-far",
        "C4: garbage is collected up to the newest timestamp",
        WorldBug::HorizonTooFar,
    ),
    world(
        "garbage-in-flushes",
        "A11: flushes of a table without iterators collect garbage",
        WorldBug::GarbageInFlushes,
    ),
];

impl Plant {
    /// Runs a seed with this bug.
    pub(crate) fn run(&self, seed: u64) -> Report {
        let simulation = Simulation::new(seed);
        match self.planted {
            Planted::World(bug) => checked(simulation.with_bug(bug)),
            Planted::Engine(bug) => {
                plant(Some(bug));
                let report = checked(simulation);
                plant(None);
                report
            }
        }
    }
}

/// Runs a simulation, and checks its history with the independent checker as well.
pub(crate) fn checked(simulation: Simulation) -> Report {
    let mut report = simulation.run().unwrap();
    let anomalies = elle::anomalies(&report.lists);
    report.violations.extend(anomalies);
    report
}
