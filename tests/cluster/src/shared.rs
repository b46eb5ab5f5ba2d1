//! One cluster for all tests.

use std::env;
use std::panic;
use std::sync::OnceLock;

use anyhow::{Result, anyhow};

use crate::cluster::Cluster;
use crate::folder;
use crate::logs::{Logs, say};
use crate::settings::Settings;

/// Environment variable with the state file of the cluster that tests use instead of starting one.
/// A relative path is relative to the folder of the workspace, because cargo runs each test in the
/// folder of its package.
const CLUSTER: &str = "FLUO_CLUSTER";

/// Environment variable that makes live tests skip if it is set.
const WITHOUT: &str = "FLUO_WITHOUT_ACCUMULO";

static SHARED: OnceLock<Result<Cluster, String>> = OnceLock::new();

/// Checks whether live tests run. They do not if `FLUO_WITHOUT_ACCUMULO` is set, as
/// `cargo xtask test --without-accumulo` does; a message on standard error states that. A live test
/// calls this first, and returns if the answer is `false`.
#[must_use]
pub fn wanted() -> bool {
    let wanted = env::var_os(WITHOUT).is_none();
    if !wanted {
        say(&format!("skipped: {WITHOUT} is set, and this test needs a real Accumulo"));
    }
    wanted
}

impl Cluster {
    /// Returns the shared cluster, or `None` if live tests do not run. A test then returns at once.
    ///
    /// # Panics
    ///
    /// As [`Cluster::shared`] fails.
    #[must_use]
    pub fn if_wanted() -> Option<&'static Cluster> {
        wanted().then(|| Cluster::shared().expect("there is a cluster"))
    }

    /// Returns the cluster that all tests of this process share: the cluster of the state file in
    /// the environment variable `FLUO_CLUSTER`, or one that is started now and ends with the
    /// process. The logs of the latter are kept after any panic.
    ///
    /// # Errors
    ///
    /// As [`Cluster::attach`] and [`Cluster::start`]; every later call gets the same error.
    pub fn shared() -> Result<&'static Cluster> {
        let shared = SHARED.get_or_init(|| open().map_err(|error| format!("{error:#}")));
        shared.as_ref().map_err(|error| anyhow!("{error}"))
    }
}

fn open() -> Result<Cluster> {
    if let Some(file) = env::var_os(CLUSTER) {
        return Cluster::attach(&folder::workspace().join(file));
    }
    say("starting a cluster for this test; `cargo xtask cluster start` keeps one for many tests");
    keep_logs_after_panics();
    Cluster::start(&Settings::default())
}

/// Keeps the logs after a panic. A static is never dropped, so its end cannot detect a failed test.
fn keep_logs_after_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        before(panic);
        if let Some(Ok(cluster)) = SHARED.get() {
            cluster.keep_logs();
            Logs(cluster.site().logs.clone()).say_where();
        }
    }));
}
