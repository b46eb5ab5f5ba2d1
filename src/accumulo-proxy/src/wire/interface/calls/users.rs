//! Calls about users, their authorizations and their permissions.

#[rustfmt::skip]
macro_rules! user_calls { ($then:ident) => { $then! {
    USERS, "Users", SecurityOperations<'_>;

    /// Checks whether this is the password of a user.
    fn authenticate_user(user: &str, password: &str) -> bool, about user,
        as [user.to_owned(), BTreeMap::from([("password".to_owned(), password.to_owned())])];
    "authenticateUser" (AuthenticateUserRequest, AuthenticateUserReply), Read, Call,
        { 1: token: Bytes, 2: user: String, 3: properties: BTreeMap<String, String> }
        -> value(bool), [1: Accumulo, 2: Security];

    /// Replaces all authorizations of a user.
    fn change_authorizations(
        user: &str,
        authorizations: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> (), about user, as [user.to_owned(), bytes(authorizations)];
    "changeUserAuthorizations" (ChangeUserAuthorizationsRequest, ChangeUserAuthorizationsReply),
        Repeat, Call,
        { 1: token: Bytes, 2: user: String, 3: authorizations: BTreeSet<Bytes> }
        -> nothing, [1: Accumulo, 2: Security];

    /// Changes the password of a user. A client that is logged in with the old password is rejected
    /// from then on and must connect again.
    fn change_password(user: &str, password: &str) -> (), about user,
        as [user.to_owned(), Bytes::copy_from_slice(password.as_bytes())];
    "changeLocalUserPassword" (ChangeLocalUserPasswordRequest, ChangeLocalUserPasswordReply),
        Repeat, Call,
        { 1: token: Bytes, 2: user: String, 3: password: Bytes }
        -> nothing, [1: Accumulo, 2: Security];

    /// Creates a user with a password, without authorizations or permissions. Accumulo rejects a
    /// name that is in use with [`Security`](crate::ErrorKind::Security).
    fn create_user(user: &str, password: &str) -> (), about user,
        as [user.to_owned(), Bytes::copy_from_slice(password.as_bytes())];
    "createLocalUser" (CreateLocalUserRequest, CreateLocalUserReply), Once, Call,
        { 1: token: Bytes, 2: user: String, 3: password: Bytes }
        -> nothing, [1: Accumulo, 2: Security];

    /// Drops a user.
    fn drop_user(user: &str) -> (), about user;
    "dropLocalUser" (DropLocalUserRequest, DropLocalUserReply), Once, Call,
        { 1: token: Bytes, 2: user: String } -> nothing, [1: Accumulo, 2: Security];

    /// Returns the authorizations of a user, which determine the visibilities that the user may
    /// see.
    fn authorizations(user: &str) -> BTreeSet<Bytes>, about user;
    "getUserAuthorizations" (GetUserAuthorizationsRequest, GetUserAuthorizationsReply), Read, Call,
        { 1: token: Bytes, 2: user: String } -> value(Vec<Bytes>), [1: Accumulo, 2: Security];

    /// Grants a user a permission on the system. [`Grant`](SystemPermission::Grant) cannot be
    /// granted.
    fn grant_system_permission(user: &str, permission: SystemPermission) -> (), about user;
    "grantSystemPermission" (GrantSystemPermissionRequest, GrantSystemPermissionReply),
        Repeat, Call,
        { 1: token: Bytes, 2: user: String, 3: perm: SystemPermission }
        -> nothing, [1: Accumulo, 2: Security];

    /// Grants a user a permission on a table.
    fn grant_table_permission(
        user: &str, table: &str, permission: TablePermission
    ) -> (), about table;
    "grantTablePermission" (GrantTablePermissionRequest, GrantTablePermissionReply), Repeat, Call,
        { 1: token: Bytes, 2: user: String, 3: table: String, 4: perm: TablePermission }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Checks whether a user has a permission on the system.
    fn has_system_permission(user: &str, permission: SystemPermission) -> bool, about user;
    "hasSystemPermission" (HasSystemPermissionRequest, HasSystemPermissionReply), Read, Call,
        { 1: token: Bytes, 2: user: String, 3: perm: SystemPermission }
        -> value(bool), [1: Accumulo, 2: Security];

    /// Checks whether a user has a permission on a table.
    fn has_table_permission(
        user: &str, table: &str, permission: TablePermission
    ) -> bool, about table;
    "hasTablePermission" (HasTablePermissionRequest, HasTablePermissionReply), Read, Call,
        { 1: token: Bytes, 2: user: String, 3: table: String, 4: perm: TablePermission }
        -> value(bool), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Returns the names of all users.
    fn users() -> BTreeSet<String>;
    "listLocalUsers" (ListLocalUsersRequest, ListLocalUsersReply), Read, Call, { 1: token: Bytes }
        -> value(BTreeSet<String>), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Revokes a permission on the system from a user.
    fn revoke_system_permission(user: &str, permission: SystemPermission) -> (), about user;
    "revokeSystemPermission" (RevokeSystemPermissionRequest, RevokeSystemPermissionReply),
        Repeat, Call,
        { 1: token: Bytes, 2: user: String, 3: perm: SystemPermission }
        -> nothing, [1: Accumulo, 2: Security];

    /// Revokes a permission on a table from a user.
    fn revoke_table_permission(
        user: &str, table: &str, permission: TablePermission
    ) -> (), about table;
    "revokeTablePermission" (RevokeTablePermissionRequest, RevokeTablePermissionReply),
        Repeat, Call,
        { 1: token: Bytes, 2: user: String, 3: table: String, 4: perm: TablePermission }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Grants a user a permission on a namespace. A namespace that does not exist is
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    fn grant_namespace_permission(
        user: &str, namespace: &str, permission: NamespacePermission
    ) -> (), about namespace;
    "grantNamespacePermission" (GrantNamespacePermissionRequest, GrantNamespacePermissionReply),
        Repeat, Call,
        { 1: token: Bytes, 2: user: String, 3: namespace_name: String,
          4: perm: NamespacePermission }
        -> nothing, [1: Accumulo, 2: Security];

    /// Checks whether a user has a permission on a namespace. A namespace that does not exist is
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    fn has_namespace_permission(
        user: &str, namespace: &str, permission: NamespacePermission
    ) -> bool, about namespace;
    "hasNamespacePermission" (HasNamespacePermissionRequest, HasNamespacePermissionReply),
        Read, Call,
        { 1: token: Bytes, 2: user: String, 3: namespace_name: String,
          4: perm: NamespacePermission }
        -> value(bool), [1: Accumulo, 2: Security];

    /// Revokes a permission on a namespace from a user. A namespace that does not exist is
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    fn revoke_namespace_permission(
        user: &str, namespace: &str, permission: NamespacePermission
    ) -> (), about namespace;
    "revokeNamespacePermission" (RevokeNamespacePermissionRequest, RevokeNamespacePermissionReply),
        Repeat, Call,
        { 1: token: Bytes, 2: user: String, 3: namespace_name: String,
          4: perm: NamespacePermission }
        -> nothing, [1: Accumulo, 2: Security];
} } }

pub(crate) use user_calls;
