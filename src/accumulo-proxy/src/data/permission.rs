//! Permissions.

/// A permission on a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TablePermission {
    /// Scan.
    Read,
    /// Write.
    Write,
    /// Import files.
    BulkImport,
    /// Change properties, split points, iterators.
    AlterTable,
    /// Grant permissions on the table.
    Grant,
    /// Delete the table.
    DropTable,
}

/// A permission on the whole instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SystemPermission {
    /// Grant permissions.
    Grant,
    /// Create tables.
    CreateTable,
    /// Delete any table.
    DropTable,
    /// Change any table.
    AlterTable,
    /// Create users.
    CreateUser,
    /// Delete users.
    DropUser,
    /// Change users.
    AlterUser,
    /// Administer: properties of the system, state of the servers.
    System,
    /// Create namespaces.
    CreateNamespace,
    /// Delete any namespace.
    DropNamespace,
    /// Change any namespace.
    AlterNamespace,
    /// Get a delegation token.
    ObtainDelegationToken,
}

/// A permission on a namespace and the tables in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamespacePermission {
    /// Scan its tables.
    Read,
    /// Write to its tables.
    Write,
    /// Change the namespace.
    AlterNamespace,
    /// Grant permissions on the namespace.
    Grant,
    /// Change its tables.
    AlterTable,
    /// Create tables in the namespace.
    CreateTable,
    /// Delete its tables.
    DropTable,
    /// Import files into its tables.
    BulkImport,
    /// Delete the namespace.
    DropNamespace,
}
