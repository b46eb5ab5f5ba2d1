//! The conditional writer on the proxy: opened at the first use, and reopened when the proxy
//! dropped it.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};
use tracing::debug;

use crate::client::{ProxyClient, SharedValue};
use crate::convert::{FromWire, ToWire};
use crate::data::{Bytes, ConditionalWriterOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::operations::ConditionalWriterHandle;
use crate::wire::{Call, interface as wire};

pub(super) type Updates = BTreeMap<Bytes, wire::ConditionalUpdates>;

type Statuses = BTreeMap<Bytes, wire::ConditionalStatus>;

/// The time after which a writer is opened again if there are several proxies, so that writes go to
/// all of them, and return to one that was restarted.
const MAX_AGE: Duration = Duration::from_secs(60);

/// The connection of a conditional writer to its counterpart on the proxy.
#[derive(Debug)]
pub(super) struct Link {
    client: ProxyClient,
    pub(super) table: String,
    pub(super) options: ConditionalWriterOptions,
    opened: SharedValue<Arc<Opened>>,
}

/// A writer that is open on the proxy. It is closed after the last call with it has ended: closing
/// it earlier would fail the rows of other calls.
#[derive(Debug)]
struct Opened {
    client: ProxyClient,
    writer: ConditionalWriterHandle,
    at: Instant,
    /// `true` after the proxy reported that it does not have the writer.
    is_unknown: AtomicBool,
}

impl Link {
    /// Creates a link. If the options set no timeout, the writer on the proxy gives up before its
    /// caller does.
    pub(super) fn new(
        client: ProxyClient,
        table: String,
        mut options: ConditionalWriterOptions,
    ) -> Self {
        let call_timeout = client.options().call_timeout;
        options.timeout.get_or_insert(call_timeout.saturating_sub(call_timeout / 4));
        Self { client, table, options, opened: SharedValue::default() }
    }

    /// Makes a call with `updates()`. An error whose `may_have_taken_effect` is false is certain.
    pub(super) async fn update(&self, updates: impl Fn() -> Updates) -> Result<Statuses> {
        // The first reopening has no pause: an expiry after ten idle minutes is normal.
        let mut pauses = iter::once(Duration::ZERO).chain(self.client.options().pauses());
        loop {
            let opened = self.open().await?;
            let handle = opened.writer.to_wire();
            let updates = updates();
            let rows = updates.len();
            let request = wire::UpdateRowsConditionally::new(handle, updates);
            let error = match opened.client.call(Some(&self.table), request).await {
                Ok(statuses) => return Ok(statuses),
                Err(error) => error,
            };
            let did_not_arrive = || !error.may_have_taken_effect() && opened.client.is_replaced();
            match error.kind() {
                ErrorKind::HandleExpired => opened.is_unknown.store(true, Ordering::Relaxed),
                ErrorKind::Unreachable | ErrorKind::TimedOut if did_not_arrive() => {}
                _ => return Err(self.explain(error, &opened, rows)),
            }
            self.forget(&opened);
            match pauses.next() {
                Some(pause) => sleep(pause).await,
                None => return Err(error),
            }
        }
    }

    /// Marks an error as uncertain unless it is certain that no row was written: the request did
    /// not arrive, or its only row was denied. The proxy throws at the first row that failed, so
    /// other rows may be written.
    fn explain(&self, error: Error, opened: &Arc<Opened>, rows: usize) -> Error {
        let did_not_arrive = matches!(
            error.kind(),
            ErrorKind::Unreachable | ErrorKind::TimedOut | ErrorKind::TooLarge | ErrorKind::Invalid
        );
        if did_not_arrive {
            return error;
        }
        // The table may have been replaced by another with the same name, and the handle belongs to
        // the old one.
        self.forget(opened);
        // A server checks the permission before it evaluates a condition.
        let was_denied = error.is_denial() && rows == 1;
        error.with_possible_effect(!was_denied)
    }

    /// Returns the writer, and opens it if necessary. No caller waits longer than a call may take,
    /// also not for the attempt of another one.
    async fn open(&self) -> Result<Arc<Opened>> {
        let limit = self.patience();
        let has_others = self.client.has_several_proxies();
        self.opened.forget(|opened| {
            opened.client.is_replaced() || has_others && opened.at.elapsed() > MAX_AGE
        });
        let open = async || {
            let (about, name) = (Some(self.table.as_str()), self.table.clone());
            let options = self.options.to_wire();
            let request = |token| wire::CreateConditionalWriter::new(token, name, options);
            let (writer, client) = self.client.open(about, request).await?;
            let writer = ConditionalWriterHandle::from_wire(writer, about);
            let (at, is_unknown) = (Instant::now(), AtomicBool::new(false));
            Ok(Arc::new(Opened { client, writer, at, is_unknown }))
        };
        timeout(limit, self.opened.get(open)).await.unwrap_or_else(|_| {
            let call = wire::CreateConditionalWriter::NAME;
            let reason = format!("no answer within {limit:?}");
            Err(self.client.error(ErrorKind::TimedOut, call, Some(&self.table), reason))
        })
    }

    fn forget(&self, forgotten: &Arc<Opened>) {
        self.opened.forget(|opened| Arc::ptr_eq(opened, forgotten));
    }

    /// Returns the split points of the table. Without them, all rows count as rows of one tablet.
    pub(super) async fn splits(self: Arc<Self>) -> BTreeSet<Bytes> {
        let tables = self.client.table_operations();
        tables.list_splits(&self.table, None).await.unwrap_or_default()
    }

    pub(super) fn patience(&self) -> Duration {
        self.client.options().call_timeout
    }

    pub(super) fn error(&self, kind: ErrorKind, reason: impl Into<String>) -> Error {
        let call = wire::UpdateRowsConditionally::NAME;
        self.client.error(kind, call, Some(&self.table), reason)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if *self.is_unknown.get_mut() {
            return;
        }
        // A close needs a runtime; without it the proxy drops the idle writer by itself.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let (client, writer) = (self.client.clone(), self.writer.clone());
        runtime.spawn(async move {
            if let Err(error) = client.low_level().close_conditional_writer(&writer).await {
                debug!(%error, "a conditional writer was not closed; the proxy drops it after an idle time");
            }
        });
    }
}
