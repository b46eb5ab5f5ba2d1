//! Compactions and their options.

use super::TableOperations;
use crate::credentials::{Credentials, Kind};
use crate::data::{Bytes, IteratorSetting, Plugin};
use crate::error::{ErrorKind, Result};
use crate::wire::{Call, interface as wire};

/// Options of [`compact`](crate::TableOperations::compact). The default compacts all files of the
/// whole table, including entries in memory, and waits for the end.
///
/// # Examples
///
/// ```
/// use accumulo_proxy::Compaction;
///
/// let compaction = Compaction::default().rows(Some("a"), None::<&str>);
/// assert!(compaction.wait && compaction.end_row.is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Compaction {
    /// Exclusive start: selects the tablets with rows after this one; `None` for the start of the
    /// table.
    pub start_row: Option<Bytes>,
    /// Inclusive end: selects the tablets with rows up to this one; `None` for the end of the
    /// table.
    pub end_row: Option<Bytes>,
    /// Iterators of this compaction only, in addition to those of the table. Entries that they
    /// leave out are deleted.
    pub iterators: Vec<IteratorSetting>,
    /// `true` to flush the tablets first, so that entries that are only in memory are compacted
    /// too; `true` unless set.
    pub flush: bool,
    /// `true` to wait for the end; `true` unless set.
    pub wait: bool,
    /// The files to compact; all unless set.
    pub plan: CompactionPlan,
}

impl Default for Compaction {
    fn default() -> Self {
        Self {
            start_row: None,
            end_row: None,
            iterators: Vec::new(),
            flush: true,
            wait: true,
            plan: CompactionPlan::default(),
        }
    }
}

impl Compaction {
    /// Restricts the compaction to the tablets with rows after `start`, up to and including `end`.
    pub fn rows(self, start: Option<impl Into<Bytes>>, end: Option<impl Into<Bytes>>) -> Self {
        Self { start_row: start.map(Into::into), end_row: end.map(Into::into), ..self }
    }

    /// Adds an iterator.
    pub fn iterator(mut self, iterator: IteratorSetting) -> Self {
        self.iterators.push(iterator);
        self
    }

    /// Returns immediately instead of waiting for the end.
    pub fn without_waiting(self) -> Self {
        Self { wait: false, ..self }
    }

    /// Sets the files to compact.
    pub fn plan(self, plan: CompactionPlan) -> Self {
        Self { plan, ..self }
    }
}

/// The selection of files for a compaction.
///
/// # Examples
///
/// ```
/// use accumulo_proxy::{CompactionPlan, Plugin};
///
/// let everything = CompactionPlan::default();
/// assert_eq!(everything, CompactionPlan::All);
/// let package = "org.apache.accumulo.tserver.compaction.strategies";
/// let strategy = Plugin::new(format!("{package}.ConfigurableCompactionStrategy"));
/// let some = CompactionPlan::Strategy(strategy);
/// assert_ne!(some, everything);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CompactionPlan {
    /// All files.
    #[default]
    All,
    /// A compaction strategy: only for the proxy of Accumulo 1.x.
    Strategy(Plugin),
    /// A selector of files and a configurer of the output: only for the proxy of Accumulo 2.x.
    Plugins {
        /// `CompactionSelector`.
        selector: Option<Plugin>,
        /// `CompactionConfigurer`.
        configurer: Option<Plugin>,
    },
}

impl TableOperations<'_> {
    /// Compacts tablets (`compactTable`): merges their files into one, and removes entries that are
    /// deleted or too old.
    ///
    /// [Sent once](crate#sending-again), because a second compaction would apply the iterators
    /// again. Its time limit is [`wait_timeout`](field@crate::ProxyOptions::wait_timeout).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Security`](ErrorKind::Security),
    /// [`Accumulo`](ErrorKind::Accumulo), and those of [every call](crate#errors).
    /// [`Invalid`](ErrorKind::Invalid) for a [plan](Compaction::plan) that this proxy does not
    /// support. A compaction that was [cancelled](Self::cancel_compaction) fails with `Accumulo`.
    pub async fn compact(&self, table: &str, compaction: Compaction) -> Result<()> {
        type Request = wire::CompactTable;
        let plan = compaction.plan.fields(&self.client.options().credentials);
        let (selection, configurer) = plan.map_err(|reason| {
            self.client.error(ErrorKind::Invalid, Request::NAME, Some(table), reason)
        })?;
        let request = |token| {
            Request::new(
                token,
                table.to_owned(),
                compaction.start_row,
                compaction.end_row,
                compaction.iterators,
                compaction.flush,
                compaction.wait,
                selection,
                configurer,
            )
        };
        self.client.ask(Some(table), request).await
    }
}

/// Fields 8 and 9 of `compactTable`: the compaction strategy of 1.x or the selector of 2.x, and the
/// configurer of 2.x.
type PlanFields = (Option<Plugin>, Option<Plugin>);

impl CompactionPlan {
    /// Fails if the proxy of these credentials does not support the plan.
    fn fields(self, credentials: &Credentials) -> Result<PlanFields, &'static str> {
        match (self, &credentials.0) {
            (Self::All, Kind::Login { .. } | Kind::SharedSecret(_)) => Ok((None, None)),
            (Self::Strategy(strategy), Kind::Login { .. }) => Ok((Some(strategy), None)),
            (Self::Strategy(_), Kind::SharedSecret(_)) => Err(
                "the proxy of Accumulo 2.x has no compaction strategies; use a selector or a configurer",
            ),
            (Self::Plugins { selector, configurer }, Kind::SharedSecret(_)) => {
                Ok((selector, configurer))
            }
            (Self::Plugins { .. }, Kind::Login { .. }) => {
                Err("the proxy of Accumulo 1.x has no selectors and configurers; use a strategy")
            }
        }
    }
}
