//! Errors of calls that need a permission on a table.

use accumulo_proxy::Error as ProxyError;
use fluo_table::Error;

use crate::error::{kind_of, port_error};
use crate::tables::AccumuloTables;

impl AccumuloTables {
    /// Converts the error of a call that needs a permission on a table. If the user lacks the
    /// permission, the message names it, because that of Accumulo does not.
    pub(crate) fn lacking(&self, permission: &str, table: &str, error: ProxyError) -> Error {
        self.identities.forget_recent();
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
    let doubt = if is_certain {
        ""
    } else {
        "; each server checks permissions itself, so other servers may have written some of the rows"
    };
    format!("{user} lacks the permission {permission} on table `{table}` ({said}){doubt}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
