//! The reading of the figures.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fluo_engine::{Client, Instance, InstanceExt, notifications};
use fluo_keys::{RowCounting, TableOptimizations, VerifyOptions};
use fluo_recipes::stored_queue::StoredQueue;
use fluo_recipes::table_optimizations;
use fluo_table::balancer::GroupPattern;
use fluo_table::coordination::{Application, Coordination, Presence};
use fluo_table::layout::NotificationTimestamp;
use fluo_table::{
    Authorizations, Error, Escaped, Result, TableAdmin, Tablet, Timestamp, check_option,
};
use futures::future::join_all;
use futures::{TryStreamExt, join};
use tokio::sync::{OnceCell, Semaphore};

use super::figures::{
    ApplicationFigures, Figures, GroupFigures, QueueFigures, TableFigures, WaitingNotifications,
    WorkerFigures,
};
use super::work::{Source, Work, within};

/// Maximum number of notifications, and of entries of a queue, that a reading counts.
const MAX_READ: u64 = 10_000;
/// Maximum number of applications and tables that are read at the same time.
const AT_ONCE: usize = 8;
/// The longest time of a part of a reading, unless the options have another one.
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
    limit: Duration,
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
            limit: LIMIT,
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

    /// Sets the longest time of a part of a reading, such as an application or a table. A part that
    /// has not ended then is an error of the reading. Up to 8 parts are read at the same time, and
    /// the time of each begins with its turn. Default: 30 seconds.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a limit below a millisecond.
    pub fn limit(self, limit: Duration) -> Result<Self> {
        check_option("limit", limit, Duration::from_millis(1)..)?;
        Ok(Self { limit, ..self })
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
    /// The applications that earlier readings have opened, by name.
    opened: BTreeMap<String, Opened>,
    work: Work,
}

/// An application that a reading leaves open for the next one.
#[derive(Clone, Debug)]
struct Opened {
    coordination: Arc<dyn Coordination>,
    /// `None` before its queues are read.
    client: Option<Client>,
}

impl Monitor {
    /// Creates a monitor of tables and applications.
    pub fn new(instance: Instance, options: MonitorOptions) -> Self {
        let work = Work::new(options.sources.clone());
        Self { instance, options, opened: BTreeMap::new(), work }
    }

    /// Reads everything once, several applications and tables at a time.
    pub async fn read(&mut self) -> Figures {
        let Self { instance, options, opened, work } = self;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut figures = Figures {
            time_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
            at: options.at.clone(),
            ..Figures::default()
        };
        let reading = Reading {
            instance,
            options,
            opened,
            turns: Semaphore::new(AT_ONCE),
            servers: OnceCell::new(),
        };
        let tables = join_all(options.tables.iter().map(|table| reading.table(table)));
        let (work, mut tables, applications) = join!(work.read(), tables, reading.applications());
        let servers = reading.servers.into_inner();
        figures.work = work;
        match applications {
            Ok(parts) => {
                opened.clear();
                for part in parts {
                    opened.extend(part.opened.map(|opened| (part.figures.name.clone(), opened)));
                    figures.applications.push(part.figures);
                    figures.errors.extend(part.error);
                    tables.extend(part.table);
                }
            }
            Err(error) => figures.errors.push(format!("applications: {error}")),
        }
        if let Some(Err(error)) = servers {
            figures.errors.push(format!("servers: {error}"));
        }
        for table in tables {
            match table {
                Ok(table) => figures.tables.push(table),
                Err(error) => figures.errors.push(error),
            }
        }
        figures.find_alarms();
        figures
    }
}

/// One reading. Its parts run at the same time, so that none waits for another one that hangs.
struct Reading<'a> {
    instance: &'a Instance,
    options: &'a MonitorOptions,
    opened: &'a BTreeMap<String, Opened>,
    turns: Semaphore,
    servers: OnceCell<Result<Vec<String>>>,
}

/// The figures of a table, or the error of the reading.
type TablePart = Result<TableFigures, String>;

/// The result of an application.
struct ApplicationPart {
    figures: ApplicationFigures,
    error: Option<String>,
    /// The application for the next reading.
    opened: Option<Opened>,
    /// Its table, unless the options name it.
    table: Option<TablePart>,
}

