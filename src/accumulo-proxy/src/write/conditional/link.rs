//! The conditional writer on the proxy: opened when needed, opened again when the proxy forgot it.

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use tracing::debug;

use super::options::ConditionalWriterOptions;
use crate::client::{Asked, ProxyClient};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::generated as wire;

/// Updates on conditions, by row.
pub(super) type Updates = BTreeMap<Vec<u8>, wire::ConditionalUpdates>;

/// What became of them, by row.
pub(super) type Statuses = BTreeMap<Vec<u8>, wire::ConditionalStatus>;

/// A conditional writer on the proxy.
#[derive(Debug)]
pub(super) struct Link {
    client: ProxyClient,
    table: String,
    options: wire::ConditionalWriterOptions,
    opened: Asked<Arc<Opened>>,
}

/// A writer that was opened. It is closed when the last call with it has ended: closed before, it would fail the rows
/// of the others.
#[derive(Debug)]
struct Opened {
    client: ProxyClient,
    table: String,
    handle: String,
    /// Whether the proxy said that it does not know it.
    is_unknown: AtomicBool,
}

impl Link {
    /// A link whose writer gives up before its caller does, where the options do not say when.
    pub(super) fn new(
        client: ProxyClient,
        table: String,
        options: &ConditionalWriterOptions,
    ) -> Self {
        let call_timeout = client.settings().call_timeout;
        let mut options = options.clone();
        options
            .timeout
            .get_or_insert(call_timeout.saturating_sub(call_timeout / 4));
        Self {
            client,
            table,
            options: options.to_wire(),
            opened: Asked::new(),
        }
    }

    /// Makes a call with `updates()`. An error whose `may_have_taken_effect` is false is certain.
    pub(super) async fn update(&self, updates: impl Fn() -> Updates) -> Result<Statuses> {
        // The first time it is opened again at once: ten idle minutes are no sign of trouble.
        let retry = self.client.settings().retry;
        let mut pauses = iter::once(Duration::ZERO).chain(retry.pauses());
        loop {
            let opened = self.open().await?;
            let handle = opened.handle.clone();
            let updates = updates();
            let rows = updates.len();
            let request = wire::UpdateRowsConditionallyRequest::new(handle, updates);
            let error = match self.client.call(Some(&self.table), request).await {
                Ok(statuses) => return Ok(statuses),
                Err(error) => error,
            };
            if error.kind() != ErrorKind::HandleExpired {
                return Err(self.explain(error, &opened, rows));
            }
            opened.is_unknown.store(true, Ordering::Relaxed);
            self.forget(&opened);
            match pauses.next() {
                Some(pause) => sleep(pause).await,
                None => return Err(error),
            }
        }
    }

    /// Marks an error as uncertain unless it is certain that no row was written: the request did not arrive, or its
    /// only row was denied. The proxy throws at the first row that failed, so other rows may be written.
    fn explain(&self, error: Error, opened: &Arc<Opened>, rows: usize) -> Error {
        let did_not_arrive = matches!(
            error.kind(),
            ErrorKind::Gone | ErrorKind::TimedOut | ErrorKind::TooLarge | ErrorKind::Invalid
        );
        if did_not_arrive {
            return error;
        }
        // The table may have been replaced by another of its name, which the handle does not lead to.
        self.forget(opened);
        // A server checks the permission before it looks at a condition.
        let was_denied = error.is_denial() && rows == 1;
        error.with_possible_effect(!was_denied)
    }

    /// The writer, opened where it is not. Calls that wait for that together share a failure, and none waits longer
    /// than a call may take.
    async fn open(&self) -> Result<Arc<Opened>> {
        let limit = self.client.settings().call_timeout;
        match timeout(limit, self.opened.get(self.ask())).await {
            Ok(answer) => answer,
            Err(_) => Err(self.client.error(
                ErrorKind::TimedOut,
                wire::CreateConditionalWriterRequest::NAME,
                Some(&self.table),
                format!("no answer within {limit:?}"),
            )),
        }
    }

    async fn ask(&self) -> Result<Arc<Opened>> {
        let request = |token| {
            wire::CreateConditionalWriterRequest::new(
                token,
                self.table.clone(),
                self.options.clone(),
            )
        };
        let handle = self.client.ask(Some(&self.table), request).await?;
        Ok(Arc::new(Opened {
            client: self.client.clone(),
            table: self.table.clone(),
            handle,
            is_unknown: AtomicBool::new(false),
        }))
    }

    /// Uses this one for no further call. Another call may have opened a new one meanwhile, which stays.
    fn forget(&self, forgotten: &Arc<Opened>) {
        drop(self.opened.forget(|opened| Arc::ptr_eq(opened, forgotten)));
    }

    /// The error of a mutation whose time was over while it waited.
    pub(super) fn waited(&self) -> Error {
        let limit = self.client.settings().call_timeout;
        let call = wire::UpdateRowsConditionallyRequest::NAME;
        let reason = format!("not sent within {limit:?}: it waited behind others");
        self.client
            .error(ErrorKind::TimedOut, call, Some(&self.table), reason)
    }

    /// How long a mutation may wait for its call.
    pub(super) fn patience(&self) -> Duration {
        self.client.settings().call_timeout
    }

    /// The error of a reply that has no meaning.
    pub(super) fn meaningless(&self, reason: String) -> Error {
        let call = wire::UpdateRowsConditionallyRequest::NAME;
        self.client
            .error(ErrorKind::Protocol, call, Some(&self.table), reason)
            .with_possible_effect(true)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if *self.is_unknown.get_mut() {
            return;
        }
        // Without a runtime nothing can be asked; the proxy forgets a writer when it has been idle for long.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let client = self.client.clone();
        let table = std::mem::take(&mut self.table);
        let handle = std::mem::take(&mut self.handle);
        runtime.spawn(close(client, table, handle));
    }
}

async fn close(client: ProxyClient, table: String, handle: String) {
    let request = wire::CloseConditionalWriterRequest::new(handle);
    if let Err(error) = client.call(Some(&table), request).await {
        debug!(%error, "a conditional writer was not closed; the proxy forgets it when it has been idle for long");
    }
}
