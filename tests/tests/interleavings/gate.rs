//! A gate at which calls wait until they are released.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

use super::call::Call;

/// The waiting calls, by the transaction that makes them. Clones share the gate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    waiting: Arc<Mutex<BTreeMap<usize, Waiting>>>,
    is_open: Arc<Mutex<bool>>,
}

#[derive(Debug)]
struct Waiting {
    call: Call,
    go: oneshot::Sender<()>,
}

impl Gate {
    /// Waits until the call of a transaction is released. A transaction makes one call at a time.
    pub(crate) async fn pass(&self, transaction: usize, call: Call) {
        if *self.is_open.lock().unwrap() {
            return;
        }
        let (go, released) = oneshot::channel();
        let waiting = Waiting { call, go };
        let before = self.waiting.lock().unwrap().insert(transaction, waiting);
        assert!(
            before.is_none(),
            "transaction {transaction} makes two calls at once"
        );
        released.await.unwrap();
    }

    /// Returns the transactions whose calls wait.
    pub(crate) fn waiting(&self) -> Vec<usize> {
        self.waiting.lock().unwrap().keys().copied().collect()
    }

    /// Returns the waiting calls by transaction.
    pub(crate) fn calls(&self) -> BTreeMap<usize, Call> {
        let waiting = self.waiting.lock().unwrap();
        let call =
            |(transaction, waiting): (&usize, &Waiting)| (*transaction, waiting.call.clone());
        waiting.iter().map(call).collect()
    }

    pub(crate) fn release(&self, transaction: usize) {
        let waiting = self.waiting.lock().unwrap().remove(&transaction).unwrap();
        waiting.go.send(()).unwrap();
    }

    /// Lets all calls pass from now on.
    pub(crate) fn open(&self) {
        *self.is_open.lock().unwrap() = true;
    }

    pub(crate) fn close(&self) {
        *self.is_open.lock().unwrap() = false;
    }
}
