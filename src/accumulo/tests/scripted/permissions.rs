//! Errors of missing permissions, which name the permission for each version of Accumulo.

use std::collections::BTreeSet;

use fluo_table::{
    Authorizations, Bytes, Column, Condition, Error, ErrorKind, Mutation, TableAdmin,
};

use crate::servers::{NEW, OLD, PAGES, Servers};

/// Checks the error for a user who lacks a permission. A proxy of 2.x does not reveal its user.
#[track_caller]
fn assert_lacks(error: &Error, servers: Servers, permission: &str) {
    assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
    let user = if servers.takes_secret { "the user of the proxy" } else { "user `root`" };
    let expected = format!("{user} lacks the permission {permission} on table `pages` (");
    assert!(error.to_string().starts_with(&expected), "{error}");
}

/// On Accumulo 2.1 reading the properties of a table requires `ALTER_TABLE`. Covers a bug: for
/// a user without it, `plan`, `verify`, `watch` and `show` failed with the message of Accumulo,
/// which names no permission.
#[tokio::test]
async fn names_the_missing_permission_of_an_admin_call() {
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

/// Covers a bug: a load without `WRITE` on Accumulo 2.1 named no permission, and reported that
/// "1 more may have been" written.
#[tokio::test]
async fn names_the_missing_permission_of_a_write_that_wrote_nothing() {
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
