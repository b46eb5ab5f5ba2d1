//! The disk usage of tables.

use std::collections::BTreeSet;

use super::TableOperations;
use crate::data::DiskUsage;
use crate::error::Result;
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Returns the disk space of tables (`getDiskUsage`): the size in bytes for each set of tables
    /// that share files, as clones do.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound) if one of the tables does not exist,
    /// [`Security`](crate::ErrorKind::Security), [`Accumulo`](crate::ErrorKind::Accumulo), and
    /// those of [every call](crate#errors).
    pub async fn disk_usage(
        &self,
        tables: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Vec<DiskUsage>> {
        let tables: BTreeSet<String> = tables.into_iter().map(Into::into).collect();
        let subject = Vec::from_iter(tables.iter().map(String::as_str)).join(", ");
        let subject = Some(subject.as_str());
        let request = |token| wire::GetDiskUsage::new(token, tables);
        self.client.ask(subject, request).await
    }
}
