//! The build of Fluo's iterators that tablet servers have.

use std::sync::Arc;

use fluo_table::Result;
use tokio::sync::OnceCell;

/// The build of Fluo's iterators that is on the class path of the tablet servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IteratorBuild {
    /// For Accumulo 1.x: the published jars `fluo-accumulo` and `fluo-api` 1.2.0.
    #[default]
    ForAccumulo1,
    /// For Accumulo 2.x: `fluo-accumulo` and `fluo-api` 2.1.0-SNAPSHOT, built by hand from the main
    /// branch of `apache/fluo`. They are not published.
    ForAccumulo2,
}

/// The result of the check of the build, which runs once.
pub(crate) type Readiness = Arc<OnceCell<Result<()>>>;
