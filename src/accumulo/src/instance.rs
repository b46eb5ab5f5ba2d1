//! The instance of an Accumulo cluster: its tables and its applications.

use std::sync::Arc;

use fluo_table::{Instance, Result};

use crate::coordination::{AccumuloCluster, ZooKeeperApplications};
use crate::options::AccumuloOptions;
use crate::tables::AccumuloTables;
use crate::zookeeper::Keeper;

/// Connects to the tables of an Accumulo instance, through its proxy, and to the applications in
/// its ZooKeeper.
///
/// Transactors, workers and set-up locks of the returned instance exist as long as one session with
/// ZooKeeper. If this process does not reach ZooKeeper for the
/// [session timeout](AccumuloOptions::session_timeout), they end, and the next call begins another
/// session.
///
/// # Errors
///
/// [`Invalid`](fluo_table::ErrorKind::Invalid) for invalid options, and if the options name no
/// Accumulo instance and ZooKeeper has several; [`NotFound`](fluo_table::ErrorKind::NotFound) if
/// ZooKeeper has no such instance; [`Unavailable`](fluo_table::ErrorKind::Unavailable) if no proxy
/// or no ZooKeeper answers; [`Denied`](fluo_table::ErrorKind::Denied) for wrong credentials.
///
/// # Examples
///
/// ```no_run
/// use fluo_accumulo::{AccumuloOptions, Credentials, ProxyOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_table::Result<()> {
/// let proxy = ProxyOptions::new("localhost:42424", Credentials::password("root", "secret"));
/// let fluo = fluo_accumulo::connect(AccumuloOptions::new(proxy, "localhost:2181/fluo")).await?;
/// println!("{:?}", fluo.applications().list().await?);
/// # Ok(())
/// # }
/// ```
pub async fn connect(options: AccumuloOptions) -> Result<Instance> {
    let keeper = Keeper::connect(options.session()?).await?;
    let name = options.instance_name.as_deref();
    let cluster = AccumuloCluster::find(&*keeper.session().await?, name).await?;
    let tables = AccumuloTables::connect(options.proxy).await?;
    let mut tables = tables.iterator_build(options.iterator_build);
    tables.writer_options = tables.writer_options.calls_in_flight(options.conditional_calls);
    let tables = Arc::new(tables);
    let applications = ZooKeeperApplications::new(keeper, cluster, tables.clone());
    Ok(Instance::new(tables, Arc::new(applications)))
}
