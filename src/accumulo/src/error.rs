//! Errors of the proxy as errors of the ports, whose kinds say how a caller can react.

use accumulo_proxy::{Error as ProxyError, ErrorKind as Proxy};
use fluo_table::{Error, ErrorKind};

use crate::table_ids::Fate;
use crate::tables::AccumuloTables;

/// Converts an error of the proxy. Its message stays, and it becomes the source.
pub(crate) fn port_error(error: ProxyError) -> Error {
    let kind = kind_of(error.kind(), error.may_have_taken_effect());
    Error::with_source(kind, error.to_string(), error)
}

fn kind_of(kind: Proxy, may_have_taken_effect: bool) -> ErrorKind {
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

impl AccumuloTables {
    /// Converts the error of a call that needs a permission on a table. If the user lacks the
    /// permission, the message names it, because that of Accumulo does not.
    pub(crate) fn lacking(&self, permission: &str, table: &str, error: ProxyError) -> Error {
        if !error.is_denial() {
            return port_error(error);
        }
        let user = self.client.options().credentials().user();
        let is_certain = !error.may_have_taken_effect();
        let kind = kind_of(error.kind(), !is_certain);
        let message = lack(permission, user, table, &error.to_string(), is_certain);
        Error::with_source(kind, message, error)
    }
}

fn lack(permission: &str, user: Option<&str>, table: &str, said: &str, is_certain: bool) -> String {
    let user = match user {
        Some(user) => format!("user `{}`", user.escape_debug()),
        // A proxy of Accumulo 2.x does not reveal its user.
        None => "the user of the proxy".to_owned(),
    };
    let doubt = match is_certain {
        true => "",
        false => {
            "; each server checks permissions itself, so other servers may have written some of the rows"
        }
    };
    format!("{user} lacks the permission {permission} on table `{table}` ({said}){doubt}")
}

/// Converts the error of a write to a table that has this fate by now.
pub(crate) fn of_write(table: &str, fate: &Fate, error: ProxyError) -> Error {
    let Some(what) = became(table, fate) else {
        return port_error(error);
    };
    let kind = match error.may_have_taken_effect() {
        true if *fate != Fate::Deleted => ErrorKind::Uncertain,
        // Rows that may have been written were deleted together with the table.
        _ => ErrorKind::NotFound,
    };
    Error::with_source(kind, format!("{what} ({error})"), error)
}

fn became(table: &str, fate: &Fate) -> Option<String> {
    Some(match fate {
        Fate::Same => return None,
        Fate::Deleted => {
            format!("table `{table}` was deleted during the call, together with its rows")
        }
        Fate::Renamed(name) => format!("table `{table}` was renamed to `{name}` during the call"),
        Fate::Replaced => {
            format!(
                "table `{table}` was deleted during the call, and another table was created under its name"
            )
        }
    })
}

/// Converts the error of a check that follows a successful change: the new error must not deny the
/// change.
pub(crate) fn after_change(done: &str, error: Error) -> Error {
    match error.kind() {
        // The table is gone, and the change with it.
        ErrorKind::Uncertain | ErrorKind::NotFound => error,
        _ => {
            let message =
                format!("{done}, but it cannot be checked whether this is in force: {error}");
            Error::with_source(ErrorKind::Uncertain, message, error)
        }
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

    #[test]
    fn names_the_missing_permission() {
        let said = "updateAndFlush of `t` at h:1: PERMISSION_DENIED";
        assert_eq!(
            lack("WRITE", Some("guest"), "t", said, true),
            "user `guest` lacks the permission WRITE on table `t` (updateAndFlush of `t` at h:1: PERMISSION_DENIED)"
        );
        assert_eq!(
            lack("WRITE", None, "t", said, false),
            "the user of the proxy lacks the permission WRITE on table `t` (updateAndFlush of `t` at h:1: \
             PERMISSION_DENIED); each server checks permissions itself, so other servers may have written some of the rows"
        );
    }

    #[test]
    fn names_the_fate_of_the_table() {
        assert_eq!(became("t", &Fate::Same), None);
        for (fate, message) in [
            (
                Fate::Deleted,
                "table `t` was deleted during the call, together with its rows",
            ),
            (
                Fate::Renamed("u".to_owned()),
                "table `t` was renamed to `u` during the call",
            ),
            (
                Fate::Replaced,
                "table `t` was deleted during the call, and another table was created under its name",
            ),
        ] {
            assert_eq!(became("t", &fate).as_deref(), Some(message));
        }
    }
}
