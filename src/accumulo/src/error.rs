//! The proxy's errors, by what a caller of a port can do about them.

use accumulo_proxy::{Error as ProxyError, ErrorKind as Proxy};
use fluo_core::{Error, ErrorKind};

/// The port's error for one of the proxy's. The sentence is kept, and the error with it as the source.
pub(crate) fn port_error(error: ProxyError) -> Error {
    let kind = match error.kind() {
        // Before all else: every other kind promises that nothing was done.
        _ if error.may_have_taken_effect() => ErrorKind::Uncertain,
        Proxy::Invalid | Proxy::TooLarge => ErrorKind::Invalid,
        Proxy::Security => ErrorKind::Denied,
        Proxy::TableNotFound | Proxy::NamespaceNotFound => ErrorKind::NotFound,
        Proxy::TableExists | Proxy::NamespaceExists => ErrorKind::AlreadyExists,
        _ => ErrorKind::Unavailable,
    };
    Error::with_source(kind, error.to_string(), error)
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
