//! The queues of an application as an operator sees them: backlog and dead letters.
//!
//! A [`StoredQueue`] needs only the settings that an application stores, and neither its code nor
//! its codecs.
//!
//! # Examples
//!
//! ```
//! use fluo_engine::{Instance, InstanceExt};
//! use fluo_recipes::combine_queue::{CombineQueue, Sum};
//! use fluo_recipes::stored_queue::StoredQueue;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_engine::Result<()> {
//! let words = CombineQueue::<String, u64>::new("wc", Sum)?.buckets(1)?;
//! let client = Instance::in_memory().application("count").recipe(&words).create().await?;
//! client.run(async |tx| words.extend(&tx, [("cat", 1), ("dog", 1)])).await?;
//!
//! // No worker runs, so both updates wait.
//! let queues = StoredQueue::all(&client.application().settings)?;
//! let backlog = queues[0].backlog(&client.snapshot().await?).await?;
//! assert_eq!((queues[0].id(), backlog.entries), ("wc", 2));
//! # Ok(())
//! # }
//! ```

mod backlog;
mod dead_letter;
mod read_backlog;
mod rebucket;

pub use crate::queue::{QueueKind, StoredQueue};
pub use backlog::{Accuracy, Backlog, BucketBacklog};
pub use dead_letter::DeadLetter;
