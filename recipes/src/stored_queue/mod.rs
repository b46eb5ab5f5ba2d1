//! The queues of an application as an operator sees them: backlog and dead letters.
//!
//! A [`StoredQueue`] needs only the settings that an application stores, and neither its code nor
//! its codecs.
//!
//! # Examples
//!
//! ```
//! use fluo::{Instance, InstanceExt, Observers};
//! use fluo_recipes::combine_queue::{CombineQueue, Sum};
//! use fluo_recipes::stored_queue::StoredQueue;
//! use fluo_recipes::{ApplicationRecipes, Recipes};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo::Result<()> {
//! let words = CombineQueue::<String, u64>::new("wc", Sum)?.buckets(1)?;
//! let observers = words.observe(Observers::new())?;
//! let count = Instance::in_memory().application("count").observers(&observers);
//! let client = count.recipes(&Recipes::new().with(&words)?).create().await?;
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

use std::collections::BTreeMap;
use std::fmt;

use fluo::{Column, Result};

pub use backlog::BucketBacklog;
pub use dead_letter::DeadLetter;

use crate::queue::{QueueId, QueueOptions};
use crate::{combine_queue, export_queue};

/// The prefix of the settings that name the recipes of an application.
pub(crate) const OPTIMIZATIONS: &str = "recipes.optimizations.";

/// The kind of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// A combine queue.
    Combine,
    /// An export queue.
    Export,
}

impl QueueKind {
    /// Returns the kind of a queue that is registered with a class of Java.
    pub(crate) fn from_class(class: &str) -> Option<Self> {
        match class {
            combine_queue::OPTIMIZER => Some(Self::Combine),
            export_queue::OPTIMIZER => Some(Self::Export),
            _ => None,
        }
    }
}

impl fmt::Display for QueueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Combine => "combine",
            Self::Export => "export",
        })
    }
}

/// A queue of an application, from its stored settings.
#[derive(Clone, Debug)]
pub struct StoredQueue {
    id: QueueId,
    kind: QueueKind,
    options: QueueOptions,
}

impl StoredQueue {
    /// Returns the queues of an application, sorted by their ids.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo::ErrorKind::Invalid) for a missing or a wrong setting of a queue.
    pub fn all(settings: &BTreeMap<String, String>) -> Result<Vec<Self>> {
        let queue = |(name, class): (&String, &String)| {
            let id = name.strip_prefix(OPTIMIZATIONS)?;
            let kind = QueueKind::from_class(class)?;
            Some(Self::load(id, kind, settings))
        };
        settings.iter().filter_map(queue).collect()
    }

    pub(crate) fn load(
        id: &str,
        kind: QueueKind,
        settings: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let (prefix, buffer_bytes) = match kind {
            QueueKind::Combine => (
                combine_queue::settings_prefix(id),
                combine_queue::BUFFER_BYTES,
            ),
            QueueKind::Export => (
                export_queue::settings_prefix(id),
                export_queue::BUFFER_BYTES,
            ),
        };
        Ok(Self {
            id: QueueId::new(id)?,
            kind,
            options: QueueOptions::load(&prefix, settings, buffer_bytes)?,
        })
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> QueueKind {
        self.kind
    }

    /// Returns the number of buckets.
    #[must_use]
    pub fn buckets(&self) -> u32 {
        self.options.buckets.count()
    }

    pub(crate) fn options(&self) -> &QueueOptions {
        &self.options
    }

    /// Returns the prefix of the rows of all buckets.
    fn entries_prefix(&self) -> String {
        match self.kind {
            QueueKind::Combine => format!("{}:u:", self.id),
            QueueKind::Export => format!("{}:", self.id),
        }
    }

    /// Returns the row of a bucket.
    fn bucket_row(&self, bucket: u32) -> String {
        let bucket = self.options.buckets.text(bucket);
        format!("{}{bucket}:", self.entries_prefix())
    }

    fn entry_column(&self) -> Column {
        match self.kind {
            QueueKind::Combine => combine_queue::UPDATE,
            QueueKind::Export => export_queue::ENTRY,
        }
    }

    fn notification(&self) -> Column {
        match self.kind {
            QueueKind::Combine => combine_queue::notification(&self.id),
            QueueKind::Export => export_queue::notification(&self.id),
        }
    }
}
