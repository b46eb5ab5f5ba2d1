//! Errors of the proxy as errors of the ports, whose kinds say how a caller can react.

use accumulo_proxy::{Error as ProxyError, ErrorKind as Proxy};
use fluo_table::{Error, ErrorKind};

/// Converts an error of the proxy. Its message stays, and it becomes the source.
pub(crate) fn port_error(error: ProxyError) -> Error {
    let kind = kind_of(error.kind(), error.may_have_taken_effect());
    Error::with_source(kind, error.to_string(), error)
}

pub(crate) fn kind_of(kind: Proxy, may_have_taken_effect: bool) -> ErrorKind {
    match kind {
        // This comes first: every other kind promises that the call had no effect.
        _ if may_have_taken_effect => ErrorKind::Uncertain,
        Proxy::Invalid | Proxy::TooLarge => ErrorKind::Invalid,
        Proxy::Security | Proxy::OtherCredentials => ErrorKind::Denied,
        Proxy::TableNotFound | Proxy::NamespaceNotFound => ErrorKind::NotFound,
        Proxy::TableExists | Proxy::NamespaceExists => ErrorKind::AlreadyExists,
        _ => ErrorKind::Unavailable,
    }
}

/// Converts the error of a check that follows a successful change: the new error must not deny the
/// change.
pub(crate) fn after_change(done: &str, error: Error) -> Error {
    in_doubt(&format!("{done}, but it cannot be checked whether this is in force"), error)
}

/// Converts an error after which something may have been changed.
pub(crate) fn in_doubt(changed: &str, error: Error) -> Error {
    match error.kind() {
        // The table is gone, and the change with it.
        ErrorKind::Uncertain | ErrorKind::NotFound => error,
        _ => Error::with_source(ErrorKind::Uncertain, format!("{changed}: {error}"), error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_becomes_uncertain_if_the_call_may_have_taken_effect() {
        let kinds = [
            (Proxy::Invalid, ErrorKind::Invalid),
            (Proxy::TooLarge, ErrorKind::Invalid),
            (Proxy::Security, ErrorKind::Denied),
            (Proxy::OtherCredentials, ErrorKind::Denied),
            (Proxy::TableNotFound, ErrorKind::NotFound),
            (Proxy::NamespaceNotFound, ErrorKind::NotFound),
            (Proxy::TableExists, ErrorKind::AlreadyExists),
            (Proxy::NamespaceExists, ErrorKind::AlreadyExists),
            (Proxy::MutationsRejected, ErrorKind::Unavailable),
            (Proxy::Unreachable, ErrorKind::Unavailable),
            (Proxy::TimedOut, ErrorKind::Unavailable),
        ];
        for (proxy, certain) in kinds {
            assert_eq!(kind_of(proxy, false), certain, "{proxy:?}");
            assert_eq!(kind_of(proxy, true), ErrorKind::Uncertain, "{proxy:?}");
        }
    }

    #[test]
    fn an_error_after_a_change_does_not_deny_the_change() {
        let check = Error::new(ErrorKind::Unavailable, "no answer");
        let error = after_change("table `t` was created", check);
        assert_eq!(error.kind(), ErrorKind::Uncertain);
        assert_eq!(
            error.to_string(),
            "table `t` was created, but it cannot be checked whether this is in force: no answer"
        );
        let gone = after_change("property p was set", Error::no_such_table("t"));
        assert_eq!(gone.kind(), ErrorKind::NotFound);
    }
}
