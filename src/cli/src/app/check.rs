//! `fluo app check`.

use std::num::NonZeroU32;

use anyhow::Result;
use clap::Args;
use fluo_engine::InstanceExt;
use fluo_table::coordination::TransactorId;
use fluo_table::layout::{
    EntryKind, EntryTimestamp, LockValue, NOTIFICATION_FAMILY, NotificationTimestamp, ReadLockValue,
};
use fluo_table::table::property;
use fluo_table::{Cell, Error, ErrorKind, Key, Scan, Span, TableAdmin, Timestamp};
use futures::stream::TryStreamExt;
use serde_json::json;

use crate::application::{ApplicationArguments, OpenApplication};
use crate::exit::Outcome;
use crate::text::{count_of, counted};
use crate::{output, progress};

/// Check whether the table of an application fits its coordination; exits 1 if not.
///
/// Reads every entry of the table, and compares its timestamp with the next one that the
/// application hands out. A later entry means that the coordination, on Accumulo in ZooKeeper, was
/// restored from an older backup than the table: transactions would not see what later ones have
/// written. So does a lock of a transactor whose number the application has not given yet, or such
/// a transactor that is alive: another one would get the number. On Accumulo this needs a running
/// oracle. Entries whose visibility the labels do not allow are not read.
///
/// A table that every program refuses is not OK either: one of another application, or one that was
/// opened with another copy of the coordination since.
///
/// If the table loads its iterators from jars (see `fluo app init --jars`), it also checks that the
/// servers know their class path.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo app check --at embedded:./data web")]
pub(crate) struct Check {
    #[command(flatten)]
    application: ApplicationArguments,
}

/// A summary of the entries of a table.
#[derive(Default)]
struct Entries {
    count: u64,
    /// The entry with the latest timestamp.
    latest: Option<(Timestamp, Cell)>,
    /// The lock of the transactor with the highest number.
    lock: Option<(TransactorId, Key)>,
    /// The first entry that no application writes.
    foreign: Option<Cell>,
}

impl Entries {
    fn add(&mut self, cell: Cell) {
        self.count += 1;
        if let Some(holder) = holder(&cell)
            && cell.key.column.family != NOTIFICATION_FAMILY.as_bytes()
            && self.lock.as_ref().is_none_or(|(highest, _)| holder > *highest)
        {
            self.lock = Some((holder, cell.key.clone()));
        }
        let stamp = cell.key.timestamp;
        let timestamp = match cell.key.column.family == NOTIFICATION_FAMILY.as_bytes() {
            true => NotificationTimestamp::decode(stamp).map(|stamp| stamp.timestamp),
            false => EntryTimestamp::decode(stamp).map(|stamp| stamp.timestamp),
        };
        match (timestamp, &self.latest) {
            (None, _) if self.foreign.is_none() => self.foreign = Some(cell),
            (Some(timestamp), latest)
                if latest.as_ref().is_none_or(|(latest, _)| timestamp > *latest) =>
            {
                self.latest = Some((timestamp, cell));
            }
            _ => {}
        }
    }
}

/// Returns the transactor that holds a lock.
fn holder(cell: &Cell) -> Option<TransactorId> {
    match EntryTimestamp::decode(cell.key.timestamp)?.kind {
        EntryKind::Lock => LockValue::decode(&cell.value).ok().map(|lock| lock.transactor),
        EntryKind::ReadLock => ReadLockValue::decode(&cell.value).ok().map(|lock| lock.transactor),
        _ => None,
    }
}

