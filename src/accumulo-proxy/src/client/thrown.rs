//! What an exception of Accumulo says.
//!
//! The proxy wraps what its own client threw: the message of an exception begins with the names of the classes that
//! were wrapped, the innermost last, and that one tells what happened. So a scan of a table that is deleted
//! fails with an `AccumuloSecurityException` that says
//! `java.lang.RuntimeException: org.apache.accumulo.core.client.TableDeletedException: Table ID 2 was deleted`.

use crate::error::{ErrorKind, Exception};

/// The kind of an exception with this message.
pub(super) fn kind(exception: Exception, message: &str) -> ErrorKind {
    match exception {
        Exception::Accumulo => innermost_kind(message).unwrap_or(ErrorKind::Accumulo),
        Exception::Security => innermost_kind(message).unwrap_or(ErrorKind::Security),
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

/// What Accumulo said, without the classes in front and the rest of a stack behind.
pub(super) fn sentence(message: &str) -> String {
    let (_, rest) = split(message);
    rest.to_owned()
}

fn innermost_kind(message: &str) -> Option<ErrorKind> {
    let (class, _) = split(message);
    Some(match simple_name(class?) {
        "AccumuloSecurityException" => ErrorKind::Security,
        "TableNotFoundException" | "TableDeletedException" => ErrorKind::TableNotFound,
        "NamespaceNotFoundException" => ErrorKind::NamespaceNotFound,
        "MutationsRejectedException" => ErrorKind::MutationsRejected,
        _ => ErrorKind::Accumulo,
    })
}

/// The innermost class, and what is behind it on the first line.
fn split(message: &str) -> (Option<&str>, &str) {
    let mut rest = message.lines().next().unwrap_or_default();
    let mut innermost = None;
    while let Some((class, more)) = rest.split_once(": ") {
        let is_class = class.contains('.') && !class.contains(' ');
        if !is_class {
            break;
        }
        innermost = Some(class);
        rest = more;
    }
    (innermost, rest)
}

fn simple_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_accumulo_said_is_said_without_its_packages() {
        let message = "org.apache.accumulo.core.client.AccumuloSecurityException: Error BAD_CREDENTIALS for user root - \
                       Username or Password is Invalid\n\tat org.apache";
        assert_eq!(
            sentence(message),
            "Error BAD_CREDENTIALS for user root - Username or Password is Invalid"
        );
        assert_eq!(sentence("Table a: b"), "Table a: b");
    }

    #[test]
    fn the_innermost_class_says_what_happened() {
        let wrapped =
            |class: &str| format!("java.lang.RuntimeException: org.apache.accumulo.{class}: said");
        let of = |message: &str| kind(Exception::Security, message);
        assert_eq!(
            of(&wrapped("core.client.TableDeletedException")),
            ErrorKind::TableNotFound
        );
        assert_eq!(
            of(&wrapped("core.client.impl.AccumuloServerException")),
            ErrorKind::Accumulo
        );
        assert_eq!(
            of(&wrapped("core.client.AccumuloSecurityException")),
            ErrorKind::Security
        );
        assert_eq!(of("Error BAD_CREDENTIALS: root"), ErrorKind::Security);
    }
}
