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
use crate::wire::{Call, Patience, Proxies, Resend};

/// A client of a proxy, or of several of one instance. A clone is another handle to the same
/// connections.
///
/// The calls are grouped as in Accumulo's own client: [`table_operations`](Self::table_operations),
/// [`namespace_operations`](Self::namespace_operations),
/// [`security_operations`](Self::security_operations),
/// [`instance_operations`](Self::instance_operations), and scanners and writers.
#[derive(Clone)]
pub struct ProxyClient {
    inner: Arc<Inner>,
    /// The number of the proxy that makes all calls, if they depend on a handle.
    only: Option<usize>,
}

struct Inner {
    proxies: Proxies,
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
        let (proxies, token) = (Proxies::new(options), SharedValue::default());
        Self { inner: Arc::new(Inner { proxies, token }), only: None }
    }

    /// Returns the options.
    pub fn options(&self) -> &ProxyOptions {
        &self.inner.proxies.options
    }

    /// Returns a client that makes all calls at one of the proxies, for the handles of
    /// [`low_level`](Self::low_level), which exist only there.
    pub fn at_one_proxy(&self) -> Self {
        self.at(self.only.unwrap_or_else(|| self.inner.proxies.choose(&[])))
    }

    /// Returns a client for each proxy, which makes all its calls there, with the address of it.
    pub fn each_proxy(&self) -> impl Iterator<Item = (Self, &str)> {
        let proxies = &self.inner.proxies;
        (0..proxies.count()).map(|proxy| (self.at(proxy), &*proxies.pool(proxy).options.address))
    }

    fn at(&self, proxy: usize) -> Self {
        Self { inner: Arc::clone(&self.inner), only: Some(proxy) }
    }

    pub(crate) fn has_several_proxies(&self) -> bool {
        self.inner.proxies.count() > 1
    }

    /// Checks whether a call may move to another proxy: there is one, and no handle is needed.
    fn may_move(&self) -> bool {
        self.only.is_none() && self.has_several_proxies()
    }

    /// Checks whether the only proxy of this client has failed while another one works, so that a
    /// handle must be opened there.
    pub(crate) fn is_replaced(&self) -> bool {
        self.only.is_some_and(|proxy| self.inner.proxies.is_replaced(proxy))
    }

    /// Makes a call: waits for a connection, sends the request, waits for the reply, and retries
    /// where that is safe.
    pub(crate) async fn call<C: Call>(
        &self,
        subject: Subject<'_>,
        request: C,
    ) -> Result<C::Success> {
        Ok(self.call_at(subject, request).await?.0)
    }

    /// Makes a call, and returns the number of the proxy that answered.
    async fn call_at<C: Call>(
        &self,
        subject: Subject<'_>,
        request: C,
    ) -> Result<(C::Success, usize)> {
        let limit = match C::PATIENCE {
            Patience::Call => self.options().call_timeout,
            Patience::Wait => self.options().wait_timeout,
        };
        let pauses = self.options().pauses();
        let (success, proxy) = self.try_within(limit, pauses, &request, subject).await?;
        Ok((self.required::<C>(subject, success)?, proxy))
    }

    /// Makes a call whose first argument is the token.
    pub(crate) async fn ask<C: Call>(
        &self,
        subject: Subject<'_>,
        request: impl FnOnce(Bytes) -> C,
    ) -> Result<C::Success> {
        self.call(subject, request(self.token().await?)).await
    }

    /// Makes a call that opens a handle, and returns the handle with a client of its proxy.
    pub(crate) async fn open<C: Call>(
        &self,
        subject: Subject<'_>,
        request: impl FnOnce(Bytes) -> C,
    ) -> Result<(C::Success, Self)> {
        let request = request(self.token().await?);
        let (handle, proxy) = self.call_at(subject, request).await?;
        Ok((handle, self.at(proxy)))
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
