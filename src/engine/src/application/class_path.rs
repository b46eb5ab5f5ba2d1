//! The class path of an application: the jars from which the servers load Fluo's iterators.

use fluo_table::table::property::CLASS_PATH;
use fluo_table::{Error, ErrorKind, Result, TableAdmin, Versions};
use tracing::warn;

/// The class path of an application, which exists if there are jars.
#[derive(Debug)]
pub(super) struct ClassPath {
    name: String,
}

impl ClassPath {
    /// Creates the class path of an application, with the name that Fluo gives it.
    pub(super) fn new(application: &str) -> Self {
        Self { name: format!("fluo-{application}") }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Sets the jars before `table` uses them, and checks with a table `probe`, which is deleted
    /// again, that the servers find the iterators. After a failed check the old jars are back.
    pub(super) async fn set(
        &self,
        tables: &dyn TableAdmin,
        jars: &[String],
        table: &str,
        probe: &str,
    ) -> Result<()> {
        let (name, jars) = (&self.name, jars.join(","));
        let old = tables.class_path(name).await?;
        if old.as_ref().is_some_and(|old| *old != jars)
            && let Some(other) = self.user_beside(tables, Some(table)).await?
        {
            let message = format!(
                "table `{other}` uses the class path `{name}` with other jars; use the same jars, or another name"
            );
            return Err(Error::new(ErrorKind::AlreadyExists, message));
        }
        tables.set_class_path(name, Some(&jars)).await?;
        let checked = self.check(tables, probe).await;
        if checked.is_err()
            && let Err(error) = tables.set_class_path(name, old.as_deref()).await
        {
            warn!(%error, "the class path {name} of the servers has jars that failed a check");
        }
        checked
    }

    async fn check(&self, tables: &dyn TableAdmin, probe: &str) -> Result<()> {
        tables.create_table(probe, Versions::All).await?;
        let check = async {
            tables.set_property(probe, CLASS_PATH, &self.name).await?;
            tables.check_transactions(Some(probe)).await
        };
        let checked = check.await;
        if let Err(error) = tables.delete_table(probe).await {
            warn!(%error, "the table {probe} of a check was not deleted");
        }
        checked
    }

    /// Checks whether a table uses the class path.
    pub(super) async fn is_used_by(&self, tables: &dyn TableAdmin, table: &str) -> Result<bool> {
        match tables.properties(table).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            properties => Ok(properties?.get(CLASS_PATH) == Some(&self.name)),
        }
    }

    /// Returns a table that uses the class path, other than this one.
    async fn user_beside(
        &self,
        tables: &dyn TableAdmin,
        table: Option<&str>,
    ) -> Result<Option<String>> {
        for other in tables.tables().await? {
            if table != Some(&other) && self.is_used_by(tables, &other).await? {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// Removes the class path, unless a table uses it. One that stays does no harm.
    pub(super) async fn remove_unused(&self, tables: &dyn TableAdmin) {
        let name = &self.name;
        let removed = async {
            let is_unused = tables.class_path(name).await?.is_some()
                && self.user_beside(tables, None).await?.is_none();
            if is_unused { tables.set_class_path(name, None).await } else { Ok(()) }
        };
        if let Err(error) = removed.await {
            warn!(%error, "the class path {name} of the servers was not removed");
        }
    }
}

/// Checks the URL of a jar. Commas separate the URLs of a class path.
pub(super) fn check_url(url: &str) -> Result<()> {
    let is_clean = !url.contains(|c: char| c == ',' || c.is_whitespace() || c.is_control());
    if is_clean && url.split_once(":/").is_some_and(|(scheme, _)| !scheme.is_empty()) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` is not the URL of a jar; write SCHEME:/PATH without commas and blanks",
        url.escape_debug()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_what_is_not_the_url_of_a_jar() {
        for url in ["hdfs://host:8020/fluo/fluo-api-1.2.0.jar", "file:///opt/fluo/.*.jar"] {
            assert!(check_url(url).is_ok(), "{url}");
        }
        for url in ["", "/opt/a.jar", ":/a.jar", "file:/a.jar,file:/b.jar", "file:/a b.jar"] {
            let message = format!(
                "`{url}` is not the URL of a jar; write SCHEME:/PATH without commas and blanks"
            );
            assert_eq!(check_url(url).unwrap_err().to_string(), message);
        }
    }
}
