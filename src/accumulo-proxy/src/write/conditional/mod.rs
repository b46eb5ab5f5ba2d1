//! Mutations on conditions, those of many tasks in one call.
//!
//! ```text
//! ConditionalWriter   checks, waits for a place, queues            mod.rs
//! Gatherer            a task: what waits becomes calls             gatherer.rs
//! Link                the handle on the proxy, and one call        link.rs
//! ```

mod gatherer;
mod link;
mod options;

use futures::future::join_all;
use tokio::sync::{mpsc, oneshot};

use self::gatherer::{Gatherer, Item};
use self::link::Link;
pub use self::options::ConditionalWriterOptions;
use super::limit::Limit;
use super::outcome::ConditionalOutcome;
use super::waiting::Waiting;
use crate::client::ProxyClient;
use crate::data::ConditionalMutation;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::generated as wire;

/// Writes conditional mutations, and tells of each what became of it. Cloning gives another handle on the same
/// writer.
///
/// # Gathering
/// Rows of many tasks travel in one call: whatever waits while
/// [`calls_in_flight`](ConditionalWriterOptions::calls_in_flight) calls are under way goes into the next one, up to
/// [`rows_per_call`](ConditionalWriterOptions::rows_per_call) and 1 MiB. Nothing waits for a timer. A row is in one call
/// at a time: mutations of one row are sent in the order in which they came, the next when the one before has its
/// outcome.
///
/// # Outcomes
/// - `Err` means that for certain nothing was written.
/// - Where the call broke, had no answer in time, or failed, the outcome is
///   [`Unknown`](ConditionalOutcome::Unknown): of each row of the call, because a proxy that fails at one row says
///   nothing about the others. So a mutation that a proxy would fail at is refused before it is sent, as far as one can tell.
/// - A mutation that no call has taken within [`call_timeout`](crate::Settings::call_timeout) is
///   [`TimedOut`](ErrorKind::TimedOut), and certainly not written.
/// - After `Unknown` with an error the proxy may still be at it, and write the mutation after a later one of its row
///   was decided. It gives up after the [`timeout`](ConditionalWriterOptions::timeout) of the options, counted from when
///   it begins: a request that waits in the proxy for a thread begins later.
/// - A caller that is dropped leaves it open whether its mutation is written, and harms no other.
/// - When the proxy does not know the writer any more (it was restarted, or ten minutes passed), nothing was done:
///   the writer is opened again, and the call is made again.
///
/// The writer is opened on the proxy at the first write, and closed when the last clone is dropped.
///
/// ```no_run
/// # use accumulo_proxy::{Condition, ConditionalOutcome, ConditionalWriterOptions, Mutation};
/// # use accumulo_proxy::{Credentials, ProxyClient, Result, Settings};
/// # async fn run() -> Result<()> {
/// let client = ProxyClient::connect(Settings::new("localhost:42424", Credentials::password("root", "secret"))).await?;
/// let writer = client.conditional_writer("accounts", ConditionalWriterOptions::default());
/// let opened = Mutation::new("bob").put("account", "balance", "0");
/// match writer.write(opened.when([Condition::absent("account", "balance")])).await? {
///     ConditionalOutcome::Accepted => println!("opened"),
///     ConditionalOutcome::Unknown(_) => println!("look before trying again"),
///     other => println!("{other:?}: bob has an account"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ConditionalWriter {
    client: ProxyClient,
    table: String,
    limit: Limit,
    waiting: Waiting,
    queue: mpsc::UnboundedSender<Item>,
}

/// What a caller waits for.
type Answer = oneshot::Receiver<Result<ConditionalOutcome>>;

