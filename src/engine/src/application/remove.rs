//! The removal of an application and its table.

use fluo_table::coordination::{Applications, HeldLock};
use fluo_table::{Error, ErrorKind, Result};

use crate::application::ApplicationHandle;
use crate::application::status::read;

/// Maximum number of claims of an application that gets another table before each claim.
const MAX_CLAIMS: u32 = 8;

impl ApplicationHandle {
    /// Removes the application, then deletes its table with all its data. An interruption leaves at
    /// worst a table without an application.
    ///
    /// # Errors
    ///
    /// - [`NotFound`](ErrorKind::NotFound): the application does not exist.
    /// - [`Unavailable`](ErrorKind::Unavailable): the application is running, or another caller is
    ///   creating or removing it. Nothing was changed.
    /// - The errors of the ports. A table that is left then can be replaced by
    ///   [`clear`](Self::clear).
    pub async fn remove(&self) -> Result<()> {
        let applications = &**self.instance.applications();
        let (table, _claim) = claim_existing(applications, &self.name).await?;
        applications.remove(&self.name).await?;
        match self.instance.table_admin().delete_table(&table).await {
            // Another caller has deleted it.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            deleted => deleted,
        }
    }
}

async fn claim_existing(
    applications: &dyn Applications,
    name: &str,
) -> Result<(String, Box<dyn HeldLock>)> {
    let mut found = read(applications, name).await?.table;
    for _ in 0..MAX_CLAIMS {
        let claim = applications.lock_setup(name, &found).await?;
        // Another caller may have created it again, with another table, before it was claimed.
        let claimed = read(applications, name).await?.table;
        if claimed == found {
            return Ok((found, claim));
        }
        found = claimed;
    }
    Err(Error::unavailable(format!(
        "another process keeps creating application `{name}` with other tables; stop that process, then retry"
    )))
}
