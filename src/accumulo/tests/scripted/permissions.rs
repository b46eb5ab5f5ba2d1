//! A missing permission is named, whatever words the version of Accumulo has for it.

use std::collections::BTreeSet;

use fluo_core::{Authorizations, Bytes, Column, Condition, Error, ErrorKind, Mutation, TableAdmin};

use crate::servers::{NEW, OLD, PAGES, Servers};

/// The start of the message for a user who lacks a permission; a proxy of 2.x does not say who its user is.
fn lacks(servers: Servers, permission: &str) -> String {
    let user = match servers.takes_secret {
        true => "the user of the proxy",
        false => "user `root`",
    };
    format!("{user} lacks the permission {permission} on table `pages` (")
}

#[track_caller]
fn assert_lacks(error: &Error, servers: Servers, permission: &str) {
    assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
    let said = error.to_string();
    assert!(said.starts_with(&lacks(servers, permission)), "{said}");
}

/// On Accumulo 2.1 the properties of a table are for users with `ALTER_TABLE`. `plan`, `verify`, `watch` and `show` of a
/// user without it failed with Accumulo's words alone, which name no permission.
#[tokio::test]
async fn the_permission_of_an_admin_call_is_named() {
    for servers in [OLD, NEW] {
        let (_fake, tables) = servers.start().await;
        let error = tables.properties(PAGES).await.unwrap_err();
        assert_lacks(&error, servers, "ALTER_TABLE");
        let splits = BTreeSet::from([Bytes::from("m")]);
        let error = tables.add_splits(PAGES, &splits).await.unwrap_err();
        assert_lacks(&error, servers, "ALTER_TABLE");
        let error = tables.flush(PAGES).await.unwrap_err();
        assert_lacks(&error, servers, "WRITE or ALTER_TABLE");
        let error = tables.delete_table(PAGES).await.unwrap_err();
        assert_lacks(&error, servers, "DROP_TABLE");
    }
}

/// A load without `WRITE` on Accumulo 2.1 named no permission, and "1 more may have been" written.
#[tokio::test]
async fn the_permission_of_a_write_is_named_and_nothing_was_written() {
    for servers in [OLD, NEW] {
        let (_fake, tables) = servers.start().await;
        let none = Authorizations::none();
        let pages = tables.open_table(PAGES, none).await.unwrap();
        let mutation = || Mutation::new("r").put(Column::new("f", "q"), "v");
        let error = pages.write(vec![mutation()]).await.unwrap_err();
        assert_lacks(&error, servers, "WRITE");

        let condition = Condition::absent(Column::new("f", "q"));
        let conditional = mutation().when(condition);
        let outcome = pages.write_conditional(vec![conditional]).await;
        assert_lacks(&outcome.unwrap_err(), servers, "READ or WRITE");
    }
}
