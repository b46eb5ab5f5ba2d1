//! The options of a directory.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fluo_table::{Clock, Result, SystemClock, check_option};

/// The valid numbers of simulated servers.
pub(crate) const SERVERS: RangeInclusive<usize> = 1..=10_000;

/// The options with which a directory is opened.
/// [`EmbeddedTables::open`](crate::EmbeddedTables::open) checks them.
///
/// # Examples
///
/// ```
/// use fluo_embedded::EmbeddedOptions;
///
/// let options = EmbeddedOptions::new().create_if_missing(true).cache_bytes(256 << 20);
/// assert!(options.check().is_ok());
/// assert!(options.cache_bytes(1).check().is_err());
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct EmbeddedOptions {
    pub(crate) create_if_missing: bool,
    pub(crate) create_parents: bool,
    pub(crate) program: String,
    pub(crate) http: Option<SocketAddr>,
    pub(crate) servers: NonZeroUsize,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) cache_bytes: usize,
    pub(crate) max_queued_mutations: usize,
    pub(crate) max_queued_bytes: usize,
    pub(crate) max_mutation_bytes: usize,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl EmbeddedOptions {
    /// Returns the default options.
    pub fn new() -> Self {
        Self {
            create_if_missing: false,
            create_parents: false,
            program: program(),
            http: None,
            servers: NonZeroUsize::MIN.saturating_add(1),
            clock: Arc::new(SystemClock),
            cache_bytes: 128 << 20,
            max_queued_mutations: 16_384,
            max_queued_bytes: 256 << 20,
            max_mutation_bytes: 16 << 20,
        }
    }

    /// Sets whether the directory is created if it does not exist, and tables if it is empty.
    /// Default: no.
    pub fn create_if_missing(mut self, create: bool) -> Self {
        self.create_if_missing = create;
        self
    }

    /// Sets whether missing parents of the directory are created with it. Default: no.
    pub fn create_parents(mut self, create: bool) -> Self {
        self.create_parents = create;
        self
    }

    /// Sets the name of the program that opens the directory, for the message of another program
    /// that finds it open. At most 100 characters. Do not put secrets in it: it can be read by
    /// everyone who can read the directory. Default: the file name of the running program.
    pub fn program(mut self, program: impl Into<String>) -> Self {
        self.program = program.into();
        self
    }

    /// Sets the address at which the program answers over HTTP, for the message of another program
    /// that finds the directory open. Default: none.
    pub fn http(mut self, address: SocketAddr) -> Self {
        self.http = Some(address);
        self
    }

    /// Sets the number of simulated servers for the tablets; 1 to 10,000. Default: 2.
    ///
    /// The number is stored when the directory is created; an existing directory keeps its number.
    pub fn servers(mut self, servers: NonZeroUsize) -> Self {
        self.servers = servers;
        self
    }

    /// Sets the source of the time for updates without a timestamp, and for the ages of
    /// timestamps. It is read in each call that writes or takes timestamps, in the caller's task,
    /// and must not block. While it is behind the last time of an update, each commit gets a later
    /// one, by one millisecond. Default: the system's clock.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the memory for blocks of files that were read, in bytes; at least 1 MiB. Default: 128
    /// MiB.
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// Sets the maximum number of mutations that wait for the writer, over all callers; 1 to
    /// 1,000,000. A call waits until there is room; a call that is larger than this number waits
    /// until all other calls have been answered. Default: 16,384.
    pub fn max_queued_mutations(mut self, mutations: usize) -> Self {
        self.max_queued_mutations = mutations;
        self
    }

    /// Sets the maximum number of bytes of mutations and conditions that wait for the writer, over
    /// all callers; 1 to 4,294,967,295. A call waits as for the number of mutations, so the queue
    /// never has more bytes than this, or than the largest call. Commits of transactions do not
    /// wait, and are not counted. Default: 256 MiB.
    pub fn max_queued_bytes(mut self, bytes: usize) -> Self {
        self.max_queued_bytes = bytes;
        self
    }

    /// Sets the maximum size of a mutation with its conditions, in bytes as
    /// [`size_bytes`](fluo_table::Mutation::size_bytes) returns; 1 to 512 MiB. A larger one is
    /// rejected. Default: 16 MiB.
    pub fn max_mutation_bytes(mut self, bytes: usize) -> Self {
        self.max_mutation_bytes = bytes;
        self
    }

    /// Checks every bound; opening a directory does it too.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for the first option that is out of its bounds;
    /// the message states them.
    pub fn check(&self) -> Result<()> {
        check_option("servers", self.servers.get(), SERVERS)?;
        check_option("cache_bytes", self.cache_bytes, 1 << 20..)?;
        check_option("max_queued_mutations", self.max_queued_mutations, 1..=1_000_000)?;
        let most_queued_bytes = usize::try_from(u32::MAX).unwrap_or(usize::MAX);
        check_option("max_queued_bytes", self.max_queued_bytes, 1..=most_queued_bytes)?;
        check_option("max_mutation_bytes", self.max_mutation_bytes, 1..=512 << 20)
    }
}

/// Returns the name of the running program. The arguments are left out because they may contain
/// secrets.
fn program() -> String {
    let path = std::env::args_os().next().map(PathBuf::from);
    let name = path.as_deref().and_then(Path::file_name);
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_an_option_that_is_out_of_bounds_with_its_bounds() {
        let message = |options: EmbeddedOptions| options.check().unwrap_err().to_string();
        let defaults = EmbeddedOptions::new;
        assert_eq!(
            message(defaults().cache_bytes(5)),
            "option `cache_bytes` is 5; it must be at least 1,048,576"
        );
        assert_eq!(
            message(defaults().max_queued_mutations(0)),
            "option `max_queued_mutations` is 0; it must be at least 1 and at most 1,000,000"
        );
        assert_eq!(
            message(defaults().max_queued_bytes(0)),
            "option `max_queued_bytes` is 0; it must be at least 1 and at most 4,294,967,295"
        );
        let many = NonZeroUsize::new(10_001).unwrap();
        assert_eq!(
            message(defaults().servers(many)),
            "option `servers` is 10,001; it must be at least 1 and at most 10,000"
        );
        assert!(message(defaults().max_mutation_bytes(0)).contains("max_mutation_bytes"));
    }
}
