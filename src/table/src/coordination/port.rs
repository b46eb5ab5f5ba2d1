//! The port to the state that the processes of one application share beside its table:
//! [`Coordination`], with [`Transactor`] and [`WorkerMembership`].

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::num::NonZeroU32;
use std::time::Duration;

use async_trait::async_trait;

use crate::coordination::{
    Application, FailedNotification, HeldLock, PendingCommit, Presence, Share, TimestampBlock,
    TransactorId,
};
use crate::data::{RowColumn, Timestamp};
use crate::error::{Error, Result};

/// The state that the processes of one application share beside its table: timestamps, the presence
/// of processes, the shares of the work, and the configuration.
///
/// # Contract
///
/// Timestamps:
/// - **C1, uniqueness.** A timestamp is handed out once, to one caller, across all handles,
///   processes and openings. The first timestamp of an application is 2.
/// - **C2, order.** If a call begins after another one has returned, its timestamps are above those
///   of the other one, even after a crash or an opening in between. A block has no gaps; there may
///   be gaps between blocks.
/// - **C3, horizon.** Garbage may have been collected below the horizon. The horizon begins at 0,
///   never goes back, not even by an opening, and is never above the next timestamp. The horizon of
///   a block is not above its first timestamp.
/// - **C4, advancing.** [`advance_horizon`](Coordination::advance_horizon) moves the horizon to the
///   smallest timestamp that a transactor has published, or to the next timestamp if none has
///   published one. It does not move the horizon back. The returned value is in force when the call
///   returns: every later request has that horizon or a higher one.
/// - **C5, publishing.** Once [`publish_oldest_active`](Transactor::publish_oldest_active) has
///   returned, the horizon does not pass the published timestamp until this timestamp is replaced
///   or withdrawn, or its transactor ends. Publications of one transactor take effect in the order
///   of the calls; one that its caller cancelled takes effect before the later ones, or not at all.
///   If the published timestamp is already below the horizon, the horizon stays at its value. To
///   read safely, publish a timestamp that was handed out before, then request a timestamp to read
///   at: the horizon is not above it. (At the instant at which the published timestamp takes
///   effect, the horizon is not above the next timestamp, and the requested timestamp is not below
///   that one.)
///
/// - **C19, ages.** [`ages`](Coordination::ages) never returns more than the time since a timestamp
///   was handed out, by the clock of the coordination.
///
/// Presence:
/// - **C6, transactors.** The numbers of transactors begin at 1, and none is used twice, across all
///   openings. A transactor is alive from the return of
///   [`begin_transactor`](Coordination::begin_transactor) until it is dropped or its session ends.
///   After that it is not alive, has published nothing, and never becomes alive again. A number
///   that was never assigned is not alive. All further calls of a transactor whose session has
///   ended are [`Unavailable`](crate::ErrorKind::Unavailable). Its owner must check whether it is
///   alive and, if not, begin a new transactor. The ended transactor does not prevent the new one
///   from beginning or publishing. [`last_transactor`](Coordination::last_transactor) is not below
///   the number of any transactor.
/// - **C7, workers.** At every instant every notification is in the [`Share`] of
///   exactly one present worker, or the shares are being reassigned. Up to 13 workers share all
///   rows: they are numbered from 0 in the order in which they joined, and if there are n workers,
///   the share of worker r is the part with remainder r modulo n. If processes of other programs
///   may be workers too, an [unpartitioned](crate::layout::is_unpartitioned) notification may be in
///   several shares.
///
/// Stored state:
/// - **C8, failed notifications.** A failed notification replaces the previous one of its cell.
///   They are listed by cell, with errors [of a limited length](FailedNotification::bounded). If
///   [`MAX_DEAD_LETTERS`](FailedNotification::MAX_DEAD_LETTERS) cells have one, storing one for
///   another cell is `Unavailable`. [`remove_dead_letter`](Coordination::remove_dead_letter)
///   compares the timestamp and removes the notification in one step: one that was stored
///   meanwhile, with a later timestamp, stays.
/// - **C9, configuration.** [`application`](Coordination::application) returns the application as
///   it was initialized, to the byte and in its order, with the settings of the last
///   [`update_settings`](Coordination::update_settings), which replaces all of them. Settings that
///   [`check_settings`](super::check_settings) rejects are [`Invalid`](crate::ErrorKind::Invalid),
///   and change nothing.
/// - **C14, epochs.** Each opening of the storage draws a unique text, also in copies of the
///   storage. [`check_epoch`](Coordination::check_epoch) compares as
///   [`Epochs::check`](super::Epochs::check) does, and [`begin_epoch`](Coordination::begin_epoch)
///   compares and records as [`Epochs::begin`](super::Epochs::begin) does. All handles of one
///   opening of the storage share its epoch.
///
/// Processes beside each other:
/// - **C15, duties.** A duty is a named task that one caller at a time has, across all handles and
///   processes of an application, until the returned lock is dropped or its session ends. A holder
///   whose session has ended is not told, so a duty saves work and protects nothing.
/// - **C16, exclusive use.** [`exclude_others`](Coordination::exclude_others) succeeds only if no
///   other transactor and no worker is present. While the returned lock is held, no transactor
///   begins and no worker joins: that is [`Unavailable`](crate::ErrorKind::Unavailable). It ends
///   with the session of the transactor, without notice. Clients of Java are not excluded if they
///   begin later.
///
/// - **C17, holding.** If [`is_holding`](Transactor::is_holding) returns `true`, the transactor is
///   alive at some instant of that call. So since the publication the horizon has not passed the
///   timestamp that it has published (C5), and the application is not removed. The horizon may have
///   passed that timestamp before the publication.
/// - **C20, presence.** [`presence`](Coordination::presence) returns each transactor that is alive
///   and each worker that is present during the whole call. It is for people to look at: what it
///   returns may have changed already.
///
/// Commits in one step, on a coordination that [supports them](Coordination::begin_commit):
/// - **C18, pending commits.** A pending commit has a timestamp of its own (C1, C2).
///   [`timestamps`](Coordination::timestamps) returns a block only after all pending commits below
///   it have ended; it does not wait for later ones. A pending commit waits for nothing. If the
///   horizon that it returns is not above the start of its transaction, the horizon does not pass
///   that start until it has ended.
///
/// The rules C10 to C12 of [`Applications`](super::Applications) hold for these calls too: a call
/// of a handle whose application was removed is [`NotFound`](crate::ErrorKind::NotFound), and the
/// effect of a call that returned `Ok` is durable.
#[async_trait]
pub trait Coordination: Debug + Send + Sync {
    /// Hands out `count` timestamps.
    ///
    /// # Errors
    ///
    /// [`Storage`](crate::ErrorKind::Storage) if no timestamps are left or none can be reserved;
    /// [`Uncertain`](crate::ErrorKind::Uncertain): some timestamps may have been used up without a
    /// caller.
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock>;

