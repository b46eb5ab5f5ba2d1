//! Export and import of tables as files.

use super::TableOperations;
use crate::error::Result;
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Exports a table to a new directory of the servers' file system (`exportTable`): its
    /// configuration, its split points, and `distcp.txt`, the list of its files, which must be
    /// copied to the directory of the import. The table must be [offline](Self::offline) until the
    /// files are copied. [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Accumulo`](crate::ErrorKind::Accumulo)
    /// for a table that is online.
    pub async fn export_table(&self, table: &str, directory: &str) -> Result<()> {
        let request =
            |token| wire::ExportTableRequest::new(token, table.to_owned(), directory.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Creates a table from an [export](Self::export_table) (`importTable`). The `directory`
    /// contains `exportMetadata.zip` and the files, which are moved.
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableExists`](crate::ErrorKind::TableExists), [`Accumulo`](crate::ErrorKind::Accumulo) for
    /// a directory without these files.
    pub async fn import_table(&self, table: &str, directory: &str) -> Result<()> {
        let request =
            |token| wire::ImportTableRequest::new(token, table.to_owned(), directory.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Moves the files (RFile) of a directory of the servers' file system into a table
    /// (`importDirectory`). Files that cannot be imported are moved to `failure_directory`, which
    /// must exist and be empty. `set_time` sets the timestamps of all entries to the time of the
    /// import. [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Accumulo`](crate::ErrorKind::Accumulo)
    /// for directories that do not meet these requirements.
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
