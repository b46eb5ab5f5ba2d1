//! Breakages of the protocol that tests can switch on, to see that the simulation finds each of them.
//!
//! The switch exists only with the feature `planted-bugs`, which no crate but the tests asks for. Without it
//! the question is a constant, and nothing of this is in a build.

/// A breakage, each at one place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// A lock is written although the cell was written after the transaction began.
    NewerWritesIgnored,
    /// Of the cells of a row only the first is checked before all of them are locked.
    FirstCellChecked,
    /// A cell is locked for writing although it is locked for reading.
    ReadLocksIgnored,
    /// A read lock is written although the cell was written after the transaction began.
    ReadLockUnchecked,
    /// The end of a read lock does not say that its transaction committed.
    ReadLockForgotten,
    /// The secondaries are committed before the primary (P6).
    PrimaryLast,
    /// The commit timestamp is taken before the other rows are locked (P4).
    TimestampBeforeLocks,
    /// Notifications are written after the commit (P5).
    NotificationsAfterCommit,
    /// A rollback leaves a secondary, and says that none is left (P7).
    SecondaryLeft,
    /// A transaction with a lock in doubt is marked as done (P7).
    DoubtIgnored,
    /// A lock of the other rows whose outcome is unknown is taken as written.
    UnknownLockIsLocked,
    /// A commit whose outcome is unknown is taken as done.
    UnknownCommitIsCommitted,
    /// A commit whose outcome is unknown is taken as failed.
    UnknownCommitIsFailed,
    /// The primary is committed without a look at its lock.
    OwnLockNotChecked,
    /// A lock is taken away although its column says that it is over (R6).
    EndedLockTakenAway,
    /// A lock whose end was collected without it is waited for.
    AcknowledgedLockWaitedFor,
    /// The primary is the smallest cell, also where only some clients can see it.
    LabelledPrimary,
    /// A lock of a live transaction whose primary cannot be seen is damage.
    UnseenPrimaryIsDamage,
    /// A void read lock whose primary is gone is damage.
    VoidReadLockIsDamage,
    /// The time of a lock does not begin while many others are remembered.
    NoRoomForSightings,
    /// A reader that may not write fails where it meets a lock that is decided.
    DeniedReaderFails,
    /// The lock of a live transaction is taken away at once, and without a condition (R3).
    LiveLockResolved,
    /// Locks are rolled back before their primary was asked (R1).
    PrimaryNotAsked,
    /// Locks of a committed transaction are rolled back (R2).
    CommittedRolledBack,
    /// Locks are rolled forward to the start of their transaction in place of its commit.
    RolledForwardToStart,
    /// A reader does not see the locks in its way (S1).
    LocksNotSeen,
    /// A reader sees what was committed right after it began (S1).
    ReadsAhead,
    /// A reader does not look at the horizon (S2).
    StaleReads,
    /// A transaction below the horizon commits.
    StaleCommits,
    /// A version too many is collected.
    OneVersionTooFar,
    /// What a rolled back primary says is collected before the transaction is done.
    DecisionCollected,
    /// A transaction that a notification started takes back later ones as well.
    LaterNotificationsTakenBack,
    /// A transaction takes a notification back before it has committed.
    NotificationTakenBackEarly,
    /// A notification is processed although another transaction has acknowledged it.
    AcknowledgementIgnored,
}

#[cfg(feature = "planted-bugs")]
mod switch {
    use std::cell::Cell;

    use super::PlantedBug;

    thread_local! {
        static PLANTED: Cell<Option<PlantedBug>> = const { Cell::new(None) };
    }

    /// Switches one breakage on, for this thread, or none.
    pub fn plant(bug: Option<PlantedBug>) {
        PLANTED.set(bug);
    }

    /// Whether a breakage is switched on.
    pub(crate) fn is(bug: PlantedBug) -> bool {
        PLANTED.get() == Some(bug)
    }
}

#[cfg(feature = "planted-bugs")]
pub(crate) use switch::is;
#[cfg(feature = "planted-bugs")]
pub use switch::plant;

/// Whether a breakage is switched on: never.
#[cfg(not(feature = "planted-bugs"))]
pub(crate) const fn is(_: PlantedBug) -> bool {
    false
}
