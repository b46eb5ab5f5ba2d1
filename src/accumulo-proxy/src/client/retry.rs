//! Attempts of a call: connections, failures, and the decision to retry.

use std::time::Duration;
use std::{io, iter};

use tokio::time::{sleep, timeout};
use tracing::debug;

use super::{ProxyClient, Subject, java_exception};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::interface::Login;
use crate::wire::{Call, Failure, Patience, Resend};

/// The reason of an error if a login fails on a proxy of Accumulo 2.x.
const NO_LOGINS: &str = "the proxy has no logins (Accumulo 2.x); it requires its shared secret instead \
                         of user and password";

/// Progress of the attempts of a call, for the error when its time limit expires.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) was_sent: bool,
    pub(super) is_under_way: bool,
    /// `true` if a finished attempt may have taken effect, independent of the later attempts.
    pub(super) is_possible: bool,
    /// The proxy of the last attempt.
    pub(super) proxy: Option<usize>,
}

impl ProxyClient {
    /// Makes one attempt within [`connect_timeout`](field@crate::ProxyOptions::connect_timeout).
    pub(super) async fn try_once<C: Call>(
        &self,
        request: &C,
        subject: Subject<'_>,
    ) -> Result<(Option<C::Success>, usize)> {
        let limit = self.options().connect_timeout;
        self.try_within(limit, iter::empty(), request, subject).await
    }

    /// Makes attempts within `limit`, as many as the pauses between them and the call allow.
    /// Returns the reply with the number of the proxy. Between two pauses each proxy may be tried.
    pub(super) async fn try_within<C: Call>(
        &self,
        limit: Duration,
        mut pauses: impl Iterator<Item = Duration>,
        request: &C,
        subject: Subject<'_>,
    ) -> Result<(Option<C::Success>, usize)> {
        let proxies = &self.inner.proxies;
        let mut progress = Progress::default();
        // A proxy that does not answer must leave some of the time to the others. A change does not
        // move: the silent proxy could make it after a later one.
        let is_short = C::RESEND == Resend::Read && C::PATIENCE == Patience::Call;
        let share = (is_short && self.may_move()).then(|| proxies.share(limit));
        let attempts = async {
            let mut tried = Vec::new();
            loop {
                let proxy = self.only.unwrap_or_else(|| proxies.choose(&tried));
                let failure = match self.attempt(proxy, share, request, &mut progress).await {
                    Ok(success) => return Ok((success, proxy)),
                    Err(failure) => failure,
                };
                tried.push(proxy);
                // An invalid address is a mistake, and not a proxy that fails.
                let is_unsent = matches!(
                    &failure,
                    Failure::Unsent(error) if error.kind() != io::ErrorKind::InvalidInput
                );
                let may_resend = may_resend::<C>(&failure);
                let has_others = self.may_move() && tried.len() < proxies.count();
                let pause = if has_others && (is_unsent || may_resend) {
                    Some(Duration::ZERO)
                } else if !may_resend || self.is_replaced() {
                    // The owner of a handle opens it again at another proxy.
                    None
                } else {
                    tried.clear();
                    pauses.next()
                };
                let Some(pause) = pause else {
                    let error = self.explain::<C>(proxy, subject, &failure);
                    break Err(error.with_possible_effect(progress.is_possible));
                };
                debug!(call = C::NAME, ?failure, ?pause, "sending again");
                sleep(pause).await;
            }
        };
        let outcome = timeout(limit, attempts).await;
        outcome.unwrap_or_else(|_| {
            // A call that waits for the cluster shows nothing about the proxy.
            let silent = progress.proxy.filter(|_| C::PATIENCE == Patience::Call);
            if let Some(proxy) = silent.filter(|_| progress.is_under_way) {
                proxies.record(proxy, false);
            }
            Err(self.timed_out::<C>(subject, limit, &progress))
        })
    }

    /// Returns the error of a call whose `limit` expired with this progress.
    pub(super) fn timed_out<C: Call>(
        &self,
        subject: Subject<'_>,
        limit: Duration,
        progress: &Progress,
    ) -> Error {
        let reason = if progress.was_sent {
            format!("no answer within {limit:?}")
        } else {
            format!("not sent within {limit:?}: no connection was available")
        };
        let is_possible = progress.is_under_way || progress.is_possible;
        self.error(ErrorKind::TimedOut, C::NAME, subject, reason)
            .with_possible_effect(is_possible && C::RESEND != Resend::Read)
    }

