//! Permissions of users: on the system, on namespaces, on tables.

use super::SecurityOperations;
use crate::convert::ToWire;
use crate::data::{NamespacePermission, SystemPermission, TablePermission};
use crate::error::Result;
use crate::wire::interface as wire;

impl SecurityOperations<'_> {
    /// Checks whether a user has a permission on the system (`hasSystemPermission`).
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn has_system_permission(
        &self,
        user: &str,
        permission: SystemPermission,
    ) -> Result<bool> {
        let request = |token| {
            wire::HasSystemPermissionRequest::new(token, user.to_owned(), permission.to_wire())
        };
        self.client.ask(Some(user), request).await
    }

    /// Grants a user a permission on the system (`grantSystemPermission`).
    /// [`Grant`](SystemPermission::Grant) cannot be granted.
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn grant_system_permission(
        &self,
        user: &str,
        permission: SystemPermission,
    ) -> Result<()> {
        let request = |token| {
            wire::GrantSystemPermissionRequest::new(token, user.to_owned(), permission.to_wire())
        };
        self.client.ask(Some(user), request).await
    }

    /// Revokes a permission on the system from a user (`revokeSystemPermission`).
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn revoke_system_permission(
        &self,
        user: &str,
        permission: SystemPermission,
    ) -> Result<()> {
        let request = |token| {
            wire::RevokeSystemPermissionRequest::new(token, user.to_owned(), permission.to_wire())
        };
        self.client.ask(Some(user), request).await
    }

    /// Checks whether a user has a permission on a namespace (`hasNamespacePermission`).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound),
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn has_namespace_permission(
        &self,
        user: &str,
        namespace: &str,
        permission: NamespacePermission,
    ) -> Result<bool> {
        let request = |token| {
            let (user, namespace) = (user.to_owned(), namespace.to_owned());
            wire::HasNamespacePermissionRequest::new(token, user, namespace, permission.to_wire())
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Grants a user a permission on a namespace (`grantNamespacePermission`).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound),
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn grant_namespace_permission(
        &self,
        user: &str,
        namespace: &str,
        permission: NamespacePermission,
    ) -> Result<()> {
        let request = |token| {
            let (user, namespace) = (user.to_owned(), namespace.to_owned());
            wire::GrantNamespacePermissionRequest::new(token, user, namespace, permission.to_wire())
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Revokes a permission on a namespace from a user (`revokeNamespacePermission`).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound),
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn revoke_namespace_permission(
        &self,
        user: &str,
        namespace: &str,
        permission: NamespacePermission,
    ) -> Result<()> {
        let request = |token| {
            let (user, namespace) = (user.to_owned(), namespace.to_owned());
            wire::RevokeNamespacePermissionRequest::new(
                token,
                user,
                namespace,
                permission.to_wire(),
            )
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Checks whether a user has a permission on a table (`hasTablePermission`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Security`](crate::ErrorKind::Security)
    /// if the user does not exist.
    pub async fn has_table_permission(
        &self,
        user: &str,
        table: &str,
        permission: TablePermission,
    ) -> Result<bool> {
        let request = |token| {
            let (user, table) = (user.to_owned(), table.to_owned());
            wire::HasTablePermissionRequest::new(token, user, table, permission.to_wire())
        };
        self.client.ask(Some(table), request).await
    }

    /// Grants a user a permission on a table (`grantTablePermission`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Security`](crate::ErrorKind::Security)
    /// if the user does not exist.
    pub async fn grant_table_permission(
        &self,
        user: &str,
        table: &str,
        permission: TablePermission,
    ) -> Result<()> {
        let request = |token| {
            let (user, table) = (user.to_owned(), table.to_owned());
            wire::GrantTablePermissionRequest::new(token, user, table, permission.to_wire())
        };
        self.client.ask(Some(table), request).await
    }

    /// Revokes a permission on a table from a user (`revokeTablePermission`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Security`](crate::ErrorKind::Security)
    /// if the user does not exist.
    pub async fn revoke_table_permission(
        &self,
        user: &str,
        table: &str,
        permission: TablePermission,
    ) -> Result<()> {
        let request = |token| {
            let (user, table) = (user.to_owned(), table.to_owned());
            wire::RevokeTablePermissionRequest::new(token, user, table, permission.to_wire())
        };
        self.client.ask(Some(table), request).await
    }
}