    /// Hands out the commit timestamp of a transaction that began at `start` and writes all of its
    /// rows in one step (C18). Returns `None` if this coordination is shared with other processes,
    /// whose starts would have to wait: then the transaction locks its cells first.
    ///
    /// # Errors
    ///
    /// Those of [`timestamps`](Self::timestamps).
    async fn begin_commit(&self, _start: Timestamp) -> Result<Option<PendingCommit>> {
        Ok(None)
    }

    /// Returns the horizon, below which garbage may have been collected.
    async fn horizon(&self) -> Result<Timestamp>;

    /// Returns lower bounds of the times since timestamps were handed out (C19), from a
    /// [`Timeline`](crate::coordination::Timeline); `None` if it is not known.
    async fn ages(&self, timestamps: &[Timestamp]) -> Result<Vec<Option<Duration>>>;

    /// Moves the horizon as far as C4 allows, and returns it.
    async fn advance_horizon(&self) -> Result<Timestamp>;

    /// Begins a transactor.
    ///
    /// # Errors
    ///
    /// See rule C12; the transactor is not alive then.
    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>>;

    /// Checks whether a transactor is alive. Others may roll back the transactions of one that is
    /// not.
    async fn is_alive(&self, transactor: TransactorId) -> Result<bool>;

    /// Returns the number of the last transactor; 0 before the first.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if a transactor with a higher number is alive.
    async fn last_transactor(&self) -> Result<TransactorId>;

