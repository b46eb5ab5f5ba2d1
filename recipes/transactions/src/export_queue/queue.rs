//! The export queue of an application, and the addition of an entry.

use std::sync::Arc;

use fluo_engine::{Result, Transaction};

use super::Exporter;
use crate::codec::{Codec, KeyCodec, Text};
use crate::queue::{QueueKind, TypedQueue};

/// A queue of entries to export. See the [module](super).
///
/// Cloning is cheap. `K` is the type of the keys, `V` that of the values.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Instance, InstanceExt};
/// use fluo_recipes::export_queue::{ExportQueue, Exported};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let mails = ExportQueue::<String, String>::new("mails")?.buckets(7)?;
/// let mails = mails.export_to(async |mails| {
///     for mail in &*mails {
///         println!("{} to {}: {}", mail.sequence, mail.key, mail.value);
///     }
///     Ok(Exported::All)
/// });
/// let client = Instance::in_memory().application("shop").recipe(&mails).create().await?;
/// let worker = client.worker().start().await?;
/// client.run(async |tx| mails.add(&tx, "alice", "your order".to_owned())).await?;
/// client.wait_until_idle().await?;
/// # worker.stop().await;
/// # Ok(())
/// # }
/// ```
pub type ExportQueue<K, V> = TypedQueue<K, V, Option<Arc<dyn Exporter<K, V>>>>;

impl<K: 'static, V: 'static> ExportQueue<K, V> {
    /// Creates a queue whose keys and values are written as [`Text`].
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for an empty id, and for one with `:`, `!`, `#`
    /// or a control character.
    pub fn new(id: impl Into<String>) -> Result<Self>
    where
        Text: KeyCodec<K> + Codec<V>,
    {
        Self::with_codecs(id, Text, Text)
    }

    /// Creates a queue with codecs of its keys and values. Java applications write both with
    /// [`Kryo`](crate::codec::Kryo), unless they have set another serializer.
    ///
    /// # Errors
    ///
    /// The same as [`new`](Self::new).
    pub fn with_codecs(
        id: impl Into<String>,
        keys: impl KeyCodec<K>,
        values: impl Codec<V>,
    ) -> Result<Self> {
        Self::with_role(QueueKind::Export, id, keys, values, None)
    }

    /// Adds entries of different keys.
    ///
    /// # Errors
    ///
    /// The same as [`add`](Self::add); entries before the error stay in the transaction.
    pub fn extend<Q: Into<K>>(
        &self,
        tx: &Transaction,
        entries: impl IntoIterator<Item = (Q, V)>,
    ) -> Result<()> {
        let mut entries = entries.into_iter();
        entries.try_for_each(|(key, value)| self.add(tx, key, value))
    }
}
