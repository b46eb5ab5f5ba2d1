//! A call that changes something through the admin port.

use std::collections::BTreeSet;

use fluo_table::{Bytes, Versions};

/// A call that changes something through the admin port, with its arguments.
///
/// `flush` and `compact` are not included: they do not change the cells that a scan yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdminCall {
    /// [`create_table`](fluo_table::TableAdmin::create_table).
    CreateTable {
        /// The table.
        table: String,
        /// Its versions.
        versions: Versions,
    },
    /// [`delete_table`](fluo_table::TableAdmin::delete_table).
    DeleteTable {
        /// The table.
        table: String,
    },
    /// [`add_splits`](fluo_table::TableAdmin::add_splits).
    AddSplits {
        /// The table.
        table: String,
        /// The split points of this call.
        splits: BTreeSet<Bytes>,
    },
    /// [`merge`](fluo_table::TableAdmin::merge).
    Merge {
        /// The table.
        table: String,
        /// The merge starts after this row.
        start: Option<Bytes>,
        /// The merge ends with this row.
        end: Option<Bytes>,
    },
    /// [`set_property`](fluo_table::TableAdmin::set_property).
    SetProperty {
        /// The table.
        table: String,
        /// The property.
        property: String,
        /// Its new value.
        value: String,
    },
    /// [`remove_property`](fluo_table::TableAdmin::remove_property).
    RemoveProperty {
        /// The table.
        table: String,
        /// The property.
        property: String,
    },
}

impl AdminCall {
    pub(crate) fn create_table(table: &str, versions: Versions) -> Self {
        let table = table.to_owned();
        Self::CreateTable { table, versions }
    }

    pub(crate) fn delete_table(table: &str) -> Self {
        Self::DeleteTable {
            table: table.to_owned(),
        }
    }

    pub(crate) fn add_splits(table: &str, splits: &BTreeSet<Bytes>) -> Self {
        Self::AddSplits {
            table: table.to_owned(),
            splits: splits.clone(),
        }
    }

    pub(crate) fn merge(table: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Self {
        Self::Merge {
            table: table.to_owned(),
            start: start.map(Bytes::copy_from_slice),
            end: end.map(Bytes::copy_from_slice),
        }
    }

    pub(crate) fn set_property(table: &str, property: &str, value: &str) -> Self {
        Self::SetProperty {
            table: table.to_owned(),
            property: property.to_owned(),
            value: value.to_owned(),
        }
    }

    pub(crate) fn remove_property(table: &str, property: &str) -> Self {
        Self::RemoveProperty {
            table: table.to_owned(),
            property: property.to_owned(),
        }
    }
}
