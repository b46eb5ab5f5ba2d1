//! Where calls wait until they are let go.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

/// The calls that wait, by the transaction that makes them. A clone is the same gate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    waiting: Arc<Mutex<BTreeMap<usize, oneshot::Sender<()>>>>,
    is_open: Arc<Mutex<bool>>,
}

impl Gate {
    /// Waits until the call of a transaction is let go. A transaction makes one call at a time.
    pub(crate) async fn pass(&self, transaction: usize) {
        if *self.is_open.lock().unwrap() {
            return;
        }
        let (sender, released) = oneshot::channel();
        let before = self.waiting.lock().unwrap().insert(transaction, sender);
        assert!(
            before.is_none(),
            "transaction {transaction} makes two calls at once"
        );
        released.await.unwrap();
    }

    /// The transactions whose calls wait.
    pub(crate) fn waiting(&self) -> Vec<usize> {
        self.waiting.lock().unwrap().keys().copied().collect()
    }

    pub(crate) fn release(&self, transaction: usize) {
        let sender = self.waiting.lock().unwrap().remove(&transaction).unwrap();
        sender.send(()).unwrap();
    }

    /// Lets all calls go from now on.
    pub(crate) fn open(&self) {
        *self.is_open.lock().unwrap() = true;
    }

    pub(crate) fn close(&self) {
        *self.is_open.lock().unwrap() = false;
    }
}
