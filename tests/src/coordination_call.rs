//! A call through the ports of coordination.

use std::num::NonZeroU32;

use fluo_core::coordination::TransactorId;
use fluo_core::{RowColumn, Timestamp};

/// A call through the ports of coordination: a call of the applications, of one application, or of
/// a transactor or worker of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoordinationCall {
    /// [`initialize`](fluo_core::coordination::Applications::initialize) of this application.
    Initialize(String),
    /// [`open`](fluo_core::coordination::Applications::open) of this application.
    Open(String),
    /// [`list`](fluo_core::coordination::Applications::list).
    List,
    /// [`is_running`](fluo_core::coordination::Applications::is_running) of this application.
    IsRunning(String),
    /// [`lock_setup`](fluo_core::coordination::Applications::lock_setup) of this application and this table.
    Claim(String, String),
    /// [`remove`](fluo_core::coordination::Applications::remove) of this application.
    Remove(String),
    /// [`timestamps`](fluo_core::coordination::Coordination::timestamps) with this count.
    Timestamps(NonZeroU32),
    /// [`horizon`](fluo_core::coordination::Coordination::horizon).
    Horizon,
    /// [`advance_horizon`](fluo_core::coordination::Coordination::advance_horizon).
    AdvanceHorizon,
    /// [`begin_transactor`](fluo_core::coordination::Coordination::begin_transactor).
    BeginTransactor,
    /// [`is_alive`](fluo_core::coordination::Coordination::is_alive) of this transactor.
    IsAlive(TransactorId),
    /// [`join_workers`](fluo_core::coordination::Coordination::join_workers).
    JoinWorkers,
    /// [`add_dead_letter`](fluo_core::coordination::Coordination::add_dead_letter) of a dead letter of this
    /// cell.
    SetAside(RowColumn),
    /// [`dead_letters`](fluo_core::coordination::Coordination::dead_letters).
    SetAsideList,
    /// [`remove_dead_letter`] of this cell, up to this timestamp.
    ///
    /// [`remove_dead_letter`]: fluo_core::coordination::Coordination::remove_dead_letter
    ForgetSetAside(RowColumn, Timestamp),
    /// [`application`](fluo_core::coordination::Coordination::application).
    Application,
    /// [`update_settings`](fluo_core::coordination::Coordination::update_settings).
    UpdateSettings,
    /// [`begin_epoch`](fluo_core::coordination::Coordination::begin_epoch).
    BeginEpoch,
    /// [`publish_oldest_active`] by this transactor.
    ///
    /// [`publish_oldest_active`]: fluo_core::coordination::Transactor::publish_oldest_active
    Publish(TransactorId, Option<Timestamp>),
    /// [`share`](fluo_core::coordination::WorkerMembership::share).
    Partition,
}
