//! Planted bugs: breakages of the protocol that tests switch on, to check that the simulation finds
//! each of them.
//!
//! The switch exists only with the feature `planted-bugs`, which only the tests enable. Without it
//! `is` is constant, and a build contains none of this.

/// A breakage, at one place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// A cell is locked although it was written after the transaction began.
    NewerWritesIgnored,
    /// Only the first cell of a row is checked before all of them are locked.
    FirstCellChecked,
    /// A cell is locked for writing although it has a read lock.
    ReadLocksIgnored,
    /// A cell is read locked although it was written after the transaction began.
    ReadLockUnchecked,
    /// The end of a read lock does not say that its transaction committed.
    ReadLockForgotten,
    /// The secondaries are committed before the primary (P6).
    PrimaryLast,
    /// The commit timestamp is taken before the other rows are locked (P4).
    TimestampBeforeLocks,
    /// Notifications are written after the commit (P5).
    NotificationsAfterCommit,
    /// A rollback leaves a lock of a secondary, and marks that none is left (P7).
    SecondaryLeft,
    /// A transaction with a lock in doubt is marked as done (P7).
    DoubtIgnored,
    /// A lock of another row whose outcome is unknown counts as written.
    UnknownLockIsLocked,
    /// A commit whose outcome is unknown counts as committed.
    UnknownCommitIsCommitted,
    /// A commit whose outcome is unknown counts as failed.
    UnknownCommitIsFailed,
    /// The primary is committed without a check of its lock.
    OwnLockNotChecked,
    /// A lock is rolled back although its column says that it has ended (R6).
    EndedLockTakenAway,
    /// A reader waits for a lock whose end was collected without it.
    AcknowledgedLockWaitedFor,
    /// The primary is the smallest cell, even if only some clients can see it.
    LabelledPrimary,
    /// A lock of a live transaction whose primary is not visible is reported as damage.
    UnseenPrimaryIsDamage,
    /// A void read lock whose primary is gone is reported as damage.
    VoidReadLockIsDamage,
    /// The time of a lock does not begin while many other locks are cached.
    NoRoomForSightings,
    /// A reader without the permission to write fails at the lock of a decided transaction.
    DeniedReaderFails,
    /// The lock of a live transaction is rolled back at once, and without a condition (R3).
    LiveLockResolved,
    /// Locks are rolled back before their primary is read (R1).
    PrimaryNotAsked,
    /// Locks of a committed transaction are rolled back (R2).
    CommittedRolledBack,
    /// Locks are rolled forward to the start of their transaction instead of its commit.
    RolledForwardToStart,
    /// A reader ignores the locks that it should resolve (S1).
    LocksNotSeen,
    /// A reader sees data that was committed right after it began (S1).
    ReadsAhead,
    /// A reader does not check the horizon (S2).
    StaleReads,
    /// A transaction below the horizon commits.
    StaleCommits,
    /// One version too many is collected.
    OneVersionTooFar,
    /// The rollback entry of a primary is collected before the transaction is done.
    DecisionCollected,
    /// A transaction that a notification started deletes later notifications too.
    LaterNotificationsTakenBack,
    /// A transaction deletes a notification before it has committed.
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

    /// Switches one breakage on for this thread, or all of them off.
    pub fn plant(bug: Option<PlantedBug>) {
        PLANTED.set(bug);
    }

    /// Checks whether a breakage is switched on.
    pub fn is(bug: PlantedBug) -> bool {
        PLANTED.get() == Some(bug)
    }
}

#[cfg(feature = "planted-bugs")]
pub use switch::is;
#[cfg(feature = "planted-bugs")]
pub use switch::plant;

/// Returns false: no breakage is switched on.
#[cfg(not(feature = "planted-bugs"))]
pub const fn is(_: PlantedBug) -> bool {
    false
}
