//! The instance of a directory: [`open`] and [`open_existing`].

use std::path::Path;
use std::sync::Arc;

use fluo_table::{Instance, Result};

use crate::options::EmbeddedOptions;
use crate::tables::EmbeddedTables;

/// Opens the instance of a directory with the default options, and creates the directory if it
/// does not exist. Its parent must exist.
///
/// Blocks the thread, as [`EmbeddedTables::open`] does. For other options, call that function and
/// then [`EmbeddedTables::instance`].
///
/// # Errors
///
/// Those of [`EmbeddedTables::open`]; [`NotFound`](fluo_table::ErrorKind::NotFound) only if the
/// parent of the directory does not exist.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, InstanceExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let parent = tempfile::tempdir()?;
/// # let directory = parent.path().join("data");
/// let fluo = fluo_embedded::open(&directory)?;
/// let client = fluo.application("web").open_or_create().await?;
/// let visits = Column::new("page", "visits");
/// client.run(async |tx| tx.set("org.wikipedia", &visits, "1")).await?;
/// # Ok(())
/// # }
/// ```
pub fn open(directory: impl AsRef<Path>) -> Result<Instance> {
    let options = EmbeddedOptions::new().create_if_missing(true);
    Ok(EmbeddedTables::open(directory, options)?.instance())
}

/// Opens the instance of an existing directory with the default options. Creates nothing, so a
/// mistyped path is an error.
///
/// # Errors
///
/// Those of [`EmbeddedTables::open`]; [`NotFound`](fluo_table::ErrorKind::NotFound) if the
/// directory does not exist or has no tables in it.
pub fn open_existing(directory: impl AsRef<Path>) -> Result<Instance> {
    Ok(EmbeddedTables::open(directory, EmbeddedOptions::new())?.instance())
}

impl EmbeddedTables {
    /// Returns the instance of the directory: these tables, and the
    /// [applications](Self::applications).
    #[must_use]
    pub fn instance(&self) -> Instance {
        Instance::new(Arc::new(self.clone()), Arc::new(self.applications()))
    }
}
