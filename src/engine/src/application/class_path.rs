//! The class path of an application: the jars from which the servers load Fluo's iterators.

use fluo_table::table::property;
use fluo_table::{Error, ErrorKind, Result, TableAdmin};
use tracing::warn;

const ITERATOR: &str = "org.apache.fluo.accumulo.iterators.SnapshotIterator";
const KIND: &str = "org.apache.accumulo.core.iterators.SortedKeyValueIterator";

/// The class path of an application, which exists if there are jars.
#[derive(Debug)]
pub(super) struct ClassPath<'a> {
    name: String,
    jars: &'a [String],
}

impl<'a> ClassPath<'a> {
    /// Returns that of an application. It has the same name in Java.
    pub(super) fn new(application: &str, jars: &'a [String]) -> Self {
        Self { name: format!("fluo-{application}"), jars }
    }

    /// Sets the class path before the table exists, because no server loads an unknown one.
    pub(super) async fn set(&self, tables: &dyn TableAdmin) -> Result<()> {
        match self.jars.is_empty() {
            true => Ok(()),
            false => tables.set_class_path(&self.name, Some(&self.jars.join(","))).await,
        }
    }

    /// Lets a new table use the class path, and checks that the servers find the iterators.
    pub(super) async fn use_for(&self, tables: &dyn TableAdmin, table: &str) -> Result<()> {
        if self.jars.is_empty() {
            return Ok(());
        }
        tables.set_property(table, property::CLASS_PATH, &self.name).await?;
        if tables.can_load(table, ITERATOR, KIND).await? {
            return Ok(());
        }
        tables.delete_table(table).await?;
        self.remove(tables).await;
        Err(Error::invalid(format!(
            "the servers cannot load `{ITERATOR}` from `{}`; name the jars fluo-accumulo and fluo-api",
            self.jars.join(",")
        )))
    }

    /// Removes the class path, if there is one and no table uses it. One that stays does no harm.
    pub(super) async fn remove(&self, tables: &dyn TableAdmin) {
        let name = &self.name;
        let removed = async {
            match tables.class_path(name).await {
                // The user may not read it, so another one has set it.
                Err(error) if error.kind() == ErrorKind::Denied => return Ok(()),
                found => {
                    if found?.is_none() {
                        return Ok(());
                    }
                }
            }
            for table in tables.tables().await? {
                let properties = match tables.properties(&table).await {
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    properties => properties?,
                };
                if properties.get(property::CLASS_PATH) == Some(name) {
                    return Ok(());
                }
            }
            tables.set_class_path(name, None).await
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
