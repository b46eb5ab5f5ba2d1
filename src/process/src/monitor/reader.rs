//! The reading of the figures.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fluo_engine::{Client, InstanceExt, notifications};
use fluo_keys::{RowCounting, TableOptimizations, VerifyOptions};
use fluo_recipes::stored_queue::StoredQueue;
use fluo_recipes::table_optimizations;
use fluo_table::balancer::GroupPattern;
use fluo_table::coordination::{Application, Presence};
use fluo_table::layout::NotificationTimestamp;
use fluo_table::{Authorizations, Error, Escaped, Instance, Result, TableAdmin, Tablet, Timestamp};
use futures::TryStreamExt;

use super::figures::{
    ApplicationFigures, Figures, GroupFigures, QueueFigures, TableFigures, WaitingNotifications,
    WorkerFigures,
};
use super::work::{Source, Work, within};

/// Maximum number of notifications, and of entries of a queue, that a reading counts.
const MAX_READ: u64 = 10_000;
/// The longest time for an application or a table.
const LIMIT: Duration = Duration::from_secs(30);

/// The applications, tables and processes that a monitor reads.
#[derive(Clone, Debug)]
#[must_use]
pub struct MonitorOptions {
    at: String,
    applications: Vec<String>,
    tables: Vec<MonitoredTable>,
    sources: Vec<Source>,
    needs_oracle: bool,
}

/// A table that is read although no application may have it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MonitoredTable {
    /// The table.
    pub name: String,
    /// The optimizations that its layout is compared with.
    pub wanted: Option<(TableOptimizations, VerifyOptions)>,
}

impl MonitoredTable {
    /// Creates a table without wanted optimizations.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), wanted: None }
    }

    /// Sets the optimizations that the table should have.
    #[must_use]
    pub fn wanted(self, optimizations: TableOptimizations, options: VerifyOptions) -> Self {
        Self { wanted: Some((optimizations, options)), ..self }
    }
}

impl MonitorOptions {
    /// Creates the options for all applications; `at` is the location, as the figures show it.
    pub fn new(at: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            applications: Vec::new(),
            tables: Vec::new(),
            sources: Vec::new(),
            needs_oracle: false,
        }
    }

    /// Sets the names of the applications. Default: all.
    pub fn applications(self, names: impl IntoIterator<Item = String>) -> Self {
        Self { applications: distinct(names, String::clone), ..self }
    }

    /// Sets the tables beside those of the applications. Of two with one name, the first counts.
    pub fn tables(self, all: impl IntoIterator<Item = MonitoredTable>) -> Self {
        Self { tables: distinct(all, |table| table.name.clone()), ..self }
    }

    /// Sets the addresses of processes whose metrics are read, as
    /// [`ProcessOptions::http`](crate::ProcessOptions::http) sets them: `http://HOST:PORT`, or
    /// `HOST:PORT`. The path is `/metrics` unless given.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for another form.
    pub fn metrics<'a>(self, urls: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let sources = urls.into_iter().map(Source::parse).collect::<Result<Vec<_>>>()?;
        Ok(Self { sources: distinct(sources, Source::name), ..self })
    }

    /// Sets whether the applications need an oracle, as on Accumulo. Default: no.
    pub fn needs_oracle(self, needs_oracle: bool) -> Self {
        Self { needs_oracle, ..self }
    }

    pub(crate) fn own_metrics(mut self) -> Result<Self> {
        self.sources.push(Source::own()?);
        Ok(self)
    }
}

/// Reads figures again and again.
///
/// While an application has queues, the monitor has a client of it, so the application is running.
#[derive(Debug)]
pub struct Monitor {
    instance: Instance,
    options: MonitorOptions,
    /// The clients of applications with queues, by name.
    clients: BTreeMap<String, Client>,
    work: Work,
}

impl Monitor {
    /// Creates a monitor of tables and applications.
    pub fn new(instance: Instance, options: MonitorOptions) -> Self {
        let work = Work::new(options.sources.clone());
        Self { instance, options, clients: BTreeMap::new(), work }
    }

