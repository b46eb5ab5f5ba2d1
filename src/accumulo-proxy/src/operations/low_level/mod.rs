//! Scanners and writers by their handles, as they are on the wire.
//!
//! ```text
//! scanners                  create, next, close                          scanner.rs
//! writers                   create, update, flush, close; direct         writer.rs
//! conditional writers       create, update, close; direct                conditional.rs
//! ```

mod conditional;
mod handle;
mod scanner;
mod writer;

pub use handle::{ConditionalWriterHandle, ScannerHandle, WriterHandle};
pub use scanner::NextBatch;
pub use writer::{ServerWriter, WriterOptions};

use crate::client::ProxyClient;

/// Scanners and writers by their handles. Each method is one call of the proxy, with its pitfalls.
///
/// This type is for porting code that makes these calls. All other code should use
/// [`scanner`](ProxyClient::scanner), [`batch_scanner`](ProxyClient::batch_scanner),
/// [`write`](ProxyClient::write), [`batch_writer`](ProxyClient::batch_writer) and
/// [`conditional_writer`](ProxyClient::conditional_writer), which close what they open, resume
/// after a break if that is safe, and keep requests below the longest frame.
///
/// The proxy keeps the scanner or writer of a handle until it is closed, or for ten idle minutes,
/// or until the proxy ends. Anyone who has the handle can use it, also without a login.
///
/// Options that only the high-level types need (the number of entries of a batch, the number of
/// concurrent calls) are ignored here.
#[derive(Clone, Debug)]
pub struct LowLevel<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Returns the operations on scanners and writers by their handles.
    pub fn low_level(&self) -> LowLevel<'_> {
        LowLevel { client: self }
    }
}
