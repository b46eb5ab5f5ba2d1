//! Trying a call: connections, failures, and what may be sent again.

use std::io;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tracing::debug;

use super::{ProxyClient, Subject};
use crate::error::{Error, ErrorKind, Exception, Result};
use crate::wire::{Call, Failure, Reply, Resend};

type Success<C> = Option<<<C as Call>::Reply as Reply>::Success>;

impl ProxyClient {
    /// One try within `limit`.
    pub(super) async fn try_once<C: Call>(
        &self,
        request: &C,
        subject: Subject<'_>,
        limit: Duration,
    ) -> Result<Success<C>> {
        match timeout(limit, self.attempt(request)).await {
            Ok(outcome) => outcome.map_err(|failure| self.explain::<C>(subject, failure)),
            Err(_) => Err(self.timed_out::<C>(subject, limit)),
        }
    }

    /// As many tries as the settings and the call allow.
    pub(super) async fn try_again<C: Call>(
        &self,
        request: &C,
        subject: Subject<'_>,
    ) -> Result<Success<C>> {
        let mut pauses = self.settings().retry.pauses();
        loop {
            let failure = match self.attempt(request).await {
                Ok(success) => return Ok(success),
                Err(failure) => failure,
            };
            match pauses.next() {
                Some(pause) if may_resend::<C>(&failure) => {
                    debug!(call = C::NAME, ?failure, ?pause, "sending again");
                    sleep(pause).await;
                }
                _ => return Err(self.explain::<C>(subject, failure)),
            }
        }
    }

    /// The error of a call that had no answer within `limit`.
    pub(super) fn timed_out<C: Call>(&self, subject: Subject<'_>, limit: Duration) -> Error {
        let reason = format!("no answer within {limit:?}");
        self.error(ErrorKind::TimedOut, C::NAME, subject, reason)
            .with_possible_effect(C::RESEND != Resend::Read)
    }

    async fn attempt<C: Call>(&self, request: &C) -> std::result::Result<Success<C>, Failure> {
        let pool = &self.inner.pool;
        let (connection, permit) = pool.take().await?.split();
        let (connection, outcome) = connection.call(request).await;
        match connection {
            Some(connection) => pool.give_back(connection, permit),
            // One broke: the others lead to the same proxy.
            None => pool.forget_idle(),
        }
        outcome
    }

    fn explain<C: Call>(&self, subject: Subject<'_>, failure: Failure) -> Error {
        let (kind, reason) = describe(&failure);
        self.error(kind, C::NAME, subject, reason)
            .with_possible_effect(may_have_effect::<C>(&failure))
    }
}

fn may_resend<C: Call>(failure: &Failure) -> bool {
    match failure {
        Failure::Unsent(error) => error.kind() != io::ErrorKind::InvalidInput,
        Failure::Lost(_) => C::RESEND != Resend::Once,
        _ => false,
    }
}

fn may_have_effect<C: Call>(failure: &Failure) -> bool {
    if C::RESEND == Resend::Read {
        return false;
    }
    match failure {
        Failure::TooLarge { .. }
        | Failure::Unwritable(_)
        | Failure::Unsent(_)
        | Failure::Refused(_) => false,
        Failure::Lost(_) | Failure::ReplyTooLarge { .. } | Failure::Malformed { .. } => true,
        // Accumulo checks permissions and names before it does anything. Its other failures come at any point.
        Failure::Thrown(exception, _) => {
            matches!(
                exception,
                Exception::Accumulo | Exception::MutationsRejected
            )
        }
    }
}

fn describe(failure: &Failure) -> (ErrorKind, String) {
    match failure {
        Failure::TooLarge { bytes, most } => (
            ErrorKind::TooLarge,
            format!("the request takes {bytes} bytes, a frame at most {most}"),
        ),
        Failure::Unwritable(reason) => (ErrorKind::Invalid, reason.clone()),
        Failure::Unsent(error) if error.kind() == io::ErrorKind::TimedOut => (
            ErrorKind::TimedOut,
            "no connection within the limit".to_owned(),
        ),
        Failure::Unsent(error) => (ErrorKind::Gone, format!("cannot reach the proxy: {error}")),
        Failure::Lost(error) if error.kind() == io::ErrorKind::UnexpectedEof => (
            ErrorKind::Gone,
            "the proxy closed the connection before it answered".to_owned(),
        ),
        Failure::Lost(error) => (
            ErrorKind::Gone,
            format!("the connection broke before the answer: {error}"),
        ),
        Failure::ReplyTooLarge { bytes, most } => (
            ErrorKind::Protocol,
            format!("the reply claims {bytes} bytes, the setting `max_reply_bytes` allows {most}"),
        ),
        Failure::Malformed { is_http: true, .. } => (
            ErrorKind::Protocol,
            "an HTTP server answers there, not an Accumulo proxy".to_owned(),
        ),
        Failure::Malformed { reason, .. } | Failure::Refused(reason) => {
            (ErrorKind::Protocol, reason.clone())
        }
        Failure::Thrown(exception, message) => (kind_of(*exception), first_line(message)),
    }
}

fn kind_of(exception: Exception) -> ErrorKind {
    match exception {
        Exception::Accumulo => ErrorKind::Accumulo,
        Exception::Security => ErrorKind::Security,
        Exception::TableNotFound => ErrorKind::TableNotFound,
        Exception::TableExists => ErrorKind::TableExists,
        Exception::MutationsRejected => ErrorKind::MutationsRejected,
        Exception::NamespaceNotFound => ErrorKind::NamespaceNotFound,
        Exception::NamespaceExists => ErrorKind::NamespaceExists,
        Exception::NamespaceNotEmpty => ErrorKind::NamespaceNotEmpty,
        Exception::UnknownScanner | Exception::UnknownWriter => ErrorKind::HandleExpired,
        Exception::NoMoreEntries => ErrorKind::Invalid,
    }
}

/// What Accumulo said, without the names of Java packages in front and the rest of a stack behind.
fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut rest = line;
    while let Some((class, more)) = rest.split_once(": ") {
        let is_class = class.contains('.') && !class.contains(' ');
        if !is_class {
            break;
        }
        rest = more;
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_accumulo_said_is_said_without_its_packages() {
        let message = "org.apache.accumulo.core.client.AccumuloSecurityException: Error BAD_CREDENTIALS for user root - \
                       Username or Password is Invalid\n\tat org.apache";
        assert_eq!(
            first_line(message),
            "Error BAD_CREDENTIALS for user root - Username or Password is Invalid"
        );
        assert_eq!(first_line("Table a: b"), "Table a: b");
    }
}
