//! The client: one handle, which leads to every group of calls.

mod java_exception;
mod retry;
mod session;
mod shared_value;

use std::fmt;
use std::sync::Arc;

pub(crate) use self::shared_value::SharedValue;
use crate::data::Bytes;
use crate::error::{Error, ErrorKind, Result};
use crate::options::ProxyOptions;
use crate::wire::{Call, Patience, Pool, Resend};

/// A client of one proxy. A clone is another handle to the same connections.
///
/// The calls are grouped as in Accumulo's own client: [`table_operations`](Self::table_operations),
/// [`namespace_operations`](Self::namespace_operations),
/// [`security_operations`](Self::security_operations),
/// [`instance_operations`](Self::instance_operations), and scanners and writers.
#[derive(Clone)]
pub struct ProxyClient {
    inner: Arc<Inner>,
}

struct Inner {
    pool: Pool,
    token: SharedValue<Bytes>,
}

/// The subject of a call, for its errors.
pub(crate) type Subject<'a> = Option<&'a str>;

impl ProxyClient {
    /// Connects to the proxy and logs in (`login`), so that a wrong address, user or password is
    /// reported here. Makes one attempt, within
    /// [`connect_timeout`](field@ProxyOptions::connect_timeout).
    ///
    /// With a shared secret there is no login. A call that changes nothing checks the secret
    /// instead.
    ///
    /// # Errors
    ///
    /// [`Unreachable`](ErrorKind::Unreachable), [`TimedOut`](ErrorKind::TimedOut),
    /// [`Protocol`](ErrorKind::Protocol). [`Security`](ErrorKind::Security): a wrong password or a
    /// wrong secret. [`OtherCredentials`](ErrorKind::OtherCredentials): a login on a proxy of
    /// Accumulo 2.x, or a shared secret on one of 1.x.
    pub async fn connect(options: ProxyOptions) -> Result<Self> {
        let client = Self::lazy(options);
        let token = client.token().await?;
        if client.options().credentials.user().is_none() {
            client.prove_secret(token).await?;
        }
        Ok(client)
    }

    /// Creates a client that connects at its first call.
    pub fn lazy(options: ProxyOptions) -> Self {
        Self { inner: Arc::new(Inner { pool: Pool::new(options), token: SharedValue::default() }) }
    }

    /// Returns the options.
    pub fn options(&self) -> &ProxyOptions {
        &self.inner.pool.options
    }

    /// Makes a call: waits for a connection, sends the request, waits for the reply, and retries
    /// where that is safe.
    pub(crate) async fn call<C: Call>(
        &self,
        subject: Subject<'_>,
        request: C,
    ) -> Result<C::Success> {
        let limit = match C::PATIENCE {
            Patience::Call => self.options().call_timeout,
            Patience::Wait => self.options().wait_timeout,
        };
        let pauses = self.options().pauses();
        let success = self.try_within(limit, pauses, &request, subject).await?;
        self.required::<C>(subject, success)
    }

    /// Makes a call whose first argument is the token.
    pub(crate) async fn ask<C: Call>(
        &self,
        subject: Subject<'_>,
        request: impl FnOnce(Bytes) -> C,
    ) -> Result<C::Success> {
        self.call(subject, request(self.token().await?)).await
    }

    pub(crate) fn error(
        &self,
        kind: ErrorKind,
        call: &'static str,
        subject: Subject<'_>,
        reason: impl Into<String>,
    ) -> Error {
        Error::new(kind, call, subject, &self.options().address, reason)
    }

    /// Returns the result of a reply, which must contain one. Without a result the call may have
    /// been executed all the same.
    fn required<C: Call>(
        &self,
        subject: Subject<'_>,
        value: Option<C::Success>,
    ) -> Result<C::Success> {
        value.ok_or_else(|| {
            let reason = "the reply holds neither a result nor an exception";
            self.error(ErrorKind::Protocol, C::NAME, subject, reason)
                .with_possible_effect(C::RESEND != Resend::Read)
        })
    }
}

impl fmt::Debug for ProxyClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyClient").field("options", self.options()).finish_non_exhaustive()
    }
}