    /// Reads everything once.
    pub async fn read(&mut self) -> Figures {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut figures = Figures {
            time_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
            at: self.options.at.clone(),
            ..Figures::default()
        };
        figures.work = self.work.read().await;
        let mut tables = self.options.tables.clone();
        for name in self.applications(&mut figures).await {
            let mut found = ApplicationFigures {
                name,
                needs_oracle: self.options.needs_oracle,
                ..ApplicationFigures::default()
            };
            let read = within_limit(self.read_application(&mut found, &mut tables)).await;
            if let Err(error) = read {
                figures.errors.push(format!("application `{}`: {error}", found.name));
            }
            figures.applications.push(found);
        }
        let servers = within_limit(self.instance.table_admin().servers()).await;
        let servers = servers.unwrap_or_else(|error| {
            figures.errors.push(format!("servers: {error}"));
            Vec::new()
        });
        for table in tables {
            match within_limit(self.read_table(&table, &servers)).await {
                Ok(table) => figures.tables.push(table),
                Err(error) => figures.errors.push(format!("table `{}`: {error}", table.name)),
            }
        }
        figures.find_alarms();
        figures
    }

    async fn applications(&self, figures: &mut Figures) -> Vec<String> {
        if !self.options.applications.is_empty() {
            return self.options.applications.clone();
        }
        let listed = within_limit(self.instance.applications().list()).await;
        listed.unwrap_or_else(|error| {
            figures.errors.push(format!("applications: {error}"));
            Vec::new()
        })
    }

    /// Reads an application, up to the first error. Adds its table.
    async fn read_application(
        &mut self,
        found: &mut ApplicationFigures,
        tables: &mut Vec<MonitoredTable>,
    ) -> Result<()> {
        let coordination = self.instance.applications().open(&found.name).await?;
        let stored = coordination.application().await?;
        found.table.clone_from(&stored.table);
        if !tables.iter().any(|other| other.name == stored.table) {
            let table = MonitoredTable::new(stored.table.clone());
            tables.push(match table_optimizations(&stored.settings)? {
                wanted if wanted.requirements().is_empty() => table,
                wanted => table.wanted(wanted, VerifyOptions::new().allow_other_rows(true)),
            });
        }
        let presence = coordination.presence().await?;
        found.transactors = presence.transactors.len();
        let oldest = presence.oldest_active();
        found.oldest_active = oldest.map(Timestamp::get);
        found.workers = workers(&presence);
        found.dead_letters = coordination.dead_letters().await?.len();
        found.oracles = presence.oracles;
        let (mut waiting, oldest_waiting) = self.read_waiting(&stored).await?;
        let timestamps = [oldest, oldest_waiting];
        let known = timestamps.map(|timestamp| timestamp.unwrap_or(Timestamp::ZERO));
        let ages = timestamps.into_iter().zip(coordination.ages(&known).await?);
        let mut ages = ages.map(|(timestamp, age)| Some(timestamp.and(age)?.as_secs_f64()));
        found.oldest_active_seconds = ages.next().flatten();
        waiting.oldest_seconds = ages.next().flatten();
        found.notifications = Some(waiting);
        // Without an oracle, a snapshot would wait for one.
        if !found.needs_oracle || !found.oracles.is_empty() {
            found.queues = self.read_queues(&found.name, &stored).await?;
        }
        Ok(())
    }

    /// Counts the waiting notifications, up to the maximum, and finds the oldest of these.
    async fn read_waiting(
        &self,
        stored: &Application,
    ) -> Result<(WaitingNotifications, Option<Timestamp>)> {
        let table = self.instance.open_table(&stored.table, Authorizations::none()).await?;
        let mut found = WaitingNotifications { is_complete: true, ..Default::default() };
        let mut oldest = None;
        let mut batches = table.scan(notifications());
        while found.is_complete
            && let Some(batch) = batches.try_next().await?
        {
            for cell in batch {
                if found.count == MAX_READ {
                    found.is_complete = false;
                    break;
                }
                found.count += 1;
                let stamp = NotificationTimestamp::decode(cell.key.timestamp);
                oldest = oldest.into_iter().chain(stamp.map(|stamp| stamp.timestamp)).min();
            }
        }
        Ok((found, oldest))
    }

    async fn read_queues(&mut self, name: &str, stored: &Application) -> Result<Vec<QueueFigures>> {
        let queues = StoredQueue::all(&stored.settings)?;
        if queues.is_empty() {
            return Ok(Vec::new());
        }
        let read = self.read_backlogs(name, &queues).await;
        if read.is_err() {
            // The next reading opens another one.
            self.clients.remove(name);
        }
        read
    }

