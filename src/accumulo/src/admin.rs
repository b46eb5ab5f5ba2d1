//! [`TableAdmin`] for the tables of an Accumulo instance.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use accumulo_proxy::{IteratorSetting, TimeType};
use async_trait::async_trait;
use fluo_table::table::{check_split_points, property};
use fluo_table::{
    Authorizations, Bytes, Error, ErrorKind, Garbage, Result, Span, Table, TableAdmin, Tablet,
    Tablets, Versions, check_table_name,
};

use crate::backoff::settle;
use crate::error::{after_change, port_error};
use crate::filter;
use crate::iterators::ITERATOR;
use crate::metadata::{self, Rows};
use crate::table::AccumuloTable;
use crate::tables::{AccumuloTables, Ids};

/// The start of the system properties with the jars of class paths.
const CLASS_PATH: &str = "general.vfs.context.classpath.";

#[async_trait]
impl TableAdmin for AccumuloTables {
    /// Returns the tables of the system (`accumulo.*`) too.
    async fn tables(&self) -> Result<Vec<String>> {
        Ok(self.ids().await?.keys().cloned().collect())
    }

    /// Creates a table that keeps one version of each column, or all versions. Any other number of
    /// versions is set by properties after the creation, so a failure in between leaves a table
    /// that keeps one version.
    async fn create_table(&self, name: &str, versions: Versions) -> Result<()> {
        check_table_name(name)?;
        self.require_namespace(name).await?;
        let one_version = versions != Versions::All;
        let operations = self.client.table_operations();
        let create = operations.create(name, one_version, TimeType::Millis);
        self.permitted("CREATE_TABLE (system or namespace)", name, create).await?;
        let change = format!("table `{name}` was created");
        self.wait_for_id(name, &change, |found| found.is_some()).await?;
        if versions == Versions::default() {
            return Ok(());
        }
        let properties = versions.to_properties();
        let changes: Vec<_> =
            properties.iter().map(|(property, value)| (&**property, Some(&**value))).collect();
        let changed = self.change_properties(name, &changes).await;
        changed.map_err(|(_, error)| after_change(&change, error))
    }

    async fn delete_table(&self, name: &str) -> Result<()> {
        let id = self.id_of(name).await?;
        let tables = self.client.table_operations();
        self.permitted("DROP_TABLE", name, tables.delete(name)).await?;
        // A newer table may have the name.
        let change = format!("table `{name}` was deleted");
        self.wait_for_id(name, &change, |found| found != Some(&id)).await
    }

    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>> {
        let id = self.id_of(name).await?;
        self.check_held(&authorizations).await?;
        let labels = authorizations.iter().cloned();
        let options = self.writer_options.clone().authorizations(labels);
        Ok(Arc::new(AccumuloTable {
            tables: self.clone(),
            conditional_writer: self.client.conditional_writer(name, options),
            name: name.to_owned(),
            id,
            authorizations,
            conditional_is_denied: Arc::default(),
        }))
    }

