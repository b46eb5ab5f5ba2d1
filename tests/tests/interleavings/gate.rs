//! A gate at which calls wait until they are released.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

use super::call::Call;

/// The waiting calls, by the transaction that makes them. A client that runs several transactions
/// counts as one; its calls are released in the order of their arrival. Clones share the gate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    waiting: Arc<Mutex<BTreeMap<usize, VecDeque<Waiting>>>>,
    is_open: Arc<Mutex<bool>>,
}

#[derive(Debug)]
struct Waiting {
    call: Call,
    go: oneshot::Sender<()>,
}

impl Gate {
    /// Waits until the call of a transaction is released.
    pub(crate) async fn pass(&self, transaction: usize, call: Call) {
        if *self.is_open.lock().unwrap() {
            return;
        }
        let (go, released) = oneshot::channel();
        let waiting = Waiting { call, go };
        {
            let mut all = self.waiting.lock().unwrap();
            all.entry(transaction).or_default().push_back(waiting);
        }
        released.await.unwrap();
    }

    /// Returns the transactions whose calls wait.
    pub(crate) fn waiting(&self) -> Vec<usize> {
        self.waiting.lock().unwrap().keys().copied().collect()
    }

    /// Returns the oldest waiting call of each transaction.
    pub(crate) fn calls(&self) -> BTreeMap<usize, Call> {
        let waiting = self.waiting.lock().unwrap();
        let call = |(transaction, waiting): (&usize, &VecDeque<Waiting>)| {
            (*transaction, waiting[0].call.clone())
        };
        waiting.iter().map(call).collect()
    }

    /// Releases the oldest waiting call of a transaction. A call that nothing awaits any more has
    /// no effect.
    pub(crate) fn release(&self, transaction: usize) {
        let mut all = self.waiting.lock().unwrap();
        let waiting = all.get_mut(&transaction).unwrap();
        let oldest = waiting.pop_front().unwrap();
        if waiting.is_empty() {
            all.remove(&transaction);
        }
        let _ = oldest.go.send(());
    }

    /// Lets all calls pass from now on.
    pub(crate) fn open(&self) {
        *self.is_open.lock().unwrap() = true;
    }

    pub(crate) fn close(&self) {
        *self.is_open.lock().unwrap() = false;
    }
}