impl ProxyClient {
    /// A writer for conditional mutations. Nothing is asked before the first of them.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn conditional_writer(
        &self,
        table: impl Into<String>,
        options: ConditionalWriterOptions,
    ) -> ConditionalWriter {
        let table = table.into();
        let link = Link::new(self.clone(), table.clone(), &options);
        let waiting = Waiting::new(options.max_waiting_bytes.get());
        ConditionalWriter {
            client: self.clone(),
            table,
            limit: Limit::new(self.settings().max_request_bytes, 0),
            waiting,
            queue: Gatherer::spawn(link, options),
        }
    }
}

impl ConditionalWriter {
    /// Writes a mutation if its conditions hold.
    ///
    /// # Errors
    /// Nothing was written. [`Invalid`](ErrorKind::Invalid): it has no condition, no update, a bad visibility, or
    /// iterators that clash. [`TooLarge`](ErrorKind::TooLarge), [`TableNotFound`](ErrorKind::TableNotFound),
    /// [`Security`](ErrorKind::Security), [`Gone`](ErrorKind::Gone)..
    pub async fn write(&self, mutation: ConditionalMutation) -> Result<ConditionalOutcome> {
        let bytes = self.check(&mutation)?;
        let answer = self.queue(mutation, bytes).await?;
        self.wait(answer).await
    }

    /// Writes each of the mutations whose conditions hold; the outcomes in the order of the mutations. All are checked
    /// before one is sent.
    ///
    /// # Errors
    /// None of them was written; the error is that of the first, as of [`write`](Self::write). Where others have an
    /// outcome, a mutation that was not written for certain is [`Unknown`](ConditionalOutcome::Unknown) with an error
    /// that says so: its [`may_have_taken_effect`](Error::may_have_taken_effect) is false.
    pub async fn write_all(
        &self,
        mutations: Vec<ConditionalMutation>,
    ) -> Result<Vec<ConditionalOutcome>> {
        let checked: Result<Vec<_>> = mutations
            .into_iter()
            .map(|mutation| Ok((self.check(&mutation)?, mutation)))
            .collect();
        let mut answers = Vec::new();
        for (bytes, mutation) in checked? {
            answers.push(self.queue(mutation, bytes).await);
        }
        let outcomes = answers.into_iter().map(|answer| async {
            match answer {
                Ok(answer) => self.wait(answer).await,
                Err(error) => Err(error),
            }
        });
        together(join_all(outcomes).await)
    }

    fn check(&self, mutation: &ConditionalMutation) -> Result<usize> {
        let checked = self.limit.check_conditional(mutation);
        checked.map_err(|(kind, reason)| self.error(kind, reason))
    }

    async fn queue(&self, mutation: ConditionalMutation, bytes: usize) -> Result<Answer> {
        let place = self.waiting.place(bytes).await;
        let (sender, answer) = oneshot::channel();
        let item = Item::new(mutation, bytes, place, sender);
        match self.queue.send(item) {
            Ok(()) => Ok(answer),
            Err(_) => Err(self.ended()),
        }
    }

    async fn wait(&self, answer: Answer) -> Result<ConditionalOutcome> {
        match answer.await {
            Ok(outcome) => outcome,
            Err(_) => Ok(ConditionalOutcome::Unknown(Some(
                self.ended().with_possible_effect(true),
            ))),
        }
    }

    fn ended(&self) -> Error {
        let reason = "the task of the writer has ended with its runtime";
        self.error(ErrorKind::Gone, reason.to_owned())
    }

    fn error(&self, kind: ErrorKind, reason: String) -> Error {
        let call = wire::UpdateRowsConditionallyRequest::NAME;
        self.client.error(kind, call, Some(&self.table), reason)
    }
}

/// An error only where nothing at all was written.
fn together(results: Vec<Result<ConditionalOutcome>>) -> Result<Vec<ConditionalOutcome>> {
    let all_failed = results.iter().all(Result::is_err);
    let outcomes = results.into_iter().map(|result| match result {
        Err(error) if !all_failed => Ok(ConditionalOutcome::Unknown(Some(error))),
        other => other,
    });
    outcomes.collect()
}
