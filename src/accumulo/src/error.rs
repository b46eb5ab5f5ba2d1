//! The proxy's errors, by what a caller of a port can do about them.

use accumulo_proxy::{Error as ProxyError, ErrorKind as Proxy};
use fluo_core::{Error, ErrorKind};

use crate::identity::Fate;
use crate::tables::AccumuloTables;

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
        Proxy::Security | Proxy::OtherCredentials => ErrorKind::Denied,
        Proxy::TableNotFound | Proxy::NamespaceNotFound => ErrorKind::NotFound,
        Proxy::TableExists | Proxy::NamespaceExists => ErrorKind::AlreadyExists,
        _ => ErrorKind::Unavailable,
    }
}

impl AccumuloTables {
    /// Returns the error of a call that needs a permission on a table, and names the permission if the user lacks it:
    /// Accumulo does not.
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
        // A proxy of Accumulo 2.x does not say who its user is.
        None => "the user of the proxy".to_owned(),
    };
    let doubt = match is_certain {
        true => "",
        false => {
            "; each server looks at permissions by itself, so another one may have taken some of the rows"
        }
    };
    format!("{user} lacks the permission {permission} on table `{table}` ({said}){doubt}")
}

/// The error of a write to a table of which this is known by now.
pub(crate) fn of_write(table: &str, fate: &Fate, error: ProxyError) -> Error {
    let Some(what) = became(table, fate) else {
        return port_error(error);
    };
    let kind = match error.may_have_taken_effect() {
        true if *fate != Fate::Deleted => ErrorKind::Uncertain,
        // What may have been written is gone again.
        _ => ErrorKind::NotFound,
    };
    Error::with_source(kind, format!("{what} ({error})"), error)
}

fn became(table: &str, fate: &Fate) -> Option<String> {
    Some(match fate {
        Fate::Same => return None,
        Fate::Deleted => {
            format!("table `{table}` was deleted meanwhile, and its rows are gone with it")
        }
        Fate::Renamed(name) => format!("table `{table}` was renamed to `{name}` meanwhile"),
        Fate::Replaced => {
            format!("table `{table}` was deleted meanwhile, and another one made in its place")
        }
    })
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
            (Proxy::OtherCredentials, ErrorKind::Denied),
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

    #[test]
    fn a_permission_that_lacks_is_named() {
        let said = "updateAndFlush of `t` at h:1: PERMISSION_DENIED";
        assert_eq!(
            lack("WRITE", Some("guest"), "t", said, true),
            "user `guest` lacks the permission WRITE on table `t` (updateAndFlush of `t` at h:1: PERMISSION_DENIED)"
        );
        assert_eq!(
            lack("WRITE", None, "t", said, false),
            "the user of the proxy lacks the permission WRITE on table `t` (updateAndFlush of `t` at h:1: \
             PERMISSION_DENIED); each server looks at permissions by itself, so another one may have taken some of the rows"
        );
    }

    #[test]
    fn what_became_of_the_table_is_said() {
        assert_eq!(became("t", &Fate::Same), None);
        for (fate, told) in [
            (
                Fate::Deleted,
                "table `t` was deleted meanwhile, and its rows are gone with it",
            ),
            (
                Fate::Renamed("u".to_owned()),
                "table `t` was renamed to `u` meanwhile",
            ),
            (
                Fate::Replaced,
                "table `t` was deleted meanwhile, and another one made in its place",
            ),
        ] {
            assert_eq!(became("t", &fate).as_deref(), Some(told));
        }
    }
}
