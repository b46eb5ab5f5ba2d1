//! A call through the ports of coordination.

use std::num::NonZeroU32;

use fluo_table::coordination::TransactorId;
use fluo_table::{RowColumn, Timestamp};

/// A call through the ports of coordination: a call of the applications, of one application, or of
/// a transactor or worker of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoordinationCall {
    /// [`initialize`](fluo_table::coordination::Applications::initialize) of this application.
    Initialize(String),
    /// [`open`](fluo_table::coordination::Applications::open) of this application.
    Open(String),
    /// [`list`](fluo_table::coordination::Applications::list).
    List,
    /// [`is_running`](fluo_table::coordination::Applications::is_running) of this application.
    IsRunning(String),
    /// [`lock_setup`](fluo_table::coordination::Applications::lock_setup) of this application and
    /// this table.
    Claim(String, String),
    /// [`remove`](fluo_table::coordination::Applications::remove) of this application.
    Remove(String),
    /// [`timestamps`](fluo_table::coordination::Coordination::timestamps) with this count.
    Timestamps(NonZeroU32),
    /// [`horizon`](fluo_table::coordination::Coordination::horizon).
    Horizon,
    /// [`advance_horizon`](fluo_table::coordination::Coordination::advance_horizon).
    AdvanceHorizon,
    /// [`begin_transactor`](fluo_table::coordination::Coordination::begin_transactor).
    BeginTransactor,
    /// [`is_alive`](fluo_table::coordination::Coordination::is_alive) of this transactor.
    IsAlive(TransactorId),
    /// [`join_workers`](fluo_table::coordination::Coordination::join_workers).
    JoinWorkers,
    /// [`add_dead_letter`](fluo_table::coordination::Coordination::add_dead_letter) of a dead
    /// letter of this cell.
    SetAside(RowColumn),
    /// [`dead_letters`](fluo_table::coordination::Coordination::dead_letters).
    SetAsideList,
    /// [`remove_dead_letter`] of this cell, up to this timestamp.
    ///
    /// [`remove_dead_letter`]: fluo_table::coordination::Coordination::remove_dead_letter
    ForgetSetAside(RowColumn, Timestamp),
    /// [`application`](fluo_table::coordination::Coordination::application).
    Application,
    /// [`update_settings`](fluo_table::coordination::Coordination::update_settings).
    UpdateSettings,
    /// [`begin_epoch`](fluo_table::coordination::Coordination::begin_epoch).
    BeginEpoch,
    /// [`take_duty`](fluo_table::coordination::Coordination::take_duty) with this name.
    TakeDuty(String),
    /// [`exclude_others`](fluo_table::coordination::Coordination::exclude_others) for this
    /// transactor.
    ExcludeOthers(TransactorId),
    /// [`publish_oldest_active`] by this transactor.
    ///
    /// [`publish_oldest_active`]: fluo_table::coordination::Transactor::publish_oldest_active
    Publish(TransactorId, Option<Timestamp>),
    /// [`share`](fluo_table::coordination::WorkerMembership::share).
    Share,
}