impl Reading<'_> {
    /// Waits for a turn, and limits the time from then on.
    async fn turn<T>(&self, read: impl Future<Output = Result<T>>) -> Result<T> {
        // Nothing closes the semaphore.
        let _turn = self.turns.acquire().await;
        within(self.options.limit, read).await
    }

    async fn applications(&self) -> Result<Vec<ApplicationPart>> {
        let names = match &*self.options.applications {
            [] => self.turn(self.instance.applications().list()).await?,
            names => names.to_vec(),
        };
        Ok(join_all(names.into_iter().map(|name| self.application(name))).await)
    }

    /// Reads an application, up to the first error, and its table.
    async fn application(&self, name: String) -> ApplicationPart {
        let needs_oracle = self.options.needs_oracle;
        let mut opened = self.opened.get(&name).cloned();
        let mut found = ApplicationFigures { name, needs_oracle, ..ApplicationFigures::default() };
        let mut table = None;
        let read = async {
            let (opened, stored) = self.turn(self.open(&found.name, &mut opened)).await?;
            found.table.clone_from(&stored.table);
            let figures = self.turn(self.read_application(&mut found, opened, &stored));
            let read;
            (read, table) = join!(figures, self.table_of(&stored));
            read
        };
        let error = read.await.err();
        // After a passing error, the next reading needs no other client.
        opened = opened.filter(|_| error.as_ref().is_none_or(|error| error.kind().is_passing()));
        let error = error.map(|error| format!("application `{}`: {error}", found.name));
        ApplicationPart { figures: found, error, opened, table }
    }

    async fn open<'a>(
        &self,
        name: &str,
        opened: &'a mut Option<Opened>,
    ) -> Result<(&'a mut Opened, Application)> {
        let opened = match opened {
            Some(opened) => opened,
            None => {
                let coordination = self.instance.applications().open(name).await?;
                opened.insert(Opened { coordination, client: None })
            }
        };
        let stored = opened.coordination.application().await?;
        Ok((opened, stored))
    }

    async fn read_application(
        &self,
        found: &mut ApplicationFigures,
        opened: &mut Opened,
        stored: &Application,
    ) -> Result<()> {
        let coordination = &opened.coordination;
        let presence = coordination.presence().await?;
        found.transactors = presence.transactors.len();
        let oldest = presence.oldest_active();
        found.oldest_active = oldest.map(Timestamp::get);
        found.workers = workers(&presence);
        found.dead_letters = coordination.dead_letters().await?.len();
        found.oracles = presence.oracles;
        let (mut waiting, oldest_waiting) = self.read_waiting(stored).await?;
        let timestamps = [oldest, oldest_waiting];
        let known = timestamps.map(|timestamp| timestamp.unwrap_or(Timestamp::ZERO));
        let ages = timestamps.into_iter().zip(coordination.ages(&known).await?);
        let mut ages = ages.map(|(timestamp, age)| Some(timestamp.and(age)?.as_secs_f64()));
        found.oldest_active_seconds = ages.next().flatten();
        waiting.oldest_seconds = ages.next().flatten();
        found.notifications = Some(waiting);
        let queues = StoredQueue::all(&stored.settings)?;
        // Without an oracle, a snapshot would wait for one.
        if !queues.is_empty() && (!found.needs_oracle || !found.oracles.is_empty()) {
            found.queues = self.read_queues(&found.name, &mut opened.client, &queues).await?;
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

    /// Reads the queues with the client of the application, which the first reading opens.
    async fn read_queues(
        &self,
        name: &str,
        client: &mut Option<Client>,
        queues: &[StoredQueue],
    ) -> Result<Vec<QueueFigures>> {
        let client = match client {
            Some(client) => client,
            None => client.insert(self.instance.application(name).open().await?),
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

    /// Reads the table of an application, unless the options name it.
    async fn table_of(&self, stored: &Application) -> Option<TablePart> {
        if self.options.tables.iter().any(|other| other.name == stored.table) {
            return None;
        }
        let table = MonitoredTable::new(stored.table.clone());
        Some(match table_optimizations(&stored.settings) {
            Ok(wanted) if wanted.requirements().is_empty() => self.table(&table).await,
            Ok(wanted) => {
                let options = VerifyOptions::new().allow_other_rows(true);
                self.table(&table.wanted(wanted, options)).await
            }
            Err(error) => Err(format!("table `{}`: {error}", table.name)),
        })
    }

    /// Reads a table. The first one reads the servers, for all tables.
    async fn table(&self, table: &MonitoredTable) -> TablePart {
        let read_servers = || self.turn(self.instance.table_admin().servers());
        let servers = self.servers.get_or_init(read_servers).await;
        let read = self.read_table(table, servers.as_deref().ok());
        self.turn(read).await.map_err(|error| format!("table `{}`: {error}", table.name))
    }

    /// Reads a table, and compares it if the servers are known.
    async fn read_table(
        &self,
        table: &MonitoredTable,
        servers: Option<&[String]>,
    ) -> Result<TableFigures> {
        let admin: &dyn TableAdmin = self.instance;
        let tablets = admin.tablets(&table.name).await?;
        let mut found = shape(&table.name, tablets.as_slice());
        for server in servers.into_iter().flatten() {
            found.servers.entry(server.clone()).or_default();
        }
        if let Some((optimizations, options)) = &table.wanted
            && let Some(servers) = servers
        {
            let options = options.clone().rows(RowCounting::Skip);
            let verifying = optimizations.verify(admin, &table.name).layout(&tablets, servers);
            let verdict = verifying.options(&options).await?;
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
