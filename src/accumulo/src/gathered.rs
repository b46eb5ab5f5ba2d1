//! A request that is sent once for all callers that wait.

use std::sync::atomic::{AtomicU64, Ordering};

use fluo_table::Result;
use tokio::sync::Mutex;

/// Gathers callers of one request. Each gets the answer to a request that was sent after its call,
/// so the answer is not older than the call.
#[derive(Debug)]
pub(crate) struct Gathered<T> {
    /// Number of requests that were sent.
    sent: AtomicU64,
    /// The last answer, with the number of its request. Held during a request.
    last: Mutex<Option<(u64, Result<T>)>>,
}

impl<T> Default for Gathered<T> {
    fn default() -> Self {
        Self { sent: AtomicU64::new(0), last: Mutex::new(None) }
    }
}

impl<T: Clone> Gathered<T> {
    /// Returns the answer to a request that is sent after this call.
    pub(crate) async fn get(&self, request: impl AsyncFnOnce() -> Result<T>) -> Result<T> {
        let sent_before = self.sent.load(Ordering::SeqCst);
        let mut last = self.last.lock().await;
        if let Some((number, answer)) = &*last
            && *number > sent_before
        {
            return answer.clone();
        }
        let number = self.sent.fetch_add(1, Ordering::SeqCst) + 1;
        let answer = request().await;
        *last = Some((number, answer.clone()));
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fluo_table::{Error, ErrorKind};
    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn callers_that_wait_share_the_next_request() {
        let gathered = Arc::new(Gathered::default());
        let (sent, may_answer) = (Arc::new(AtomicU64::new(0)), Arc::new(Semaphore::new(0)));
        let call = || {
            let (gathered, sent, may_answer) = (gathered.clone(), sent.clone(), may_answer.clone());
            tokio::spawn(async move {
                let request = async || {
                    let number = sent.fetch_add(1, Ordering::SeqCst) + 1;
                    may_answer.acquire().await.unwrap().forget();
                    Ok::<_, Error>(number)
                };
                gathered.get(request).await
            })
        };
        let first = call();
        while sent.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        // They came after the first request was sent, so its answer is too old for them.
        let later: Vec<_> = (0..10).map(|_| call()).collect();
        tokio::task::yield_now().await;
        may_answer.add_permits(2);
        assert_eq!(first.await.unwrap().unwrap(), 1);
        for caller in later {
            assert_eq!(caller.await.unwrap().unwrap(), 2);
        }
    }

    #[tokio::test]
    async fn a_failed_or_canceled_request_is_not_the_answer_to_a_later_call() {
        let gathered = Gathered::default();
        let failed =
            gathered.get(async || Err::<u64, _>(Error::new(ErrorKind::Unavailable, "away"))).await;
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Unavailable);
        let canceled = gathered.get(async || std::future::pending().await);
        tokio::time::timeout(std::time::Duration::from_millis(1), canceled).await.unwrap_err();
        assert_eq!(gathered.get(async || Ok(7)).await.unwrap(), 7);
    }
}