    /// Returns the processes that are present (C20).
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if a transactor has published something else than a
    /// timestamp.
    async fn presence(&self) -> Result<Presence>;

    /// Joins the workers.
    ///
    /// # Errors
    ///
    /// See rule C12; the worker has not joined then.
    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>>;

    /// Stores a notification that has failed too many times.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if there are too many (C8).
    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()>;

    /// Returns the failed notifications, sorted by cell.
    async fn dead_letters(&self) -> Result<Vec<FailedNotification>>;

    /// Removes the failed notification of a cell if its timestamp is not above `up_to`. Returns
    /// whether it did (C8).
    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool>;

    /// Returns the stored application.
    async fn application(&self) -> Result<Application>;

    /// Compares the epoch that the table of the application has with the recorded one, and records
    /// nothing (C14).
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the table was opened with another copy since.
    async fn check_epoch(&self, found: Option<&str>) -> Result<()>;

    /// Returns the epoch of this opening, after recording it together with the epoch that the table
    /// of the application has (C14). The caller must write the returned epoch to the table.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the table was opened with another copy since;
    /// nothing is recorded then.
    async fn begin_epoch(&self, found: Option<&str>) -> Result<String>;

    /// Takes a duty, such as the collection of garbage. Returns `None` while another caller has it
    /// (C15).
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) unless the name consists of letters, digits and
    /// hyphens of ASCII.
    async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>>;

    /// Excludes all other processes from the application, for the transactor `own` (C16).
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if `own` is not alive, or if another
    /// transactor or a worker is present.
    async fn exclude_others(&self, own: TransactorId) -> Result<Box<dyn HeldLock>>;

    /// Replaces all settings.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) (C9).
    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()>;
}

/// A process that runs transactions, alive from
/// [`begin_transactor`](super::Coordination::begin_transactor) until this is dropped or its session
/// ends. An ended session does not resume: the owner must begin another transactor, as
/// `fluo_engine::Client` does automatically.
///
/// Its rules are C5, C6 and C17 of [`Coordination`](super::Coordination).
#[async_trait]
pub trait Transactor: Debug + Send + Sync {
    /// Returns its number, which its locks carry.
    fn id(&self) -> TransactorId;

    /// Publishes the oldest timestamp at which it still reads, in place of the previous one; `None`
    /// withdraws it. Rule C5 says how to read safely.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if its session has ended;
    /// [`Uncertain`](crate::ErrorKind::Uncertain).
    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()>;

    /// Returns `true` if this transactor is certainly alive, so that its published timestamp is in
    /// force (C17). Sends no request. `false` means that this is not known.
    fn is_holding(&self) -> bool;
}

/// The membership of one worker among the workers of an application, from
/// [`join_workers`](super::Coordination::join_workers) until this is dropped or its session ends.
///
/// Its rule is C7 of [`Coordination`](super::Coordination).
#[async_trait]
pub trait WorkerMembership: Debug + Send + Sync {
    /// Returns the current share of this worker, or `None` while the shares are reassigned. Without
    /// a share the worker must process nothing.
    ///
    /// The share changes when a worker joins or leaves. Two workers that ask at different times may
    /// receive overlapping shares, which causes duplicate work but no error.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if its session has ended, so that it must
    /// [join](super::Coordination::join_workers) again. [`Invalid`](crate::ErrorKind::Invalid) if
    /// the workers do not agree on how to divide the work.
    async fn share(&self) -> Result<Option<Share>>;

    /// Waits until the share may have changed since the last call of [`share`](Self::share), so
    /// that the others need not wait for the next one. May return without a change. The default
    /// never returns: the others wait for no one.
    async fn changed(&self) {
        std::future::pending::<()>().await;
    }
}

/// Checks the name of a duty.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid) (see [`Coordination::take_duty`]).
pub fn check_duty(duty: &str) -> Result<()> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !duty.is_empty() && duty.bytes().all(is_name) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` is not the name of a duty; use letters, digits and hyphens",
        duty.escape_debug()
    )))
}
