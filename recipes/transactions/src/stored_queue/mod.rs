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
//! assert_eq!((queues[0].id(), backlog[0].entries), ("wc", 2));
//! # Ok(())
//! # }
//! ```

mod backlog;
mod dead_letter;
mod rebucket;

use std::collections::BTreeMap;

use fluo_engine::{Column, Result};
use fluo_keys::application::OPTIMIZATIONS;

pub use crate::queue::QueueKind;
pub use backlog::BucketBacklog;
pub use dead_letter::DeadLetter;

use crate::queue::QueueDefinition;

/// A queue of an application, from its stored settings.
#[derive(Clone, Debug)]
pub struct StoredQueue {
    definition: QueueDefinition,
}

impl StoredQueue {
    /// Returns the queues of an application, sorted by their ids.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a missing or a wrong setting of a queue.
    pub fn all(settings: &BTreeMap<String, String>) -> Result<Vec<Self>> {
        let queue = |(name, class): (&String, &String)| {
            let id = name.strip_prefix(OPTIMIZATIONS)?;
            let kind = QueueKind::from_optimizer(class)?;
            let definition = QueueDefinition::load(kind, id, settings);
            Some(definition.map(|definition| Self { definition }))
        };
        settings.iter().filter_map(queue).collect()
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.definition.id
    }

    /// The kind.
    pub fn kind(&self) -> QueueKind {
        self.definition.kind
    }

    /// The number of buckets.
    pub fn buckets(&self) -> u32 {
        self.definition.buckets.count()
    }

    /// Returns the column of the notifications of the buckets.
    pub fn notification(&self) -> Column {
        self.definition.notification()
    }
}
