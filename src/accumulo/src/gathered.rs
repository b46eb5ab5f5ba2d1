//! A request that is sent once for all callers that wait.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fluo_table::{Result, locked};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

#[derive(Debug, Default)]
pub(crate) struct Gathered<T> {
    /// Held during a request.
    requests: AsyncMutex<()>,
    sent: AtomicU64,
    /// Answers to requests up to this number are not recent.
    forgotten: AtomicU64,
    last: Mutex<Option<Last<T>>>,
}

/// The last answer, with the number of its request and the time at which that was sent.
#[derive(Debug)]
struct Last<T> {
    number: u64,
    sent_at: Instant,
    answer: Result<T>,
}

impl<T: Clone> Gathered<T> {
    /// Returns the answer to a request that is sent after this call, or a successful one to a
    /// request that was sent less than `max_age` ago.
    pub(crate) async fn get(
        &self,
        max_age: Duration,
        request: impl AsyncFnOnce() -> Result<T>,
    ) -> Result<T> {
        let sent_before = self.sent.load(Ordering::SeqCst);
        if let Some(answer) = self.last(sent_before, max_age) {
            return answer;
        }
        let _alone = self.requests.lock().await;
        if let Some(answer) = self.last(sent_before, max_age) {
            return answer;
        }
        let number = self.sent.fetch_add(1, Ordering::SeqCst) + 1;
        let sent_at = Instant::now();
        let answer = request().await;
        *locked(&self.last) = Some(Last { number, sent_at, answer: answer.clone() });
        answer
    }

    /// Returns the last answer if its number is above `sent_before`, or if it is recent.
    fn last(&self, sent_before: u64, max_age: Duration) -> Option<Result<T>> {
        let last = locked(&self.last);
        let Last { number, sent_at, answer } = last.as_ref()?;
        let is_recent = answer.is_ok()
            && *number > self.forgotten.load(Ordering::SeqCst)
            && sent_at.elapsed() < max_age;
        (*number > sent_before || is_recent).then(|| answer.clone())
    }

    /// Forgets the answers to all requests that were sent before this call.
    pub(crate) fn forget(&self) {
        self.forgotten.fetch_max(self.sent.load(Ordering::SeqCst), Ordering::SeqCst);
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
                gathered.get(Duration::ZERO, request).await
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
        let away = async || Err::<u64, _>(Error::new(ErrorKind::Unavailable, "away"));
        let failed = gathered.get(Duration::MAX, away).await;
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Unavailable);
        let canceled = gathered.get(Duration::MAX, async || std::future::pending().await);
        tokio::time::timeout(Duration::from_millis(1), canceled).await.unwrap_err();
        assert_eq!(gathered.get(Duration::MAX, async || Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_recent_answer_is_returned_until_it_is_forgotten() {
        let gathered = Gathered::default();
        assert_eq!(gathered.get(Duration::ZERO, async || Ok(7)).await.unwrap(), 7);
        assert_eq!(gathered.get(Duration::MAX, async || Ok(8)).await.unwrap(), 7);
        assert_eq!(gathered.get(Duration::ZERO, async || Ok(9)).await.unwrap(), 9);
        gathered.forget();
        assert_eq!(gathered.get(Duration::MAX, async || Ok(10)).await.unwrap(), 10);
    }

    #[tokio::test]
    async fn a_recent_answer_is_returned_during_a_request() {
        let gathered = Gathered::default();
        assert_eq!(gathered.get(Duration::ZERO, async || Ok(7)).await.unwrap(), 7);
        let request = async || gathered.get(Duration::MAX, async || Ok(8)).await;
        assert_eq!(gathered.get(Duration::ZERO, request).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn answers_are_forgotten_during_a_request() {
        let gathered = Gathered::default();
        assert_eq!(gathered.get(Duration::ZERO, async || Ok(7)).await.unwrap(), 7);
        let canceled = gathered.get(Duration::ZERO, async || {
            gathered.forget();
            std::future::pending().await
        });
        tokio::time::timeout(Duration::from_millis(1), canceled).await.unwrap_err();
        let forgotten = gathered.get(Duration::MAX, async || {
            gathered.forget();
            Ok(8)
        });
        assert_eq!(forgotten.await.unwrap(), 8);
        assert_eq!(gathered.get(Duration::MAX, async || Ok(9)).await.unwrap(), 9);
    }
}