    async fn attempt<C: Call>(
        &self,
        proxy: usize,
        share: Option<Duration>,
        request: &C,
        progress: &mut Progress,
    ) -> std::result::Result<Option<C::Success>, Failure> {
        let proxies = &self.inner.proxies;
        let pool = proxies.pool(proxy);
        progress.proxy = Some(proxy);
        let taken = pool.take(C::PATIENCE, self.may_move()).await;
        let (connection, permit) = taken.inspect_err(|_| proxies.record(proxy, false))?;
        (progress.was_sent, progress.is_under_way) = (true, true);
        let call = connection.call(request);
        let (connection, outcome) = match share {
            Some(share) => {
                timeout(share, call).await.unwrap_or_else(|_| (None, Err(Failure::Silent(share))))
            }
            None => call.await,
        };
        progress.is_under_way = false;
        progress.is_possible |= outcome.as_ref().is_err_and(may_have_effect::<C>);
        match &outcome {
            // Nothing was sent.
            Err(Failure::TooLarge { .. } | Failure::Unwritable(_)) => {}
            Err(Failure::Unsent(_) | Failure::Lost(_) | Failure::Silent(_))
            | Err(Failure::Malformed(_)) => proxies.record(proxy, false),
            _ => proxies.record(proxy, true),
        }
        match connection {
            Some(connection) => pool.give_back(connection, permit),
            // After one connection broke, the idle ones are suspect: they lead to the same proxy.
            None => pool.forget_idle(),
        }
        outcome
    }

    fn explain<C: Call>(&self, proxy: usize, subject: Subject<'_>, failure: &Failure) -> Error {
        let (kind, reason) = match failure {
            Failure::UnknownCall(_) if C::NAME == Login::NAME => {
                (ErrorKind::OtherCredentials, NO_LOGINS.to_owned())
            }
            failure => describe(failure),
        };
        let address = &self.inner.proxies.pool(proxy).options.address;
        Error::new(kind, C::NAME, subject, address, reason)
            .with_reply_too_large(matches!(failure, Failure::ReplyTooLarge { .. }))
    }
}

fn may_resend<C: Call>(failure: &Failure) -> bool {
    match failure {
        Failure::Unsent(error) | Failure::Lost(error) if is_lasting(error) => false,
        Failure::Unsent(_) => true,
        Failure::Lost(_) => C::RESEND != Resend::Once,
        Failure::Silent(_) => C::RESEND == Resend::Read,
        _ => false,
    }
}

/// Checks whether a retry would fail in the same way: the address is invalid, or TLS with the
/// server is impossible.
fn is_lasting(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
}

fn may_have_effect<C: Call>(failure: &Failure) -> bool {
    if C::RESEND == Resend::Read {
        return false;
    }
    match failure {
        Failure::TooLarge { .. } | Failure::Unwritable(_) | Failure::Unsent(_) => false,
        // A proxy reports an internal failure in this way too. By then it had started, and
        // `updateAndFlush` writes the rows that it had read by then.
        Failure::Refused(_) | Failure::UnknownCall(_) => true,
        Failure::Lost(_) | Failure::Silent(_) => true,
        Failure::ReplyTooLarge { .. } | Failure::Malformed(_) => true,
        Failure::Thrown(ErrorKind::MutationsRejected, message) => {
            java_exception::denial(message) != Some(java_exception::Denial::Only)
        }
        // Accumulo checks permissions and names before it does anything. Its other failures can
        // occur at any point.
        Failure::Thrown(kind, _) => *kind == ErrorKind::Accumulo,
    }
}

fn describe(failure: &Failure) -> (ErrorKind, String) {
    match failure {
        Failure::TooLarge { bytes, most } => (
            ErrorKind::TooLarge,
            format!("the request has {bytes} bytes, more than the {most} of a frame"),
        ),
        Failure::Unwritable(reason) => (ErrorKind::Invalid, reason.clone()),
        Failure::Unsent(error) if error.kind() == io::ErrorKind::TimedOut => {
            (ErrorKind::TimedOut, "no connection within the limit".to_owned())
        }
        Failure::Unsent(error) if error.kind() == io::ErrorKind::InvalidInput => {
            (ErrorKind::Invalid, error.to_string())
        }
        Failure::Unsent(error) | Failure::Lost(error) if is_lasting(error) => {
            (ErrorKind::Protocol, error.to_string())
        }
        Failure::Unsent(error) => {
            (ErrorKind::Unreachable, format!("cannot reach the proxy: {error}"))
        }
        Failure::Lost(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            (ErrorKind::Unreachable, error.to_string())
        }
        Failure::Silent(share) => (ErrorKind::TimedOut, format!("no answer within {share:?}")),
        Failure::Lost(error) => {
            (ErrorKind::Unreachable, format!("the connection broke before the answer: {error}"))
        }
        Failure::ReplyTooLarge { bytes, most } => (
            ErrorKind::Protocol,
            format!(
                "the reply claims {bytes} bytes, more than the {most} that this client accepts"
            ),
        ),
        Failure::Malformed(reason) | Failure::Refused(reason) | Failure::UnknownCall(reason) => {
            (ErrorKind::Protocol, reason.clone())
        }
        Failure::Thrown(kind, message) => {
            (java_exception::kind(*kind, message), java_exception::sentence(message))
        }
    }
}
