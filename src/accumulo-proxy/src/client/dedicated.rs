//! Calls on one connection, for requests that must arrive in order.
//!
//! A proxy executes the requests of one connection in the order in which they were sent, and
//! defines no order between two connections. The one call without a reply, `update`, and the
//! `flush` that waits for it must therefore share a connection.

use std::time::Duration;

use tokio::time::timeout;

use super::ProxyClient;
use super::retry::{Progress, describe};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::interface::UpdateRequest;
use crate::wire::{Call, Connection, Failure, Patience, Permit, Reply};

/// The name of the call that has no reply.
const UPDATE: &str = "update";

/// A connection for exclusive use. After it breaks, every further call on it fails.
#[derive(Debug)]
pub(crate) struct Pinned {
    client: ProxyClient,
    subject: String,
    /// `None` while a call is under way: if the caller is cancelled, the next answer on the
    /// connection belongs to the cancelled call.
    held: Option<(Connection, Permit)>,
}

impl Pinned {
    /// Takes one of the client's connections. Waits while all are in use.
    pub(crate) async fn take<C: Call>(client: &ProxyClient, subject: &str) -> Result<Self> {
        let limit = client.options().call_timeout;
        let lease = match timeout(limit, client.inner.pool.take(Patience::Call)).await {
            Ok(Ok(lease)) => lease,
            Ok(Err(failure)) => return Err(client.explain::<C>(Some(subject), &failure)),
            Err(_) => {
                let nothing = Progress::default();
                return Err(client.timed_out::<C>(Some(subject), limit, &nothing));
            }
        };
        Ok(Self {
            client: client.clone(),
            subject: subject.to_owned(),
            held: Some(lease.split()),
        })
    }

    /// Makes a call, without retries.
    pub(crate) async fn call<C: Call>(
        &mut self,
        request: &C,
    ) -> Result<<C::Reply as Reply>::Success> {
        let (connection, permit) = self.hold(C::NAME)?;
        let limit = self.limit(C::PATIENCE);
        let Ok((connection, outcome)) = timeout(limit, connection.call(request)).await else {
            let sent = Progress::sent();
            return Err(self
                .client
                .timed_out::<C>(Some(&self.subject), limit, &sent));
        };
        self.held = connection.map(|connection| (connection, permit));
        let subject = Some(self.subject.as_str());
        let outcome = outcome.map_err(|failure| self.client.explain::<C>(subject, &failure));
        self.client.required::<C, _>(subject, outcome?)
    }

    /// Sends `update`, which has no reply. `Ok` means that the request was sent.
    pub(crate) async fn send(&mut self, request: &UpdateRequest) -> Result<()> {
        let (mut connection, permit) = self.hold(UPDATE)?;
        let limit = self.limit(Patience::Call);
        let Ok(sent) = timeout(limit, connection.send(UPDATE, request)).await else {
            let reason = format!("not sent within {limit:?}");
            return Err(self.error(ErrorKind::TimedOut, UPDATE, reason));
        };
        match &sent {
            // A request that is too long was not started.
            Ok(()) | Err(Failure::TooLarge { .. } | Failure::Unwritable(_)) => {
                self.held = Some((connection, permit));
            }
            Err(_) => {}
        }
        sent.map_err(|failure| {
            let (kind, reason) = describe(&failure);
            let is_possible = matches!(failure, Failure::Lost(_));
            self.error(kind, UPDATE, reason)
                .with_possible_effect(is_possible)
        })
    }

    /// Returns the connection to the pool.
    pub(crate) fn give_back(mut self) {
        if let Some((connection, permit)) = self.held.take() {
            self.client.inner.pool.give_back(connection, permit);
        }
    }

    fn hold(&mut self, call: &'static str) -> Result<(Connection, Permit)> {
        self.held.take().ok_or_else(|| {
            let reason = "the connection of this writer broke earlier";
            self.error(ErrorKind::Unreachable, call, reason)
        })
    }

    fn limit(&self, patience: Patience) -> Duration {
        match patience {
            Patience::Call => self.client.options().call_timeout,
            Patience::Wait => self.client.options().wait_timeout,
        }
    }

    fn error(&self, kind: ErrorKind, call: &'static str, reason: impl Into<String>) -> Error {
        self.client.error(kind, call, Some(&self.subject), reason)
    }
}
