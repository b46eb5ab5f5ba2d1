//! Scanners and writers by their handles, as they are on the wire.
//!
//! ```text
//! scanners                  create, next, close                          scanner.rs
//! writers                   create, update, flush, close; at once         writer.rs
//! conditional writers       create, update, close; at once                conditional.rs
//! ```

mod conditional;
mod handle;
mod scanner;
mod writer;

pub use handle::{ConditionalWriterHandle, ScannerHandle, WriterHandle};
pub use scanner::NextBatch;
pub use writer::{ServerWriter, WriterOptions};

use crate::client::ProxyClient;

/// Scanners and writers by their handles: each method is one call of the proxy, with its traps.
///
/// It is for those who port code that makes these calls. All others are better served by
/// [`scanner`](ProxyClient::scanner), [`batch_scanner`](ProxyClient::batch_scanner), [`write`](ProxyClient::write),
/// [`batch_writer`](ProxyClient::batch_writer) and [`conditional_writer`](ProxyClient::conditional_writer), which close
/// what they open, go on after a break where that may be done, and keep requests below the longest frame.
///
/// What a handle stands for is kept by the proxy until it is closed, or for ten idle minutes, or until the proxy ends.
/// Whoever has the handle can use it, logged in or not.
///
/// Options that only the high-level types need (how many entries a batch has, how many calls are made at a time) are
/// ignored here.
#[derive(Clone, Debug)]
pub struct LowLevel<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Scanners and writers by their handles.
    pub fn low_level(&self) -> LowLevel<'_> {
        LowLevel { client: self }
    }
}