    async fn splits(&self, name: &str) -> Result<Vec<Bytes>> {
        self.require(name).await?;
        let splits = self.client.table_operations().list_splits(name, None).await;
        // The proxy returns the split points in the order of the metadata. The set sorts them in
        // any case.
        Ok(splits.map_err(port_error)?.into_iter().collect())
    }

    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()> {
        self.require(name).await?;
        check_split_points(splits)?;
        if splits.is_empty() {
            return Ok(());
        }
        let tables = self.client.table_operations();
        self.permitted("ALTER_TABLE", name, tables.add_splits(name, splits)).await
    }

    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        // Accumulo rejects bounds with no rows between them; by rule A5 such a merge does nothing.
        self.require(name).await?;
        let is_empty = start.zip(end).is_some_and(|(start, end)| start >= end) || end == Some(b"");
        if is_empty {
            return Ok(());
        }
        let tables = self.client.table_operations();
        self.permitted("ALTER_TABLE", name, tables.merge(name, start, end)).await
    }

    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.require(name).await?;
        let tables = self.client.table_operations();
        self.permitted("ALTER_TABLE", name, tables.properties(name)).await
    }

    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.require(name).await?;
        let namespace = name.split_once('.').map_or("", |(namespace, _)| namespace);
        self.client.namespace_operations().properties(namespace).await.map_err(port_error)
    }

    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()> {
        let changed = self.change_properties(name, &[(property, Some(value))]).await;
        changed.map_err(|(_, error)| error)
    }

    async fn remove_property(&self, name: &str, property: &str) -> Result<()> {
        self.change_properties(name, &[(property, None)]).await.map_err(|(_, error)| error)
    }

    /// Waits once until all changes are visible.
    async fn change_properties(
        &self,
        name: &str,
        changes: &[(&str, Option<&str>)],
    ) -> Result<(), (usize, Error)> {
        if changes.is_empty() {
            return Ok(());
        }
        self.require(name).await.map_err(|error| (0, error))?;
        let operations = self.client.table_operations();
        let (mut made, mut failure) = (Vec::new(), Ok(()));
        for &(property, value) in changes {
            let changed = async {
                property::check(property)?;
                let changed = match value {
                    Some(value) => operations.set_property(name, property, value).await,
                    None => operations.remove_property(name, property).await,
                };
                changed.map_err(|error| self.lacking("ALTER_TABLE", name, error))
            };
            if let Err(error) = changed.await {
                failure = Err((made.len(), error));
                break;
            }
            made.push((property, value));
        }
        let is_answered = !matches!(&failure, Err((_, error)) if error.kind().is_passing());
        if let Some(last) = made.len().checked_sub(1)
            && is_answered
        {
            let waited = self.wait_for_properties(name, &made).await;
            failure = failure.and(waited.map_err(|error| (last, error)));
        }
        failure
    }

    async fn flush(&self, name: &str) -> Result<()> {
        self.require(name).await?;
        let flush = self.client.table_operations().flush(name, None, None, true).await;
        flush.map_err(|error| self.lacking("WRITE or ALTER_TABLE", name, error))
    }

    async fn compact(&self, name: &str, span: &Span, garbage: Garbage) -> Result<()> {
        let iterators = filter::collectors(garbage);
        if !iterators.is_empty() {
            self.require_iterators().await?;
            self.require_classes(name, &iterators).await?;
        }
        let splits = self.splits(name).await?;
        if span.is_empty() {
            return Ok(());
        }
        self.compact_rows(name, &tablets_of(span, &splits), &iterators).await
    }

    /// Reads the tablets from `accumulo.metadata`. The count of a tablet is that of its files:
    /// entries in memory are not counted, and after a split the count is an estimate of the server.
    async fn tablets(&self, name: &str) -> Result<Tablets> {
        let rows = || async {
            // A table that was deleted in the meantime has no tablets any more.
            let id = self.id_of(name).await?;
            metadata::rows(&self.client, name, &id, &Rows::default()).await
        };
        let rows = settle(rows, |rows| rows).await?.ok_or_else(|| {
            Error::unavailable(format!(
                "the tablets of table `{name}` keep changing, so they cannot be read; try again later"
            ))
        })?;
        let tablets = rows.into_iter().map(|row| Tablet {
            end_row: row.end_row,
            server: row.server,
            entries: row.entries,
        });
        Ok(Tablets::new(tablets.collect()))
    }

    async fn servers(&self) -> Result<Vec<String>> {
        let servers = self.client.instance_operations().tablet_servers().await;
        Ok(servers.map_err(port_error)?.into_iter().collect::<BTreeSet<_>>().into_iter().collect())
    }

    async fn can_load(&self, name: &str, class: &str, as_type: &str) -> Result<bool> {
        self.require(name).await?;
        if class.is_empty() {
            return Ok(false);
        }
        let tables = self.client.table_operations();
        tables.test_class_load(name, class, as_type).await.map_err(port_error)
    }

    async fn check_transactions(&self, table: Option<&str>) -> Result<()> {
        if let Some(table) = table {
            self.require(table).await?;
        }
        self.require_iterators().await?;
        match table {
            Some(table) => self.require_iterators_of(table).await,
            None => Ok(()),
        }
    }

    async fn class_path(&self, name: &str) -> Result<Option<String>> {
        let system = self.client.instance_operations().system_configuration().await;
        let system = system.map_err(|error| self.denied("the system permission SYSTEM", error))?;
        Ok(system.get(&format!("{CLASS_PATH}{name}")).cloned())
    }

    async fn set_class_path(&self, name: &str, jars: Option<&str>) -> Result<()> {
        let property = format!("{CLASS_PATH}{name}");
        let instance = self.client.instance_operations();
        let changed = match jars {
            Some(jars) => instance.set_property(&property, jars).await,
            None => instance.remove_property(&property).await,
        };
        changed.map_err(|error| self.denied("the system permission SYSTEM", error))?;
        let change = format!("system property {property} was changed");
        let found =
            || async { self.class_path(name).await.map_err(|error| after_change(&change, error)) };
        let shown = settle(found, |found| (found.as_deref() == jars).then_some(())).await?;
        shown.ok_or_else(|| unseen(&change, "the servers do not show that"))
    }
}

