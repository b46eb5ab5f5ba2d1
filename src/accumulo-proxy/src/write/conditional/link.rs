//! The conditional writer on the proxy: opened when needed, opened again when the proxy forgot it.

use std::collections::BTreeMap;
use std::iter;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::sleep;
use tracing::debug;

use crate::client::ProxyClient;
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
    handle: Mutex<Option<String>>,
}

impl Link {
    pub(super) fn new(
        client: ProxyClient,
        table: String,
        options: wire::ConditionalWriterOptions,
    ) -> Self {
        Self {
            client,
            table,
            options,
            handle: Mutex::new(None),
        }
    }

    /// Makes a call with `updates()`. An error whose `may_have_taken_effect` is false is certain.
    pub(super) async fn update(&self, updates: impl Fn() -> Updates) -> Result<Statuses> {
        // The first time it is opened again at once: ten idle minutes are no sign of trouble.
        let retry = self.client.settings().retry;
        let mut pauses = iter::once(Duration::ZERO).chain(retry.pauses());
        loop {
            let handle = self.open().await?;
            let request = wire::UpdateRowsConditionallyRequest::new(handle.clone(), updates());
            let error = match self.client.call(Some(&self.table), request).await {
                Ok(statuses) => return Ok(statuses),
                Err(error) => error,
            };
            let is_forgotten = error.kind() == ErrorKind::HandleExpired;
            match pauses.next() {
                Some(pause) if is_forgotten => {
                    self.forget(&handle).await;
                    sleep(pause).await;
                }
                _ => return Err(self.explain(error, &handle).await),
            }
        }
    }

    /// What the proxy threw, it threw at one row, and the others may be written: only a request that did not
    /// arrive did certainly nothing.
    async fn explain(&self, error: Error, handle: &str) -> Error {
        let did_not_arrive = matches!(
            error.kind(),
            ErrorKind::Gone
                | ErrorKind::TimedOut
                | ErrorKind::TooLarge
                | ErrorKind::Invalid
                | ErrorKind::HandleExpired
        );
        if did_not_arrive {
            return error;
        }
        // The table may have been replaced by another of its name, which the handle does not lead to.
        if self.forget(handle).await {
            self.close_handle(handle.to_owned()).await;
        }
        error.with_possible_effect(true)
    }

    /// The handle, opened where it is not.
    async fn open(&self) -> Result<String> {
        let mut handle = self.handle.lock().await;
        if let Some(handle) = &*handle {
            return Ok(handle.clone());
        }
        let token = self.client.token().await?;
        let request = wire::CreateConditionalWriterRequest::new(
            token,
            self.table.clone(),
            self.options.clone(),
        );
        let opened = self.client.call(Some(&self.table), request).await?;
        Ok(handle.insert(opened).clone())
    }

    /// Whether the handle was still in use.
    async fn forget(&self, forgotten: &str) -> bool {
        let mut handle = self.handle.lock().await;
        // Another call may have opened a new one meanwhile.
        handle
            .take_if(|handle| handle.as_str() == forgotten)
            .is_some()
    }

    /// The error of a reply that has no meaning.
    pub(super) fn meaningless(&self, reason: String) -> Error {
        let call = wire::UpdateRowsConditionallyRequest::NAME;
        self.client
            .error(ErrorKind::Protocol, call, Some(&self.table), reason)
            .with_possible_effect(true)
    }

    /// Closes the writer on the proxy.
    pub(super) async fn close(&self) {
        let handle = self.handle.lock().await.take();
        if let Some(handle) = handle {
            self.close_handle(handle).await;
        }
    }

    async fn close_handle(&self, handle: String) {
        let request = wire::CloseConditionalWriterRequest::new(handle);
        if let Err(error) = self.client.call(Some(&self.table), request).await {
            debug!(%error, "a conditional writer was not closed; the proxy forgets it when it has been idle for long");
        }
    }
}
