//! One cluster for all tests.

use std::env;
use std::io::{Write, stderr};
use std::panic;
use std::sync::OnceLock;

use anyhow::{Result, anyhow};

use crate::cluster::Cluster;
use crate::folder;
use crate::settings::Settings;

/// Names the state file of a cluster that tests use instead of starting one. A relative path counts from the folder
/// of the workspace, because cargo runs each test in the folder of its package.
const CLUSTER: &str = "FLUO_CLUSTER";

/// Set, it makes live tests skip.
const WITHOUT: &str = "FLUO_WITHOUT_ACCUMULO";

static SHARED: OnceLock<Result<Cluster, String>> = OnceLock::new();

/// Whether live tests run: not when `FLUO_WITHOUT_ACCUMULO` is set, as `cargo xtask test --without-accumulo` does.
/// A live test asks first; on no, which is said on standard error, it returns.
#[must_use]
pub fn wanted() -> bool {
    let wanted = env::var_os(WITHOUT).is_none();
    if !wanted {
        say(&format!(
            "skipped: {WITHOUT} is set, and this test needs a real Accumulo"
        ));
    }
    wanted
}

impl Cluster {
    /// The cluster that all tests of this process share: the one of the state file that the environment variable
    /// `FLUO_CLUSTER` names, or one that is started now and ends with the process. The logs of the latter are kept
    /// when anything panicked.
    ///
    /// # Errors
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
    say("a cluster is started for this test; `cargo xtask cluster start` keeps one for many");
    keep_logs_after_panics();
    Cluster::start(&Settings::default())
}

/// A static is never dropped, so nobody would see at the end that a test failed.
fn keep_logs_after_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        before(panic);
        if let Some(Ok(cluster)) = SHARED.get() {
            cluster.keep_logs();
            say(&format!(
                "the cluster's logs are in {}",
                cluster.site().logs.display()
            ));
        }
    }));
}

/// Tells whoever runs the tests. They may have gone: then there is nobody to tell.
pub(crate) fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}
