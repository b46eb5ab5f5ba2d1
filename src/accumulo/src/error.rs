//! The proxy's errors, by what a caller of a port can do about them.

use accumulo_proxy::{Error as ProxyError, ErrorKind as Proxy};
use fluo_core::{Error, ErrorKind};

/// The port's error for one of the proxy's. The sentence is kept, and the error with it as the source.
pub(crate) fn port_error(error: ProxyError) -> Error {
    let kind = kind_of(error.kind(), error.may_have_taken_effect());
    Error::with_source(kind, error.to_string(), error)
}

fn kind_of(kind: Proxy, may_have_taken_effect: bool) -> ErrorKind {
    match kind {
        // Before all else: every other kind promises that nothing was done.
        _ if may_have_taken_effect => ErrorKind::Uncertain,
        Proxy::Invalid | Proxy::TooLarge => ErrorKind::Invalid,
        Proxy::Security => ErrorKind::Denied,
        Proxy::TableNotFound | Proxy::NamespaceNotFound => ErrorKind::NotFound,
        Proxy::TableExists | Proxy::NamespaceExists => ErrorKind::AlreadyExists,
        _ => ErrorKind::Unavailable,
    }
}

/// The error of a look that follows a change which was made: it must not say that nothing was done.
pub(crate) fn after_change(done: &str, error: Error) -> Error {
    match error.kind() {
        // The table has gone, and what was done with it.
        ErrorKind::Uncertain | ErrorKind::NotFound => error,
        _ => {
            let message = format!("{done}, but whether that is in force cannot be seen: {error}");
            Error::with_source(ErrorKind::Uncertain, message, error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kind_denies_what_may_have_been_done() {
        let kinds = [
            (Proxy::Invalid, ErrorKind::Invalid),
            (Proxy::TooLarge, ErrorKind::Invalid),
            (Proxy::Security, ErrorKind::Denied),
            (Proxy::TableNotFound, ErrorKind::NotFound),
            (Proxy::NamespaceNotFound, ErrorKind::NotFound),
            (Proxy::TableExists, ErrorKind::AlreadyExists),
            (Proxy::NamespaceExists, ErrorKind::AlreadyExists),
            (Proxy::MutationsRejected, ErrorKind::Unavailable),
            (Proxy::Gone, ErrorKind::Unavailable),
            (Proxy::TimedOut, ErrorKind::Unavailable),
        ];
        for (proxy, certain) in kinds {
            assert_eq!(kind_of(proxy, false), certain, "{proxy:?}");
            assert_eq!(kind_of(proxy, true), ErrorKind::Uncertain, "{proxy:?}");
        }
    }

    #[test]
    fn what_was_done_is_not_denied() {
        let look = Error::new(ErrorKind::Unavailable, "nobody answers");
        let told = after_change("table `t` was created", look);
        assert_eq!(told.kind(), ErrorKind::Uncertain);
        assert_eq!(
            told.to_string(),
            "table `t` was created, but whether that is in force cannot be seen: nobody answers"
        );
        let gone = after_change("property p was set", Error::no_such_table("t"));
        assert_eq!(gone.kind(), ErrorKind::NotFound);
    }
}
