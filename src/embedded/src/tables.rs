//! The handle of a directory.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use fluo_table::Result;
use tokio::sync::Mutex;

use crate::application_state::Registry;
use crate::catalog;
use crate::engine::Snapshot;
use crate::error::Failure;
use crate::options::{EmbeddedOptions, SERVERS};
use crate::store::{FORMAT_VERSION, Store};
use crate::writer::{MaxTimes, Writer};

/// The tables of one directory: a [`TableAdmin`](fluo_table::TableAdmin). A clone shares them.
///
/// No other process and no other handle can open the directory until the last clone, the last table
/// opened through one, and the last running scan are dropped, and a cancelled compaction has merged
/// its files. The last drop waits for the queued writes.
#[derive(Clone, Debug)]
pub struct EmbeddedTables {
    pub(crate) shared: Arc<Shared>,
}

/// The state that all handles of a directory share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The writer. Before the store, because it must finish before the store is closed.
    pub(crate) writer: Writer,
    pub(crate) store: Arc<Store>,
    pub(crate) servers: usize,
    pub(crate) max_mutation_bytes: usize,
    /// Held by a compaction: two at the same time could each rely on entries that the other one
    /// drops.
    pub(crate) compacting: Mutex<()>,
    /// The open applications. The writer thread uses it too.
    pub(crate) applications: Arc<Registry>,
    /// The epoch of this opening (C14).
    pub(crate) epoch: Arc<str>,
}

impl EmbeddedTables {
    /// The version of the format of a directory that this build writes and reads.
    pub const FORMAT: u64 = FORMAT_VERSION;

    /// Opens the tables of a directory, and creates them first if the options say so.
    ///
    /// Blocks the thread for the time that it takes to read the log of the last writes: about
    /// 64 MiB, or twice as much after a kill.
    ///
    /// # Errors
    ///
    /// If opening fails, existing tables are unchanged, except that the storage engine may have
    /// dropped the unreadable end of a log.
    /// - [`Invalid`](fluo_table::ErrorKind::Invalid): a setting is out of its bounds, or the path
    ///   is that of a file, or of a directory with other files and no tables.
    /// - [`NotFound`](fluo_table::ErrorKind::NotFound): the directory does not exist or has no
    ///   tables in it, and [`create_if_missing`](EmbeddedOptions::create_if_missing) is not set; or
    ///   a directory above it does not exist, and
    ///   [`create_parents`](EmbeddedOptions::create_parents) is not set.
    /// - [`Unavailable`](fluo_table::ErrorKind::Unavailable): another process or handle holds it.
    /// - [`Corrupt`](fluo_table::ErrorKind::Corrupt): the directory is damaged, was not created by
    ///   this crate, or has a format that this build does not support.
    /// - [`Denied`](fluo_table::ErrorKind::Denied), [`Storage`](fluo_table::ErrorKind::Storage):
    ///   the file system rejected an operation.
    pub fn open(directory: impl AsRef<Path>, options: EmbeddedOptions) -> Result<Self> {
        let store = Store::open(directory.as_ref(), &options)?;
        let (servers, times) = store.read(numbers)?;
        let store = Arc::new(store);
        let max_mutation_bytes = options.max_mutation_bytes;
        let writer = Writer::start(store.clone(), options, times)?;
        let shared = Shared {
            writer,
            store,
            servers,
            max_mutation_bytes,
            compacting: Mutex::new(()),
            applications: Arc::default(),
            epoch: epoch().into(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Checks whether this opening created the tables.
    pub fn is_new(&self) -> bool {
        self.shared.store.is_new()
    }

    /// Checks that the tables accept writes. Reading works in any case.
    ///
    /// # Errors
    ///
    /// - [`Corrupt`](fluo_table::ErrorKind::Corrupt): the tables are known to be damaged:
    ///   [`check`](Self::check) or another call found damage, and no check has found the tables
    ///   intact since. Restore the directory from a copy and check it.
    /// - [`Storage`](fluo_table::ErrorKind::Storage): a write failed. Open the directory again.
    pub fn check_writable(&self) -> Result<()> {
        self.shared.store.check_writable()
    }
}

/// Returns a text that no other opening of this directory or of a copy of it returns.
fn epoch() -> String {
    static OPENINGS: AtomicU64 = AtomicU64::new(0);
    let opening = OPENINGS.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    format!("{now:x}-{:x}-{opening:x}", std::process::id())
}

/// Returns the number of simulated servers, and the highest timestamps.
pub(crate) fn numbers(snapshot: &Snapshot) -> Result<(usize, MaxTimes), Failure> {
    let servers = usize::try_from(catalog::number(snapshot, catalog::SERVERS)?)
        .ok()
        .filter(|servers| SERVERS.contains(servers))
        .ok_or_else(|| Failure::damaged("the number of servers is out of its bounds"))?;
    let times = MaxTimes {
        assigned_ms: catalog::number(snapshot, catalog::LAST_TIME_MS)?.cast_signed(),
        explicit: catalog::number(snapshot, catalog::MAX_EXPLICIT)?.cast_signed(),
    };
    Ok((servers, times))
}
