//! The proxy's errors, by what a caller of a port can do about them.

use accumulo_proxy::{Error as ProxyError, ErrorKind as Proxy};
use fluo_core::{Error, ErrorKind};

/// The port's error for one of the proxy's. The sentence is kept, and the error with it as the source.
pub(crate) fn port_error(error: ProxyError) -> Error {
    let kind = match error.kind() {
        Proxy::Invalid | Proxy::TooLarge => ErrorKind::Invalid,
        Proxy::Security => ErrorKind::Denied,
        Proxy::TableNotFound | Proxy::NamespaceNotFound => ErrorKind::NotFound,
        Proxy::TableExists | Proxy::NamespaceExists => ErrorKind::AlreadyExists,
        // Whatever else it is: it may have been done, or it was not.
        _ if error.may_have_taken_effect() => ErrorKind::Uncertain,
        _ => ErrorKind::Unavailable,
    };
    Error::with_source(kind, error.to_string(), error)
}
