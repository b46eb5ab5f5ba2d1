//! The creation and the removal of an application and its table.
//!
//! The table and the shared state are in two places, and no step changes both. Therefore an
//! application is recorded last and removed first: an interruption leaves at worst a table without
//! an application, which [`clear`](crate::ApplicationHandle::clear) replaces. With jars it may also
//! leave a class path, which the next creation or removal of the application replaces or removes,
//! and the table `TABLE_ID` of the check of the jars. Of two callers that create or remove one
//! application, or one table, at the same time, one is
//! [refused](fluo_table::coordination::Applications::lock_setup).
//!
//! A caller that stops waiting, for example after a timeout, gives up its claim at once, but its
//! last call may still take effect: the table is created or deleted, the application is recorded or
//! removed, each wholly or not at all. The same holds for a caller whose session ends (C13 of
//! [`Applications`](fluo_table::coordination::Applications)). Two applications never have one
//! table: the second one is refused at the latest when it is recorded. It may have replaced the
//! table by then.

use std::collections::BTreeMap;

use fluo_table::coordination::HeldLock;
use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::table::property::CLASS_PATH;
use fluo_table::{Error, ErrorKind, LocalityGroups, Result, TableAdmin, Versions};

use crate::application::ApplicationHandle;
use crate::application::binding::APPLICATION;
use crate::application::class_path::ClassPath;
use crate::application::status::{applications_of, read, readable_applications_of};

/// The locality group of notifications: workers scan it without reading other columns.
const NOTIFY_GROUP: &str = "notify";

const BLOCK_CACHE: &str = "table.cache.block.enable";

/// Maximum number of claims of an application that gets another table before each claim.
const MAX_CLAIMS: u32 = 8;

