//! Tables as files: export and import.

use super::TableOperations;
use crate::error::Result;
use crate::wire::generated as wire;

impl TableOperations<'_> {
    /// Writes what it takes to make the table elsewhere into a new directory of the servers' file system
    /// (`exportTable`): its configuration and split points, and `distcp.txt`, the list of its files, which are to be
    /// copied into the directory to import from. The table must be [offline](Self::offline), and must stay it until the
    /// files are copied. [Sent once](crate#sending-again).
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Accumulo`](crate::ErrorKind::Accumulo) for a table that is
    /// online.
    pub async fn export_table(&self, table: &str, directory: &str) -> Result<()> {
        let request =
            |token| wire::ExportTableRequest::new(token, table.to_owned(), directory.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Makes a table of what [`export_table`](Self::export_table) wrote (`importTable`): `directory` holds
    /// `exportMetadata.zip` and the files, which are moved. [Sent once](crate#sending-again).
    ///
    /// # Errors
    /// [`TableExists`](crate::ErrorKind::TableExists), [`Accumulo`](crate::ErrorKind::Accumulo) for a directory without
    /// them.
    pub async fn import_table(&self, table: &str, directory: &str) -> Result<()> {
        let request =
            |token| wire::ImportTableRequest::new(token, table.to_owned(), directory.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Moves the files (RFile) of a directory of the servers' file system into a table (`importDirectory`). Those that
    /// cannot be imported go to `failure_directory`, which must exist and be empty. `set_time` gives all entries the
    /// time of the import. [Sent once](crate#sending-again).
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Accumulo`](crate::ErrorKind::Accumulo) for directories
    /// that are not as they must be.
    pub async fn import_directory(
        &self,
        table: &str,
        directory: &str,
        failure_directory: &str,
        set_time: bool,
    ) -> Result<()> {
        let request = |token| {
            let (directory, failures) = (directory.to_owned(), failure_directory.to_owned());
            wire::ImportDirectoryRequest::new(
                token,
                table.to_owned(),
                directory,
                failures,
                set_time,
            )
        };
        self.client.ask(Some(table), request).await
    }
}
