//! The meaning of an exception of Accumulo.
//!
//! The proxy wraps the exception of its own client. The message then starts with the names of the
//! wrapped classes, the innermost last, and that one identifies the failure. For example, a scan of
//! a deleted table fails with an `AccumuloSecurityException` with this message:
//!
//! ```text
//! java.lang.RuntimeException:
//!   org.apache.accumulo.core.client.TableDeletedException: Table ID 2 was deleted
//! ```
//!
//! (The original is one line.)

use crate::error::ErrorKind;
use crate::wire::shown;

/// Returns the kind of an error by its exception, whose kind is `declared`, and by its message.
pub(super) fn kind(declared: ErrorKind, message: &str) -> ErrorKind {
    match declared {
        ErrorKind::Accumulo | ErrorKind::Security => innermost_kind(message).unwrap_or(declared),
        ErrorKind::MutationsRejected if denial(message).is_some() => ErrorKind::Security,
        _ => declared,
    }
}

/// Returns the denial in the message of a rejection, or `None` if mutations were rejected for
/// another reason than a missing permission. Each server checks the permission before it writes, so
/// a denial alone means that nothing was written. Accumulo lists the codes by table; at times it
/// counts the denial among the exceptions too, and then the outcome is unknown.
///
/// The messages, each on one line:
///
/// ```text
/// 1.10  # constraint violations : 0  security codes: {t(ID:1)=[PERMISSION_DENIED]}
///         # server errors 0 # exceptions 0
/// 2.1   constraint violation codes : []  security codes: {t(ID:1)=[PERMISSION_DENIED]}
///         # server errors 0 # exceptions 0
/// ```
pub(super) fn denial(message: &str) -> Option<Denial> {
    let (_, said) = split(message);
    let rest = NO_VIOLATIONS.iter().find_map(|words| said.strip_prefix(words))?;
    let rest = rest.strip_prefix("  security codes: {")?;
    let (tables, exceptions) = rest.split_once("}  # server errors 0 # exceptions ")?;
    // A table name contains only letters, digits and `_`.
    let is_denied = |table: &str| table.ends_with("=[PERMISSION_DENIED]");
    tables.split(", ").all(is_denied).then_some(match exceptions {
        "0" => Denial::Only,
        _ => Denial::AmongOthers,
    })
}

/// The start of a rejection without constraint violations: in 1.10, and in 2.1.
const NO_VIOLATIONS: [&str; 2] = ["# constraint violations : 0", "constraint violation codes : []"];

/// A denial, by the failures besides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denial {
    /// No other failure.
    Only,
    /// A failure that Accumulo does not name.
    AmongOthers,
}

/// Returns the message of Accumulo without the class names in front and without the stack trace, on
/// one line and with a maximum length.
pub(super) fn sentence(message: &str) -> String {
    shown(split(message).1)
}

fn innermost_kind(message: &str) -> Option<ErrorKind> {
    let class = split(message).0?;
    Some(match class.rsplit('.').next().unwrap_or(class) {
        "AccumuloSecurityException" => ErrorKind::Security,
        "TableNotFoundException" | "TableDeletedException" => ErrorKind::TableNotFound,
        "NamespaceNotFoundException" => ErrorKind::NamespaceNotFound,
        "MutationsRejectedException" => ErrorKind::MutationsRejected,
        _ => ErrorKind::Accumulo,
    })
}

/// Returns the innermost class, and the rest of the first line behind it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_class_names_and_stack_traces_from_messages() {
        let message = "org.apache.accumulo.core.client.AccumuloSecurityException: Error BAD_CREDENTIALS for user root - \
                       Username or Password is Invalid\n\tat org.apache";
        assert_eq!(
            sentence(message),
            "Error BAD_CREDENTIALS for user root - Username or Password is Invalid"
        );
        assert_eq!(sentence("Table a: b"), "Table a: b");
    }

    #[test]
    fn the_innermost_class_determines_the_kind() {
        let wrapped =
            |class: &str| format!("java.lang.RuntimeException: org.apache.accumulo.{class}: said");
        let of = |message: &str| kind(ErrorKind::Security, message);
        assert_eq!(of(&wrapped("core.client.TableDeletedException")), ErrorKind::TableNotFound);
        assert_eq!(of(&wrapped("core.client.impl.AccumuloServerException")), ErrorKind::Accumulo);
        assert_eq!(of(&wrapped("core.client.AccumuloSecurityException")), ErrorKind::Security);
        assert_eq!(of("Error BAD_CREDENTIALS: root"), ErrorKind::Security);
    }

    /// Regression test: a user without `WRITE` loaded rows into Accumulo 2.1, which words the
    /// rejection differently. The client recognized only the wording of 1.10, so it did not report
    /// a missing permission, and a row that no server accepted "may have been" written.
    #[test]
    fn recognizes_a_denial_in_the_wording_of_each_version() {
        let denied = "t(ID:1)=[PERMISSION_DENIED]";
        let old = |violations: &str, codes: &str, errors: &str, exceptions: &str| {
            format!(
                "# constraint violations : {violations}  security codes: {{{codes}}}  # server errors {errors} # exceptions {exceptions}"
            )
        };
        let new = |violations: &str, codes: &str, errors: &str, exceptions: &str| {
            let violations = match violations {
                "0" => String::new(),
                _ => format!("TConstraintViolationSummary(violationCode:{violations})"),
            };
            format!(
                "org.apache.accumulo.core.client.MutationsRejectedException: constraint violation codes : [{violations}]  security codes: {{{codes}}}  # server errors {errors} # exceptions {exceptions}"
            )
        };
        type Wording<'a> = &'a dyn Fn(&str, &str, &str, &str) -> String;
        for wording in [&old as Wording<'_>, &new] {
            let only = wording("0", denied, "0", "0");
            assert_eq!(kind(ErrorKind::MutationsRejected, &only), ErrorKind::Security);
            assert_eq!(denial(&only), Some(Denial::Only));
            let among_others = wording("0", denied, "0", "1");
            assert_eq!(denial(&among_others), Some(Denial::AmongOthers));
            for (violations, codes, errors) in [
                ("1", denied, "0"),
                ("0", denied, "1"),
                ("0", "", "0"),
                ("0", "t(ID:1)=[TABLE_DOESNT_EXIST]", "0"),
                ("0", "t(ID:1)=[PERMISSION_DENIED, TABLE_DOESNT_EXIST]", "0"),
            ] {
                let message = wording(violations, codes, errors, "0");
                let kind = kind(ErrorKind::MutationsRejected, &message);
                assert_eq!(kind, ErrorKind::MutationsRejected, "{message}");
            }
        }
    }

    #[test]
    fn messages_are_truncated_and_on_one_line() {
        let long = format!("\u{1b}[31m{}", "x".repeat(1_000_000));
        let shown = sentence(&long);
        assert!(shown.len() < 1000, "{} bytes", shown.len());
        assert!(shown.starts_with("\\u{1b}[31mx"), "{shown}");
    }
}
