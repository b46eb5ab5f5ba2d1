//! Errors of ZooKeeper as errors of the ports.

use fluo_table::{Error, ErrorKind};
use zookeeper_client::Error as Cause;

use super::options::SessionOptions;

/// Checks whether a request failed because its connection was lost. The request may have taken
/// effect, and the session may continue.
pub(crate) fn is_connection_lost(cause: &Cause) -> bool {
    // Errors of the operating system, and answers that are overdue, have no variants of their own.
    matches!(cause, Cause::ConnectionLoss | Cause::Timeout | Cause::Custom(_))
}

/// Converts the error of a request that only reads, or that had no effect.
pub(super) fn reading(servers: &str, path: &str, cause: Cause) -> Error {
    let kind = match cause {
        Cause::NoAuth | Cause::AuthFailed => ErrorKind::Denied,
        Cause::BadArguments(_) | Cause::InvalidAcl | Cause::MarshallingError => ErrorKind::Invalid,
        Cause::UnmarshalError { .. } => ErrorKind::Corrupt,
        _ => ErrorKind::Unavailable,
    };
    Error::with_source(kind, message(servers, path, &cause), cause)
}

/// Converts the error of a request that may have changed nodes.
pub(super) fn changing(servers: &str, path: &str, cause: Cause) -> Error {
    let is_certain = matches!(
        cause,
        Cause::NoAuth
            | Cause::AuthFailed
            | Cause::BadArguments(_)
            | Cause::InvalidAcl
            | Cause::MarshallingError
            | Cause::NoChildrenForEphemerals
            | Cause::NotReadOnly
            | Cause::QuotaExceeded
            | Cause::Throttled
            | Cause::Unimplemented
            | Cause::SessionMoved
    );
    if is_certain {
        reading(servers, path, cause)
    } else {
        let message = message(servers, path, &cause);
        Error::with_source(ErrorKind::Uncertain, message, cause)
    }
}

/// Converts the error of a session that cannot be opened. `failure` is the reason, if it is not the
/// one of the client.
pub(super) fn connecting(options: &SessionOptions, cause: Cause, failure: Option<String>) -> Error {
    let kind = match cause {
        Cause::AuthFailed | Cause::NoAuth => ErrorKind::Denied,
        Cause::BadArguments(_) => ErrorKind::Invalid,
        _ => ErrorKind::Unavailable,
    };
    let sasl = options.security.sasl.as_ref();
    let user = sasl.map_or(String::new(), |sasl| format!(" as user `{}`", sasl.user));
    let rejects = format!("rejects the authentication of the client{user}");
    let message = match (&cause, failure) {
        (Cause::AuthFailed, _) => rejects,
        (_, Some(failure)) => format!("cannot be reached: {failure}"),
        // Servers before 3.6 close the connection of a user whom they reject.
        (Cause::NoHosts, None) if sasl.is_some() => format!("cannot be reached, or {rejects}"),
        _ => format!("cannot be reached: {cause}"),
    };
    Error::with_source(kind, format!("ZooKeeper at `{}` {message}", options.servers), cause)
}

fn message(servers: &str, path: &str, cause: &Cause) -> String {
    match cause {
        Cause::NoAuth => format!(
            "ZooKeeper at `{servers}` denies access to `{path}`; the applications have a secret that this client \
             lacks, or another one"
        ),
        _ => format!("ZooKeeper at `{servers}`: request for `{path}` failed: {cause}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zookeeper::security::Sasl;

    #[test]
    fn a_lost_change_is_uncertain_and_a_lost_read_is_not() {
        let changed = changing("zk:1", "/fluo/web", Cause::ConnectionLoss);
        assert_eq!(changed.kind(), ErrorKind::Uncertain);
        assert_eq!(
            changed.to_string(),
            "ZooKeeper at `zk:1`: request for `/fluo/web` failed: connection to server has lost"
        );
        let read = reading("zk:1", "/fluo/web", Cause::ConnectionLoss);
        assert_eq!(read.kind(), ErrorKind::Unavailable);
        assert_eq!(read.to_string(), changed.to_string());
    }

    #[test]
    fn names_the_secret_if_access_is_denied() {
        for error in [
            reading("zk:1", "/fluo/web/config", Cause::NoAuth),
            changing("zk:1", "/fluo/web/config", Cause::NoAuth),
        ] {
            assert_eq!(error.kind(), ErrorKind::Denied);
            assert_eq!(
                error.to_string(),
                "ZooKeeper at `zk:1` denies access to `/fluo/web/config`; the applications have a secret that this \
                 client lacks, or another one"
            );
        }
    }

    #[test]
    fn names_why_a_session_cannot_be_opened() {
        let mut options = SessionOptions::new("zk:1/fluo").unwrap();
        let connecting = |options: &SessionOptions, cause, failure: Option<&str>| {
            let error = connecting(options, cause, failure.map(str::to_owned));
            let message = error.to_string();
            (error.kind(), message.strip_prefix("ZooKeeper at `zk:1` ").unwrap().to_owned())
        };
        let (unavailable, denied) = (ErrorKind::Unavailable, ErrorKind::Denied);
        for (cause, failure, kind, without, with) in [
            (
                Cause::NoHosts,
                None,
                unavailable,
                "cannot be reached: no available hosts",
                "cannot be reached, or rejects the authentication of the client as user `a`",
            ),
            (
                Cause::AuthFailed,
                None,
                denied,
                "rejects the authentication of the client",
                "rejects the authentication of the client as user `a`",
            ),
            (
                Cause::NoHosts,
                Some("TLS failed"),
                unavailable,
                "cannot be reached: TLS failed",
                "cannot be reached: TLS failed",
            ),
        ] {
            options.security.sasl = None;
            assert_eq!(connecting(&options, cause.clone(), failure), (kind, without.to_owned()));
            let sasl = Sasl { user: "a".to_owned(), password: "pa55word".to_owned() };
            options.security.sasl = Some(sasl);
            assert_eq!(connecting(&options, cause, failure), (kind, with.to_owned()));
        }
    }
}
