//! The figures of one reading.

use std::collections::BTreeMap;

use fluo_table::counted;
use serde::Serialize;

/// The result of one reading. A part that could not be read is missing, with a sentence in
/// `errors`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Figures {
    /// The time at which the reading began, in milliseconds since 1970.
    pub time_ms: u64,
    /// The location of the tables, as the user has written it.
    pub at: String,
    /// The tables of the applications, and those that the options name.
    pub tables: Vec<TableFigures>,
    /// The applications, by name.
    pub applications: Vec<ApplicationFigures>,
    /// The work of the processes whose metrics are read; `None` if the options name none.
    pub work: Option<WorkFigures>,
    /// The parts that could not be read, with the reasons.
    pub errors: Vec<String>,
    /// The alarms, as sentences; the errors first.
    pub alarms: Vec<String>,
}

/// A table, by the entries that its tablets count themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TableFigures {
    /// The table.
    pub name: String,
    /// The number of tablets.
    pub tablets: usize,
    /// The number of tablets that no server hosts.
    pub unhosted: usize,
    /// The number of entries.
    pub entries: u64,
    /// The number of entries in the fullest tablet.
    pub fullest: u64,
    /// The end row of that tablet, escaped; `None` for the last one.
    pub fullest_end_row: Option<String>,
    /// The entries of the fullest tablet over the mean; `None` if the table is empty.
    pub fullest_over_mean: Option<f64>,
    /// The servers, by name.
    pub servers: BTreeMap<String, ServerFigures>,
    /// The groups of the balancer, in the order of the table. Empty if the differences are `None`.
    pub groups: Vec<GroupFigures>,
    /// The differences from the recipes of the application, or from the spec. `None` if there are
    /// no recipes, or the list of servers could not be read.
    pub differences: Option<Vec<String>>,
}

/// The tablets of a table on one server.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ServerFigures {
    /// The number of tablets.
    pub tablets: usize,
    /// The number of their entries.
    pub entries: u64,
}

/// A group of tablets that the balancer spreads over the servers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GroupFigures {
    /// The group.
    pub name: String,
    /// The number of its tablets.
    pub tablets: usize,
    /// The number of their entries.
    pub entries: u64,
    /// The smallest and the largest number of its tablets on a server.
    pub per_server: [usize; 2],
}

/// An application.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ApplicationFigures {
    /// The application.
    pub name: String,
    /// Its table.
    pub table: String,
    /// The addresses of its oracles, the leader first. Empty in a directory, which needs none.
    pub oracles: Vec<String>,
    /// `true` if the application needs an oracle.
    pub needs_oracle: bool,
    /// The number of transactors: processes that run transactions.
    pub transactors: usize,
    /// The oldest timestamp at which a transaction may read, which holds the horizon back. `None`
    /// if none is published.
    pub oldest_active: Option<u64>,
    /// A lower bound of its age.
    pub oldest_active_seconds: Option<f64>,
    /// The workers, in the order of their parts.
    pub workers: Vec<WorkerFigures>,
    /// The notifications that wait for their observers; `None` if they could not be read.
    pub notifications: Option<WaitingNotifications>,
    /// The queues, by id.
    pub queues: Vec<QueueFigures>,
    /// The number of failed notifications.
    pub dead_letters: usize,
}

/// A worker with its share of the notifications.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkerFigures {
    /// The name of the worker.
    pub name: String,
    /// Its part, from 1, and the number of parts of the rows that it shares with others; `None`
    /// while its share is not known.
    pub part: Option<[u32; 2]>,
    /// The number of ranges of rows in its share.
    pub ranges: usize,
}

/// The notifications that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WaitingNotifications {
    /// The number that was read.
    pub count: u64,
    /// `false` if more wait than were read.
    pub is_complete: bool,
    /// A lower bound of the age of the oldest one that was read.
    pub oldest_seconds: Option<f64>,
}

/// The backlog of a queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QueueFigures {
    /// The queue.
    pub id: String,
    /// The number of entries that wait, according to `accuracy`.
    pub entries: u64,
    /// `exact`, `estimate` or `lower bound`.
    pub accuracy: String,
    /// A lower bound of the age of the oldest entry that was read.
    pub oldest_seconds: Option<f64>,
    /// The number of entries that could not be processed. At most 10,000 are counted.
    pub dead_letters: u64,
}

/// The work of all processes whose metrics are read, in a second. `None` before the second reading.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkFigures {
    /// Committed transactions.
    pub transactions: Option<f64>,
    /// Transactions that conflicted.
    pub conflicts: Option<f64>,
    /// Transactions of other clients that were recovered.
    pub recoveries: Option<f64>,
    /// Notifications that were processed.
    pub notifications: Option<f64>,
    /// The processes.
    pub sources: Vec<SourceFigures>,
}

/// A process whose metrics are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SourceFigures {
    /// The address.
    pub name: String,
    /// Its committed transactions in a second.
    pub transactions: Option<f64>,
    /// The reason why its metrics could not be read.
    pub error: Option<String>,
}

impl Figures {
    /// Collects the alarms, the most urgent first.
    pub(super) fn find_alarms(&mut self) {
        let mut alarms = self.errors.clone();
        // An application that could not be read is an error.
        let read = self
            .applications
            .iter()
            .filter_map(|application| Some((application, application.notifications.as_ref()?)));
        let (mut letters, mut differences) = (Vec::new(), Vec::new());
        for (application, waiting) in read {
            let alarm = |text: &str| format!("application `{}`: {text}", application.name);
            if application.needs_oracle && application.oracles.is_empty() {
                alarms.push(alarm("no oracle runs, so no transaction can begin"));
            }
            let have_shares = application.workers.iter().any(|worker| worker.part.is_some());
            if waiting.count > 0 && application.workers.is_empty() {
                alarms.push(alarm("notifications wait, and no worker runs"));
            } else if waiting.count > 0 && !have_shares {
                alarms.push(alarm("notifications wait, and no worker has a share of them"));
            }
            if application.dead_letters > 0 {
                letters.push(alarm(&counted(application.dead_letters, "dead letter")));
            }
            for queue in application.queues.iter().filter(|queue| queue.dead_letters > 0) {
                let count = counted(queue.dead_letters, "dead letter");
                letters.push(alarm(&format!("queue `{}`: {count}", queue.id)));
            }
        }
        for table in &self.tables {
            let name = &table.name;
            if table.unhosted > 0 {
                let tablets = counted(table.unhosted, "tablet");
                alarms.push(format!("table `{name}`: no server hosts {tablets}"));
            }
            let found = table.differences.iter().flatten();
            differences.extend(found.map(|difference| format!("table `{name}`: {difference}")));
        }
        for source in self.work.iter().flat_map(|work| &work.sources) {
            if let Some(error) = &source.error {
                alarms.push(format!("metrics of {}: {error}", source.name));
            }
        }
        self.alarms = [alarms, letters, differences].concat();
    }
}
