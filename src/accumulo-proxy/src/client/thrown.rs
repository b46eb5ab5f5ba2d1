//! What an exception of Accumulo says.
//!
//! The proxy wraps what its own client threw: the message of an exception begins with the names of the classes that
//! were wrapped, the innermost last, and that one tells what happened. So a scan of a table that is deleted
//! fails with an `AccumuloSecurityException` that says
//! `java.lang.RuntimeException: org.apache.accumulo.core.client.TableDeletedException: Table ID 2 was deleted`.

use crate::error::{ErrorKind, Exception};
use crate::wire::shown;

/// The kind of an exception with this message.
pub(super) fn kind(exception: Exception, message: &str) -> ErrorKind {
    match exception {
        Exception::Accumulo => innermost_kind(message).unwrap_or(ErrorKind::Accumulo),
        Exception::Security => innermost_kind(message).unwrap_or(ErrorKind::Security),
        Exception::TableNotFound => ErrorKind::TableNotFound,
        Exception::TableExists => ErrorKind::TableExists,
        Exception::MutationsRejected if denial(message).is_some() => ErrorKind::Security,
        Exception::MutationsRejected => ErrorKind::MutationsRejected,
        Exception::NamespaceNotFound => ErrorKind::NamespaceNotFound,
        Exception::NamespaceExists => ErrorKind::NamespaceExists,
        Exception::NamespaceNotEmpty => ErrorKind::NamespaceNotEmpty,
        Exception::UnknownScanner | Exception::UnknownWriter => ErrorKind::HandleExpired,
        Exception::NoMoreEntries => ErrorKind::Invalid,
    }
}

/// Whether mutations were rejected for want of a permission: each server looks at it before it writes. If so, whether
/// that is all that went wrong, so that nothing was written. Accumulo says this of it, with the codes by table; it
/// counts the refusal among the exceptions as well at times, and then nobody can tell.
/// `# constraint violations : 0  security codes: {t(ID:1)=[PERMISSION_DENIED]}  # server errors 0 # exceptions 0`.
pub(super) fn denial(message: &str) -> Option<Denial> {
    let (_, said) = split(message);
    let rest = said.strip_prefix("# constraint violations : 0  security codes: {")?;
    let (tables, exceptions) = rest.split_once("}  # server errors 0 # exceptions ")?;
    // The name of a table has letters, digits and `_` only.
    let is_denied = |table: &str| table.ends_with("=[PERMISSION_DENIED]");
    tables
        .split(", ")
        .all(is_denied)
        .then_some(match exceptions {
            "0" => Denial::Only,
            _ => Denial::AmongOthers,
        })
}

/// What else went wrong beside a permission that lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denial {
    /// Nothing.
    Only,
    /// Something that Accumulo does not name.
    AmongOthers,
}

/// What Accumulo said, without the classes in front and the rest of a stack behind; on one line, and not without end.
pub(super) fn sentence(message: &str) -> String {
    let (_, rest) = split(message);
    shown(rest)
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

    #[test]
    fn a_permission_that_lacks_is_told_from_other_rejections() {
        let of = |violations: &str, codes: &str, errors: &str| {
            let message = format!(
                "# constraint violations : {violations}  security codes: {{{codes}}}  # server errors {errors} # exceptions 0"
            );
            kind(Exception::MutationsRejected, &message)
        };
        let denied = "t(ID:1)=[PERMISSION_DENIED]";
        assert_eq!(of("0", denied, "0"), ErrorKind::Security);
        let with_exceptions = |count| {
            format!(
                "# constraint violations : 0  security codes: {{{denied}}}  # server errors 0 # exceptions {count}"
            )
        };
        assert_eq!(denial(&with_exceptions(0)), Some(Denial::Only));
        assert_eq!(denial(&with_exceptions(1)), Some(Denial::AmongOthers));
        for (violations, codes, errors) in [
            ("1", denied, "0"),
            ("0", denied, "1"),
            ("0", "", "0"),
            ("0", "t(ID:1)=[TABLE_DOESNT_EXIST]", "0"),
            ("0", "t(ID:1)=[PERMISSION_DENIED, TABLE_DOESNT_EXIST]", "0"),
        ] {
            let kind = of(violations, codes, errors);
            assert_eq!(kind, ErrorKind::MutationsRejected, "{codes}");
        }
    }

    #[test]
    fn what_is_said_is_cut_and_on_one_line() {
        let long = format!("\u{1b}[31m{}", "x".repeat(1_000_000));
        let shown = sentence(&long);
        assert!(shown.len() < 1000, "{} bytes", shown.len());
        assert!(shown.starts_with("\\u{1b}[31mx"), "{shown}");
    }
}