impl Check {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        // A client would record an epoch, after which a later backup is refused.
        let open = self.application.open().await?;
        let compared = self.table_error(&open).await?;
        let refused = compared.as_ref().and_then(Option::as_ref);
        let (bar, mut entries) = (progress::counter("entries"), Entries::default());
        let mut batches = open.table.scan(Scan::over(Span::all()));
        while let Some(batch) = batches.try_next().await? {
            bar.inc(count_of(batch.len()));
            batch.into_iter().for_each(|cell| entries.add(cell));
        }
        bar.finish_and_clear();
        // After the scan, because programs may have written meanwhile. No oracle serves a table
        // that it refuses.
        let next = match refused {
            None => Some(open.coordination.timestamps(NonZeroU32::MIN).await?.first),
            Some(_) => None,
        };
        let late = entries.latest.as_ref().zip(next).filter(|((latest, _), next)| latest >= next);
        let class_path = self.missing_class_path(&open).await?;
        let (last, unnumbered) = match open.coordination.last_transactor().await {
            Err(error) if error.kind() == ErrorKind::Corrupt => (None, Some(error)),
            last => (Some(last?), None),
        };
        let lock = entries.lock.as_ref().filter(|(holder, _)| last.is_some_and(|it| it < *holder));
        let (name, table) = (&self.application.named.name, &open.application.table);
        let is_older = late.is_some() || lock.is_some();
        let is_ok = refused.is_none()
            && !is_older
            && unnumbered.is_none()
            && entries.foreign.is_none()
            && class_path.is_none();
        if output::is_json() {
            output::print_json(&json!({
                "ok": is_ok,
                "table_compared": compared.is_some(),
                "table_error": refused.map(ToString::to_string),
                "entries": entries.count,
                "latest": entries.latest.as_ref().map(|(latest, _)| latest.get()),
                "next": next.map(Timestamp::get),
                "last_transactor": last.map(|last| last.0),
                "highest_lock": entries.lock.as_ref().map(|(holder, _)| holder.0),
                "transactor_error": unnumbered.as_ref().map(ToString::to_string),
                "foreign": entries.foreign.as_ref().map(|cell| cell.key.to_string()),
                "missing_class_path": class_path,
            }))?;
            return Ok(Outcome::of(is_ok));
        }
        if let Some(error) = refused {
            show!("NOT OK: {error}")?;
        }
        if let Some(((_, cell), next)) = late {
            show!(
                "NOT OK: `{}` has a timestamp that application `{name}` has not handed out; the next one is {next}",
                cell.key
            )?;
        }
        if let (Some((holder, key)), Some(last)) = (lock, last) {
            show!(
                "NOT OK: `{key}` is a lock of transactor {holder}; the last one of application `{name}` is {last}"
            )?;
        }
        if is_older {
            show!("The coordination is older than table `{table}`: restore a later backup of it.")?;
        }
        if let Some(error) = &unnumbered {
            show!("NOT OK: {error}")?;
            show!(
                "Restore another backup of the coordination, or store the number of transactors."
            )?;
        }
        if let Some(cell) = &entries.foreign {
            show!("NOT OK: `{}` in table `{table}` is not an entry of an application", cell.key)?;
        }
        if let Some(missing) = &class_path {
            show!(
                "NOT OK: no system property has the jars of `{missing}`, the class path of table `{table}`"
            )?;
            show!("Set `general.vfs.context.classpath.{missing}` to their URLs.")?;
        }
        if let (true, Some(next)) = (is_ok, next) {
            let entries = counted(entries.count, "entry");
            let unknown = match compared {
                Some(_) => "",
                None => "; the epochs were not compared",
            };
            show!(
                "OK: application `{name}` fits table `{table}`: {entries}, all before timestamp {next}{unknown}"
            )?;
        }
        Ok(Outcome::of(is_ok))
    }

    /// Returns the reason why programs refuse the table, if they do; `None` if the user may not
    /// read the properties of the table.
    async fn table_error(&self, open: &OpenApplication) -> Result<Option<Option<Error>>> {
        match open.fluo.application(&self.application.named.name).check_table().await {
            Err(error) if error.kind() == ErrorKind::Invalid => Ok(Some(Some(error))),
            Err(error) if error.kind() == ErrorKind::Denied => {
                say!("note: the table was not compared with its coordination: {error}");
                Ok(None)
            }
            checked => Ok(checked.map(|()| Some(None))?),
        }
    }

    /// Returns the class path of the table if the servers lack it.
    async fn missing_class_path(&self, open: &OpenApplication) -> Result<Option<String>> {
        if self.application.named.target.is_directory() {
            return Ok(None);
        }
        let missing = async {
            let mut properties = open.fluo.properties(&open.application.table).await?;
            // Accumulo shows an empty value for none.
            let name = properties.remove(property::CLASS_PATH).filter(|name| !name.is_empty());
            let Some(name) = name else { return Ok(None) };
            Ok(open.fluo.class_path(&name).await?.is_none().then_some(name))
        };
        match missing.await {
            Err(error) if Error::kind(&error) == ErrorKind::Denied => {
                say!("note: the class path of the table was not checked: {error}");
                Ok(None)
            }
            missing => Ok(missing?),
        }
    }
}
