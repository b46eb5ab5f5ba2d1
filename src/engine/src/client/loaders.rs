//! Many transactions at once, within bounds.

use std::sync::{Arc, OnceLock};

use fluo_table::{Error, ErrorKind, Result, check_option};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinSet;

use crate::catch_panic::caught;
use crate::client::commit_in_background::wait_for_room;
use crate::client::{Client, Runner};
use crate::mutex::Mutex;
use crate::transaction::Transaction;

/// Loaders that are not started yet, from [`Client::loaders`] or [`Runner::loaders`]: options
/// first, then [`start`](Self::start).
#[derive(Clone, Debug)]
#[must_use = "loaders run after `start`"]
pub struct LoaderOptions {
    runner: Runner,
    tasks: usize,
    queue: usize,
}

impl LoaderOptions {
    /// Sets the number of bodies that run at once; 1 to 10,000. Fluo's `fluo.loader.num.threads`.
    /// Default: 32.
    pub fn tasks(self, tasks: usize) -> Self {
        Self { tasks, ..self }
    }

    /// Sets the number of further bodies that wait for a place before the caller has to wait; at
    /// most 1,000,000. Fluo's `fluo.loader.queue.size`. Default: 32.
    pub fn queue(self, queue: usize) -> Self {
        Self { queue, ..self }
    }

    /// Starts the loaders.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for the first option that is out of its bounds; the message
    /// states them.
    pub fn start(self) -> Result<Loaders> {
        let Self { runner, tasks, queue } = self;
        check_option("tasks", tasks, 1..=10_000)?;
        check_option("queue", queue, ..=1_000_000)?;
        Ok(Loaders {
            runner,
            room: Arc::new(Semaphore::new(tasks + queue)),
            running: Arc::new(Semaphore::new(tasks)),
            most: u32::try_from(tasks + queue).expect("both options have bounds below 2^31"),
            tasks: Mutex::default(),
            first_error: Arc::default(),
        })
    }
}

/// A runner of bodies as transactions, many at once, each until it commits.
///
/// [`load`](Self::load) takes an input, such as a line of a file, and a body: an async closure, or
/// an async function. Each attempt gets a clone of the input, so the body owns it. The caller waits
/// while too many bodies run or wait. Dropping the loaders without [`finish`](Self::finish) cancels
/// the bodies that have not committed by then.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, Instance, InstanceExt};
///
/// const STATE: Column = Column::from_static("page", "state");
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let client = Instance::in_memory().application("web").create().await?;
/// let loaders = client.loaders().tasks(8).start()?;
/// for page in ["com.example", "org.wikipedia"] {
///     loaders.load(page, async |tx, page| tx.set(page, &STATE, "new")).await?;
/// }
/// loaders.finish().await?;
/// assert!(client.snapshot().await?.get("org.wikipedia", &STATE).await?.is_some());
/// # Ok(())
/// # }
/// ```
///
/// Each body runs in its own task, so it borrows nothing. To pass several inputs, use a tuple. To
/// share a value between all bodies, put an [`Arc`] into the tuple: `loaders.load((line,
/// shared.clone()), async |tx, (line, shared)| ..)`.
#[derive(Debug)]
pub struct Loaders {
    runner: Runner,
    /// Room for running and waiting bodies.
    room: Arc<Semaphore>,
    running: Arc<Semaphore>,
    most: u32,
    tasks: Mutex<JoinSet<()>>,
    first_error: Arc<OnceLock<Error>>,
}

impl Client {
    /// Returns loaders that are not started yet, which run many bodies as transactions at once.
    pub fn loaders(&self) -> LoaderOptions {
        self.runner().loaders()
    }
}

impl Runner {
    /// Returns loaders like [`Client::loaders`], with the retry policy and the hook of this runner.
    pub fn loaders(self) -> LoaderOptions {
        LoaderOptions { runner: self, tasks: 32, queue: 32 }
    }
}

impl Loaders {
    /// Waits until there is room, and runs a body in the background like [`Runner::run`]. Each
    /// attempt gets a clone of the input.
    ///
    /// # Errors
    ///
    /// The first error of the bodies that were loaded before. This body does not run then.
    pub async fn load<I, F>(
        &self,
        input: I,
        body: impl Fn(Transaction, I) -> F + Send + 'static,
    ) -> Result<()>
    where
        I: Clone + Send + 'static,
        F: Future<Output = Result<()>> + Send,
    {
        let room = wait_for_room(&self.room, 1).await;
        // Checked after the wait, because a body may have failed meanwhile.
        self.check()?;
        let first_error = self.first_error.clone();
        self.spawn(room, input, body, move |result| {
            if let Err(error) = result {
                metrics::counter!("fluo_loads_failed_total").increment(1);
                first_error.get_or_init(|| error);
            }
        });
        Ok(())
    }

    /// Waits until there is room, runs a body in the background like [`load`](Self::load), and
    /// returns a future of its result. A failure of this body does not end other loads, and their
    /// failures do not end it.
    pub async fn submit<I, T, E, F>(
        &self,
        input: I,
        body: impl Fn(Transaction, I) -> F + Send + 'static,
    ) -> BoxFuture<'static, Result<T, E>>
    where
        I: Clone + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Future<Output = Result<T, E>> + Send,
    {
        let room = wait_for_room(&self.room, 1).await;
        let (sender, outcome) = oneshot::channel();
        // A caller that has dropped the future does not want the result.
        self.spawn(room, input, body, |result| drop(sender.send(result)));
        let dropped = || {
            let message = "the loaders were dropped before the result of this body was known; check its writes before \
                           you repeat them";
            Err(Error::new(ErrorKind::Uncertain, message).into())
        };
        outcome.map(move |outcome| outcome.unwrap_or_else(|_| dropped())).boxed()
    }

    /// Waits until each body has failed, or has committed and is rolled forward.
    ///
    /// # Errors
    ///
    /// The first error of the bodies that were [loaded](Self::load).
    pub async fn finish(self) -> Result<()> {
        // With all permits taken, no body runs or waits.
        drop(self.room.acquire_many(self.most).await);
        self.runner.client.background.drain().await;
        self.check()
    }

    fn check(&self) -> Result<()> {
        self.first_error.get().cloned().map_or(Ok(()), Err)
    }

    /// Runs a body until it commits, and passes its result on. Converts a panic into an error.
    fn spawn<I, T, E, F>(
        &self,
        room: OwnedSemaphorePermit,
        input: I,
        body: impl Fn(Transaction, I) -> F + Send + 'static,
        end: impl FnOnce(Result<T, E>) + Send + 'static,
    ) where
        I: Clone + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Future<Output = Result<T, E>> + Send,
    {
        let (runner, running) = (self.runner.clone(), self.running.clone());
        let mut tasks = self.tasks.lock();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let place = running.acquire_owned().await;
            let run = runner.run(move |tx| body(tx, input.clone()));
            let ran = caught("the body of a load", run).await;
            end(ran.unwrap_or_else(|panicked| Err(panicked.into())));
            drop((place, room));
        });
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::Instance;

    use crate::InstanceExt;

    #[tokio::test]
    async fn names_an_option_out_of_bounds_and_the_bounds() {
        let client = Instance::in_memory().application("web").create().await.unwrap();
        let message = |tasks, queue| {
            let started = client.loaders().tasks(tasks).queue(queue).start();
            started.unwrap_err().to_string()
        };
        assert_eq!(message(0, 1), "option `tasks` is 0; it must be at least 1 and at most 10,000");
        assert_eq!(
            message(1, 2_000_000),
            "option `queue` is 2,000,000; it must be at most 1,000,000"
        );
    }
}
