//! The port to what the processes of one application share beside its table.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::num::NonZeroU32;

use async_trait::async_trait;

use crate::coordination::{
    Application, FailedNotification, TimestampBlock, Transactor, TransactorId, WorkerMembership,
};
use crate::data::{RowColumn, Timestamp};
use crate::error::{Error, ErrorKind, Result};

/// What the processes of one application share beside its table: timestamps, who is alive, who does which part of the
/// work, and the configuration.
///
/// # Contract
/// Timestamps:
/// - **C1, uniqueness.** A timestamp is handed out once, to one caller, over all handles, processes and openings. The
///   first of an application is 2.
/// - **C2, order.** A call that begins after another one has returned gets timestamps above those of the other one, also
///   after a crash or an opening in between. A block has no gaps; between two blocks there may be one.
/// - **C3, horizon.** Below the horizon garbage may have been collected. It begins at 0, never goes back, by an opening
///   neither, and never stands above the next timestamp. The horizon of a block is not above its first timestamp.
/// - **C4, advancing.** [`advance_horizon`](Coordination::advance_horizon) moves the horizon to the smallest timestamp
///   that a transactor has published, or to the next timestamp if none has; not back if that is below it. The value that
///   it returns is in force when it returns: what is asked for later has that horizon or a higher one.
/// - **C5, publishing.** Once [`publish_oldest_active`](Transactor::publish_oldest_active) has returned, the horizon does
///   not pass the published timestamp until it is replaced or withdrawn or its transactor ends. One that is below the
///   horizon already holds it where it is. So whoever publishes a timestamp that was handed out, and then gets one to
///   read at, reads above the horizon: that one is not below the next timestamp of the first instant at which the
///   published one counts, and the horizon was not above that.
///
/// Presence:
/// - **C6, transactors.** Their numbers begin at 1 and none is used twice, over all openings. A transactor is alive when
///   [`begin_transactor`](Coordination::begin_transactor) returns, until it is dropped or its session ends; then it is not
///   alive, has published nothing, and never comes alive again. A number that was not given to any is not alive. Calls of
///   a transactor whose session has ended are [`Unavailable`](ErrorKind::Unavailable), for ever: its owner asks whether it
///   is alive, and goes on as another one if it is not, whose beginning and publishing the old one does not hinder.
/// - **C7, workers.** Those present are numbered from 0 in the order in which they joined. The share of each is the one
///   of this remainder, of as many as there are. So at every instant every notification is in exactly one share.
///
/// What is kept:
/// - **C8, failed notifications.** One of a cell takes the place of the one before. They are listed by cell, with errors
///   [as long as is kept](FailedNotification::bounded). When
///   [`MAX_SET_ASIDE`](FailedNotification::MAX_SET_ASIDE) cells are set aside, one of another cell is `Unavailable`.
///   [`forget_set_aside`](Coordination::forget_set_aside) looks at the timestamp and forgets in one step: one that was
///   set aside meanwhile, with a later timestamp, stays.
/// - **C9, configuration.** [`application`](Coordination::application) is what was initialised, to the byte and in its
///   order, with the settings of the last [`update_settings`](Coordination::update_settings), which replaces all of them.
///   Settings that [`check_settings`](super::check_settings) refuses are [`Invalid`](ErrorKind::Invalid), and change
///   nothing.
/// - **C14, epochs.** Each opening of the storage draws a unique text, also in copies of the storage.
///   [`begin_epoch`](Coordination::begin_epoch) compares and records as [`Epochs::begin`](super::Epochs::begin) does.
///   An opening is that of the storage, whatever number of handles it has.
///
/// The rules C10 to C12 of [`Applications`](super::Applications) hold for these calls too: a call of a handle whose
/// application was removed is [`NotFound`](ErrorKind::NotFound), and what returned `Ok` is durable.
#[async_trait]
pub trait Coordination: Debug + Send + Sync {
    /// Hands out so many timestamps.
    ///
    /// # Errors
    /// [`Storage`](ErrorKind::Storage) where none are left, or none can be reserved;
    /// [`Uncertain`](ErrorKind::Uncertain): some may have been handed out to nobody.
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock>;

    /// The horizon: below it garbage may have been collected.
    ///
    /// # Errors
    /// As rule C12 says.
    async fn horizon(&self) -> Result<Timestamp>;

    /// Moves the horizon as far as it may go (C4), and returns it.
    ///
    /// # Errors
    /// As rule C12 says.
    async fn advance_horizon(&self) -> Result<Timestamp>;

    /// Begins a transactor.
    ///
    /// # Errors
    /// As rule C12 says; nobody is alive then.
    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>>;

    /// Whether a transactor is alive: others may undo the transactions of one that is not.
    ///
    /// # Errors
    /// As rule C12 says.
    async fn is_alive(&self, transactor: TransactorId) -> Result<bool>;

    /// Joins the workers.
    ///
    /// # Errors
    /// As rule C12 says; nobody has joined then.
    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>>;

    /// Sets a notification aside that was tried often enough.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) where there are too many (C8).
    async fn set_aside(&self, failed: FailedNotification) -> Result<()>;

    /// The notifications that are set aside, by cell.
    ///
    /// # Errors
    /// As rule C12 says.
    async fn set_aside_list(&self) -> Result<Vec<FailedNotification>>;

    /// Forgets the notification of a cell that was set aside, if its timestamp is not above `up_to`; says whether it did
    /// (C8).
    ///
    /// # Errors
    /// As rule C12 says.
    async fn forget_set_aside(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool>;

    /// What is stored of the application.
    ///
    /// # Errors
    /// As rule C12 says.
    async fn application(&self) -> Result<Application>;

    /// Returns the epoch of this opening, after it recorded it beside the epoch that the table of the application has (C14).
    /// The caller writes it to the table.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid) if the table was opened with another copy since; nothing is recorded then.
    async fn begin_epoch(&self, found: Option<&str>) -> Result<String>;

    /// Puts these settings in the place of all settings.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid) (C9).
    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()>;
}

/// The error of every implementation for one failed notification too many.
pub fn too_many_set_aside() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        format!(
            "{} failed notifications are set aside, which is all there may be; mend what makes them fail, and retry or \
             forget some",
            FailedNotification::MAX_SET_ASIDE
        ),
    )
}