    async fn read_backlogs(
        &mut self,
        name: &str,
        queues: &[StoredQueue],
    ) -> Result<Vec<QueueFigures>> {
        let client = match self.clients.get(name) {
            Some(client) => client.clone(),
            None => {
                let client = self.instance.application(name).open().await?;
                self.clients.insert(name.to_owned(), client.clone());
                client
            }
        };
        let snapshot = client.snapshot().await?;
        let mut found = Vec::new();
        for queue in queues {
            let backlog = queue.estimate_backlog(&snapshot, MAX_READ).await?;
            let (mut letters, mut dead_letters) = (queue.dead_letters(&snapshot), 0);
            while dead_letters < MAX_READ && letters.try_next().await?.is_some() {
                dead_letters += 1;
            }
            found.push(QueueFigures {
                id: queue.id().to_owned(),
                entries: backlog.entries,
                accuracy: backlog.accuracy.to_string(),
                oldest_seconds: backlog.oldest_age.map(|age| age.as_secs_f64()),
                dead_letters,
            });
        }
        Ok(found)
    }

    async fn read_table(&self, table: &MonitoredTable, servers: &[String]) -> Result<TableFigures> {
        let admin: &dyn TableAdmin = &self.instance;
        let tablets = admin.tablets(&table.name).await?;
        let mut found = shape(&table.name, tablets.as_slice());
        for server in servers {
            found.servers.entry(server.clone()).or_default();
        }
        if let Some((optimizations, options)) = &table.wanted {
            let options = options.clone().rows(RowCounting::Skip);
            let verdict = optimizations.verify(admin, &table.name).options(&options).await?;
            let entries = entries_of_groups(optimizations, tablets.as_slice())?;
            let entries = |group: &str| {
                let own = entries.get(&Some(group.into())).or_else(|| entries.get(&None));
                own.copied().unwrap_or_default()
            };
            found.groups = verdict
                .groups
                .iter()
                .map(|group| GroupFigures {
                    name: group.group.clone(),
                    tablets: group.tablets,
                    entries: entries(&group.group),
                    per_server: [group.least, group.largest],
                })
                .collect();
            found.differences = Some(verdict.differences.iter().map(ToString::to_string).collect());
        }
        Ok(found)
    }
}

/// Limits the time of a part of a reading, so that the others are still read.
async fn within_limit<T>(part: impl Future<Output = Result<T>>) -> Result<T> {
    within(LIMIT, part).await
}

/// Keeps the first of the items with each name.
fn distinct<T>(items: impl IntoIterator<Item = T>, name: impl Fn(&T) -> String) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.into_iter().filter(|item| seen.insert(name(item))).collect()
}

/// Returns the entries of each group; `None` is the default group.
fn entries_of_groups<'a>(
    optimizations: &TableOptimizations,
    tablets: &'a [Tablet],
) -> Result<BTreeMap<Option<Cow<'a, str>>, u64>> {
    let mut entries = BTreeMap::new();
    let pattern = optimizations.group_pattern();
    let pattern = pattern.as_deref().map(GroupPattern::parse).transpose();
    let pattern = pattern.map_err(|error| Error::invalid(error.to_string()))?;
    for tablet in tablets {
        let group = pattern.as_ref().and_then(|it| it.group_of(tablet.end_row.as_deref()));
        *entries.entry(group).or_default() += tablet.entries;
    }
    Ok(entries)
}

fn workers(presence: &Presence) -> Vec<WorkerFigures> {
    let workers = presence.workers.iter().map(|(name, share)| WorkerFigures {
        name: name.clone(),
        part: share.as_ref().map(|share| {
            let part = share.partition();
            [part.remainder() + 1, part.divisor().get()]
        }),
        ranges: share.as_ref().map_or(0, |share| share.spans().len()),
    });
    workers.collect()
}

#[expect(clippy::cast_precision_loss, reason = "figures for a person to look at")]
fn shape(name: &str, tablets: &[Tablet]) -> TableFigures {
    let mut found = TableFigures { name: name.to_owned(), ..TableFigures::default() };
    found.tablets = tablets.len();
    found.entries = tablets.iter().map(|tablet| tablet.entries).sum();
    if let Some(fullest) = tablets.iter().max_by_key(|tablet| tablet.entries) {
        found.fullest = fullest.entries;
        found.fullest_end_row = fullest.end_row.as_ref().map(|row| Escaped(row).to_string());
        let mean = found.entries as f64 / tablets.len() as f64;
        found.fullest_over_mean = (mean > 0.0).then(|| fullest.entries as f64 / mean);
    }
    for tablet in tablets {
        let Some(server) = &tablet.server else {
            found.unhosted += 1;
            continue;
        };
        let server = found.servers.entry(server.clone()).or_default();
        server.tablets += 1;
        server.entries += tablet.entries;
    }
    found
}