impl AccumuloTables {
    /// Rejects the name of a table in a namespace that does not exist. The error of Accumulo for
    /// this case leaves open whether the call had an effect.
    async fn require_namespace(&self, name: &str) -> Result<()> {
        let Some((namespace, _)) = name.split_once('.') else {
            return Ok(());
        };
        if self.client.namespace_operations().exists(namespace).await.map_err(port_error)? {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "table `{name}` cannot be created: there is no namespace `{namespace}`"
        )))
    }

    /// Waits until properties have their new values or, if they were removed, their inherited ones
    /// (rule A9). The servers cache properties.
    async fn wait_for_properties(
        &self,
        name: &str,
        changes: &[(&str, Option<&str>)],
    ) -> Result<()> {
        // Accumulo treats an empty value as no value.
        let changes = changes.iter().map(|(property, value)| {
            let value = value.filter(|value| !value.is_empty());
            (*property, value)
        });
        let mut expected: BTreeMap<_, _> = changes.collect();
        let change = changed(name, expected.keys());
        let inherited = if expected.values().all(Option::is_some) {
            BTreeMap::new()
        } else {
            let inherited = self.inherited_properties(name).await;
            inherited.map_err(|error| after_change(&change, error))?
        };
        for (property, value) in &mut expected {
            *value = value.or_else(|| inherited.get(*property).map(String::as_str));
        }
        let properties = || async {
            // `self.properties` would check again that the table exists; the changes were made a
            // moment ago, so it does.
            let found = self.client.table_operations().properties(name).await;
            found.map_err(|error| after_change(&change, port_error(error)))
        };
        let shown = settle(properties, |found| {
            expected.retain(|property, value| found.get(*property).map(String::as_str) != *value);
            expected.is_empty().then_some(())
        });
        shown.await?.ok_or_else(|| {
            let why = "the servers do not show that, or another client has changed it since";
            unseen(&changed(name, expected.keys()), why)
        })
    }

    /// Waits until the id of a name is as it is after a change. The proxy caches the names of
    /// tables.
    async fn wait_for_id(
        &self,
        name: &str,
        change: &str,
        is_so: impl Fn(Option<&str>) -> bool + Send,
    ) -> Result<()> {
        let ids = || async { self.ids().await.map_err(|error| after_change(change, error)) };
        let shown = move |ids: Arc<Ids>| is_so(ids.get(name).map(String::as_str)).then_some(());
        let shown = settle(ids, shown).await?;
        shown.ok_or_else(|| unseen(change, "the proxy does not show it"))
    }

    /// Rejects a compaction with iterators that the servers cannot load: it would fail in each
    /// tablet again and again.
    async fn require_classes(&self, name: &str, iterators: &[IteratorSetting]) -> Result<()> {
        for iterator in iterators {
            let class = &iterator.class;
            if !self.can_load(name, class, ITERATOR).await? {
                return Err(Error::invalid(format!(
                    "the servers cannot load `{class}` for table `{name}`; install the jars `fluo-accumulo` and `fluo-api` there"
                )));
            }
        }
        Ok(())
    }

    /// Rejects labels that the user does not hold. A scan with such a label would fail at its first
    /// cell.
    async fn check_held(&self, authorizations: &Authorizations) -> Result<()> {
        let Some(user) = self.client.options().credentials.user() else {
            // A proxy of Accumulo 2.x does not reveal its user.
            return Ok(());
        };
        if authorizations.iter().next().is_none() {
            return Ok(());
        }
        let held =
            self.client.security_operations().authorizations(user).await.map_err(port_error)?;
        match authorizations.iter().find(|label| !held.contains(*label)) {
            None => Ok(()),
            Some(label) => Err(Error::new(
                ErrorKind::Denied,
                format!(
                    "user `{user}` does not hold the authorization `{}`",
                    fluo_table::Escaped(label)
                ),
            )),
        }
    }
}

fn changed<'a>(table: &str, properties: impl Iterator<Item = &'a &'a str>) -> String {
    match &*properties.copied().collect::<Vec<_>>() {
        [property] => format!("property {property} of table `{table}` was changed"),
        several => format!("properties {} of table `{table}` were changed", several.join(", ")),
    }
}

fn unseen(change: &str, why: &str) -> Error {
    Error::new(ErrorKind::Uncertain, format!("{change}, but {why}"))
}

fn tablets_of(span: &Span, splits: &[Bytes]) -> Rows {
    let before = splits.partition_point(|split| *split < span.start().row);
    let after = before.checked_sub(1).and_then(|index| splits.get(index)).cloned();
    let up_to = span.end().and_then(|end| {
        let index = splits.partition_point(|split| *split < end.row);
        splits.get(index).cloned()
    });
    Rows { after, up_to }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_the_tablets_that_overlap_the_span_of_a_compaction() {
        let splits = ["b", "d", "f"].map(Bytes::from);
        let around = |start: &'static str, end: Option<&'static str>| {
            let Rows { after, up_to } =
                tablets_of(&Span::rows(start, end.map(Bytes::from)), &splits);
            (after, up_to)
        };
        let (b, d, f) = (Some("b".into()), Some("d".into()), Some("f".into()));
        assert_eq!(around("", None), (None, None));
        assert_eq!(around("a", Some("a\0")), (None, b.clone()));
        // A split point is the last row of its tablet.
        assert_eq!(around("b", Some("b\0")), (None, d.clone()));
        assert_eq!(around("b\0", Some("d")), (b, d.clone()));
        assert_eq!(around("e", Some("e\0")), (d, f.clone()));
        assert_eq!(around("g", None), (f, None));
    }
}
