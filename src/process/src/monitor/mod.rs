//! The figures that an operator watches: [`Monitor`] reads them, and [`MonitorPort`] serves them
//! over HTTP.
//!
//! A reading changes no data and no settings. No table is flushed, and no rows are counted: the
//! figures of tablets are their own counts of entries.
//!
//! ```
//! use fluo_engine::{Instance, InstanceExt};
//! use fluo_process::monitor::{Monitor, MonitorOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_table::Result<()> {
//! let fluo = Instance::in_memory();
//! let web = fluo.application("web").create().await?;
//! let mut monitor = Monitor::new(fluo, MonitorOptions::new("memory"));
//! let figures = monitor.read().await;
//! assert_eq!(figures.applications[0].notifications.as_ref().map(|waiting| waiting.count), Some(0));
//! # drop(web);
//! # Ok(())
//! # }
//! ```

mod board;
mod figures;
mod port;
mod reader;
mod series;
mod work;

pub use board::History;
pub use figures::{
    ApplicationFigures, Figures, GroupFigures, QueueFigures, ServerFigures, SourceFigures,
    TableFigures, WaitingNotifications, WorkFigures, WorkerFigures,
};
pub use port::MonitorPort;
pub use reader::{Monitor, MonitorOptions, MonitoredTable};
pub use series::METRICS;

pub(crate) use board::Board;
pub(crate) use port::monitor_answer;