impl ApplicationHandle {
    /// Creates the application and its table, and opens nothing. Its id comes from the
    /// [generator](fluo_table::Instance::with_ids) of the instance.
    ///
    /// It claims both names until it returns, and checks everything before it changes anything. An
    /// interruption leaves at worst a table without an application, which a call with
    /// [`clear`](Self::clear) replaces; with [`jars`](Self::jars) also the class path, which the
    /// next call replaces or removes, and the empty table of a check, named after the application's
    /// table and id.
    ///
    /// # Errors
    ///
    /// - Those of [`check`](Self::check), and [`Invalid`](ErrorKind::Invalid) if the servers lack a
    ///   part that [transactions need](fluo_table::TableAdmin::check_transactions), or if there are
    ///   [`jars`](Self::jars) and the tables load none. Nothing was changed.
    /// - [`Invalid`](ErrorKind::Invalid) if the servers do not find in the jars the iterators that
    ///   fit them. Nothing was changed.
    /// - [`Denied`](ErrorKind::Denied) if the user may not set a class path. Nothing was changed.
    /// - [`AlreadyExists`](ErrorKind::AlreadyExists) if the application or the table exists and
    ///   [`clear`](Self::clear) is not set, if the table belongs to another application, if the
    ///   application has another table, or if another table loads other jars from the class path,
    ///   as an application of the same name has the same one. Nothing was changed.
    /// - [`Unavailable`](ErrorKind::Unavailable) if the application is running, or if another
    ///   caller is creating or removing the application or the table. Nothing was changed.
    /// - The errors of the ports: earlier steps stay done.
    pub async fn initialize(&self) -> Result<()> {
        let application = self.new_application(self.instance.new_id())?;
        let tables = &**self.instance.table_admin();
        let (applications, name) = (&**self.instance.applications(), self.name.as_str());
        tables.check_transactions(None).await?;
        let (id, table) = (application.id.clone(), application.table.clone());
        let _claim = applications.lock_setup(name, &table).await?;
        let is_there = applications.list().await?.iter().any(|found| found == name);
        if is_there {
            if !self.clear {
                return Err(Error::application_exists(name));
            }
            self.check_replaceable(&table).await?;
        }
        let has_table = tables.table_exists(&table).await?;
        // Each application would report the rows of the other one as damage. Without a table there
        // are no rows, so an application that cannot be read does not prevent the creation of
        // others.
        let owners = match has_table {
            true => applications_of(applications, &table).await?,
            false => readable_applications_of(applications, &table).await?,
        };
        if let Some(other) = owners.iter().find(|owner| *owner != name) {
            return Err(Error::table_in_use(name, &table, other));
        }
        if has_table && !self.clear {
            let message = format!(
                "table `{table}` exists without an application; replace it, or choose another table for `{name}`"
            );
            return Err(Error::new(ErrorKind::AlreadyExists, message));
        }
        let class_path = ClassPath::new(name);
        let probe = format!("{table}_{}", id.replace('-', "_"));
        match &*self.jars {
            [] => {}
            jars => class_path.set(tables, jars, &table, &probe).await?,
        }
        if is_there {
            applications.remove(name).await?;
        }
        if has_table {
            tables.delete_table(&table).await?;
        }
        // An earlier application, or an interruption, may have left one.
        if self.jars.is_empty() && matches!(tables.class_path(class_path.name()).await, Ok(Some(_)))
        {
            class_path.remove_unused(tables).await;
        }
        let uses = (!self.jars.is_empty()).then_some(class_path.name());
        make_table(tables, &table, &id, uses).await?;
        applications.initialize(name, application).await
    }

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
        let (table, _claim) = self.claim_existing().await?;
        applications.remove(&self.name).await?;
        let tables = &**self.instance.table_admin();
        let class_path = ClassPath::new(&self.name);
        // If its properties cannot be read, the table may use one.
        let has_class_path = class_path.is_used_by(tables, &table).await.unwrap_or(true);
        match tables.delete_table(&table).await {
            // Another caller has deleted it.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            deleted => deleted?,
        }
        if has_class_path {
            class_path.remove_unused(tables).await;
        }
        Ok(())
    }

    /// Rejects the removal of an application that is running, or whose table would be left behind.
    async fn check_replaceable(&self, table: &str) -> Result<()> {
        let (applications, name) = (&**self.instance.applications(), &self.name);
        if applications.is_running(name).await? {
            return Err(Error::still_running(name));
        }
        let old = read(applications, name).await?.table;
        if old == table || !self.instance.table_admin().table_exists(&old).await? {
            return Ok(());
        }
        let message = format!(
            "application `{name}` has table `{old}`, not `{table}`; use `{old}`, or remove the application first"
        );
        Err(Error::new(ErrorKind::AlreadyExists, message))
    }

    /// Claims an application that exists, and returns its table and the claim.
    async fn claim_existing(&self) -> Result<(String, Box<dyn HeldLock>)> {
        let (applications, name) = (&**self.instance.applications(), &self.name);
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
}

/// Creates a table of the application with this id. The table keeps all versions, and has the
/// locality group of notifications.
async fn make_table(
    tables: &dyn TableAdmin,
    table: &str,
    id: &str,
    class_path: Option<&str>,
) -> Result<()> {
    tables.create_table(table, Versions::All).await?;
    let notifications = LocalityGroups::default().with(NOTIFY_GROUP, [NOTIFICATION_FAMILY]);
    tables.set_locality_groups(table, &notifications).await?;
    let mut changes = vec![(BLOCK_CACHE, Some("true")), (APPLICATION, Some(id))];
    if class_path.is_some() {
        changes.push((CLASS_PATH, class_path));
    }
    tables.change_properties(table, &changes).await.map_err(|(_, error)| error)
}

/// Checks whether a table with these properties is set up like the table of an application.
pub fn is_set_up(properties: &BTreeMap<String, String>) -> bool {
    LocalityGroups::from_properties(properties)
        .is_ok_and(|groups| groups.iter().any(|(name, _)| name == NOTIFY_GROUP))
}
