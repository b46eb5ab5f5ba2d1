//! Calls about users, their authorizations and their permissions.

#[rustfmt::skip]
macro_rules! user_calls { ($then:ident) => { $then! {
    SecurityOperations<'_>;

    /// Checks whether this is the password of a user.
    fn authenticate_user(user: &str, password: &str) -> bool, about user,
        as [user.to_owned(), BTreeMap::from([("password".to_owned(), password.to_owned())])];
    "authenticateUser" AuthenticateUser(
        token: Bytes, user: String, properties: BTreeMap<String, String>
    ) -> bool, [Accumulo, Security], Read, Call;

    /// Replaces all authorizations of a user.
    fn change_authorizations(
        user: &str,
        authorizations: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> (), about user, as [user.to_owned(), bytes(authorizations)];
    "changeUserAuthorizations" ChangeUserAuthorizations(
        token: Bytes, user: String, authorizations: BTreeSet<Bytes>
    ) -> (), [Accumulo, Security], Repeat, Call;

    /// Changes the password of a user. A client that is logged in with the old password is rejected
    /// from then on and must connect again.
    fn change_password(user: &str, password: &str) -> (), about user,
        as [user.to_owned(), Bytes::copy_from_slice(password.as_bytes())];
    "changeLocalUserPassword" ChangeLocalUserPassword(token: Bytes, user: String, password: Bytes)
        -> (), [Accumulo, Security], Repeat, Call;

    /// Creates a user with a password, without authorizations or permissions. Accumulo rejects a
    /// name that is in use with [`Security`](crate::ErrorKind::Security).
    fn create_user(user: &str, password: &str) -> (), about user,
        as [user.to_owned(), Bytes::copy_from_slice(password.as_bytes())];
    "createLocalUser" CreateLocalUser(token: Bytes, user: String, password: Bytes) -> (),
        [Accumulo, Security], Once, Call;

    /// Drops a user.
    fn drop_user(user: &str) -> (), about user;
    "dropLocalUser" DropLocalUser(token: Bytes, user: String) -> (),
        [Accumulo, Security], Once, Call;

    /// Returns the authorizations of a user, which determine the visibilities that the user may
    /// see.
    fn authorizations(user: &str) -> BTreeSet<Bytes>, about user;
    "getUserAuthorizations" GetUserAuthorizations(token: Bytes, user: String) -> Vec<Bytes>,
        [Accumulo, Security], Read, Call;

    /// Grants a user a permission on the system. [`Grant`](SystemPermission::Grant) cannot be
    /// granted.
    fn grant_system_permission(user: &str, permission: SystemPermission) -> (), about user;
    "grantSystemPermission" GrantSystemPermission(
        token: Bytes, user: String, perm: SystemPermission
    ) -> (), [Accumulo, Security], Repeat, Call;

    /// Grants a user a permission on a table.
    fn grant_table_permission(user: &str, table: &str, permission: TablePermission)
        -> (), about table;
    "grantTablePermission" GrantTablePermission(
        token: Bytes, user: String, table: String, perm: TablePermission
    ) -> (), [Accumulo, Security, TableNotFound], Repeat, Call;

    /// Checks whether a user has a permission on the system.
    fn has_system_permission(user: &str, permission: SystemPermission) -> bool, about user;
    "hasSystemPermission" HasSystemPermission(token: Bytes, user: String, perm: SystemPermission)
        -> bool, [Accumulo, Security], Read, Call;

    /// Checks whether a user has a permission on a table.
    fn has_table_permission(user: &str, table: &str, permission: TablePermission)
        -> bool, about table;
    "hasTablePermission" HasTablePermission(
        token: Bytes, user: String, table: String, perm: TablePermission
    ) -> bool, [Accumulo, Security, TableNotFound], Read, Call;

    /// Returns the names of all users.
    fn users() -> BTreeSet<String>;
    "listLocalUsers" ListLocalUsers(token: Bytes) -> BTreeSet<String>,
        [Accumulo, Security, TableNotFound], Read, Call;

    /// Revokes a permission on the system from a user.
    fn revoke_system_permission(user: &str, permission: SystemPermission) -> (), about user;
    "revokeSystemPermission" RevokeSystemPermission(
        token: Bytes, user: String, perm: SystemPermission
    ) -> (), [Accumulo, Security], Repeat, Call;

    /// Revokes a permission on a table from a user.
    fn revoke_table_permission(user: &str, table: &str, permission: TablePermission)
        -> (), about table;
    "revokeTablePermission" RevokeTablePermission(
        token: Bytes, user: String, table: String, perm: TablePermission
    ) -> (), [Accumulo, Security, TableNotFound], Repeat, Call;

    /// Grants a user a permission on a namespace. A namespace that does not exist is
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    fn grant_namespace_permission(user: &str, namespace: &str, permission: NamespacePermission)
        -> (), about namespace;
    "grantNamespacePermission" GrantNamespacePermission(
        token: Bytes, user: String, namespace_name: String, perm: NamespacePermission
    ) -> (), [Accumulo, Security], Repeat, Call;

    /// Checks whether a user has a permission on a namespace. A namespace that does not exist is
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    fn has_namespace_permission(user: &str, namespace: &str, permission: NamespacePermission)
        -> bool, about namespace;
    "hasNamespacePermission" HasNamespacePermission(
        token: Bytes, user: String, namespace_name: String, perm: NamespacePermission
    ) -> bool, [Accumulo, Security], Read, Call;

    /// Revokes a permission on a namespace from a user. A namespace that does not exist is
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    fn revoke_namespace_permission(user: &str, namespace: &str, permission: NamespacePermission)
        -> (), about namespace;
    "revokeNamespacePermission" RevokeNamespacePermission(
        token: Bytes, user: String, namespace_name: String, perm: NamespacePermission
    ) -> (), [Accumulo, Security], Repeat, Call;
} } }

pub(crate) use user_calls;
