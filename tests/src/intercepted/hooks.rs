//! The hooks of a port, and the calls that pass them.

use std::future::Future;
use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{Transactor, TransactorId};
use fluo_table::{
    CellBatches, ConditionalMutation, Garbage, Mutation, Outcome, Result, Scan, Span, Timestamp,
};

/// A call through a port.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a call exists for a moment")]
pub enum Call {
    /// The first request for a batch of this scan.
    Scan(Scan),
    /// [`write`](fluo_table::Table::write).
    Write(Vec<Mutation>),
    /// [`write_conditional`](fluo_table::Table::write_conditional).
    WriteConditional(Vec<ConditionalMutation>),
    /// [`write_atomically`](fluo_table::MultiRowWrite::write_atomically).
    WriteAtomically(Vec<ConditionalMutation>),
    /// A change through the admin port: the name of the method. Its other calls pass no hook,
    /// except for compactions and the list of servers.
    Admin(&'static str),
    /// [`compact`](fluo_table::TableAdmin::compact).
    Compact {
        /// The table.
        table: String,
        /// The part of the table.
        span: Span,
        /// The garbage to drop.
        garbage: Garbage,
    },
    /// [`servers`](fluo_table::TableAdmin::servers).
    Servers,
    /// A call through a port of coordination.
    Coordination(CoordinationCall),
}

impl Call {
    /// Returns the mutations of a write of any kind.
    pub fn mutations(&self) -> Vec<&Mutation> {
        match self {
            Self::Write(mutations) => mutations.iter().collect(),
            Self::WriteConditional(mutations) | Self::WriteAtomically(mutations) => {
                mutations.iter().map(|one| &one.mutation).collect()
            }
            Self::Scan(_)
            | Self::Admin(_)
            | Self::Compact { .. }
            | Self::Servers
            | Self::Coordination(_) => Vec::new(),
        }
    }

    /// Returns `true` for a write of any kind.
    pub fn is_write(&self) -> bool {
        matches!(self, Self::Write(_) | Self::WriteConditional(_) | Self::WriteAtomically(_))
    }
}

/// A call through the ports of coordination: a call of the applications, of one application, or of
/// a transactor or worker of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoordinationCall {
    /// [`lock_setup`](fluo_table::coordination::Applications::lock_setup) of this application and
    /// this table.
    Claim(String, String),
    /// [`timestamps`](fluo_table::coordination::Coordination::timestamps) with this count.
    Timestamps(NonZeroU32),
    /// `Transactor::publish_oldest_active` by this transactor.
    Publish(TransactorId, Option<Timestamp>),
    /// Another call: the name of the method.
    Other(&'static str),
}

impl From<&'static str> for CoordinationCall {
    fn from(method: &'static str) -> Self {
        Self::Other(method)
    }
}

impl From<CoordinationCall> for Call {
    fn from(call: CoordinationCall) -> Self {
        Self::Coordination(call)
    }
}

/// The way in which a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The call has no effect and fails with [`Unavailable`](fluo_table::ErrorKind::Unavailable).
    Before,
    /// The call takes effect and its answer is lost. It fails with
    /// [`Uncertain`](fluo_table::ErrorKind::Uncertain), or returns an
    /// [`Unknown`](fluo_table::Outcome::Unknown) for each conditional mutation.
    After,
    /// The call has no effect, and the caller cannot know that: the answer is that of
    /// [`After`](Fault::After).
    Lost,
    /// `add_splits` adds every second split point, and the answer is that of
    /// [`After`](Fault::After). All other calls are atomic; for them this is [`Lost`](Fault::Lost).
    Partial,
}

/// Actions before and after the calls of a port. The defaults forward every call unchanged.
///
/// A closure `|call: &Call| future` is the [`before`](Self::before) of hooks without other actions.
#[async_trait]
pub trait Hooks: Send + Sync + 'static {
    /// Acts before a call. Returns the fault of the call, if any, or the error with which it fails
    /// without effect. A scan has only this error; every fault is a [`Fault::Before`] for it.
    async fn before(&self, _call: &Call) -> Result<Option<Fault>> {
        Ok(None)
    }

    /// Acts on the answer of a write, which has no outcomes without conditions, and one outcome for
    /// all rows together.
    async fn after(&self, _call: &Call, _answer: &mut Result<Vec<Outcome>>) {}

    /// Returns the batches of a scan, given those of the inner table.
    fn batches(&self, _scan: &Scan, batches: CellBatches) -> CellBatches {
        batches
    }

    /// Returns the hooks of an application that is opened.
    fn of_application(self: Arc<Self>, _name: &str) -> Arc<Self>
    where
        Self: Sized,
    {
        self
    }

    /// Returns a transactor, given the one of the inner coordination.
    fn transactor(&self, inner: Box<dyn Transactor>) -> Box<dyn Transactor> {
        inner
    }
}

#[async_trait]
impl<F, R> Hooks for F
where
    F: Fn(&Call) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Option<Fault>>> + Send,
{
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        self(call).await
    }
}
