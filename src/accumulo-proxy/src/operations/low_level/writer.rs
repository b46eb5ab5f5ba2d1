//! Writers by their handles.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::time::sleep;

use super::{LowLevel, WriterHandle};
use crate::client::Pinned;
use crate::convert::{ToWire, all_to_wire};
use crate::data::{Durability, Mutation};
use crate::error::{ErrorKind, Result};
use crate::operations::count;
use crate::wire::generated as wire;

/// How a [`ServerWriter`] writes; each is the proxy's default unless set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterOptions {
    /// Memory of the proxy for what waits, in bytes.
    pub max_memory_bytes: Option<NonZeroUsize>,
    /// Longest time that an update waits in the proxy, in milliseconds, rounded up.
    pub latency: Option<Duration>,
    /// How long Accumulo tries, in milliseconds, rounded up.
    pub timeout: Option<Duration>,
    /// Threads of the proxy that write.
    pub threads: Option<NonZeroUsize>,
    /// How durable what is written is; what the table says unless set.
    pub durability: Durability,
}

/// A writer that is open on the proxy, and a connection of its own.
///
/// **It loses writes.** [`update`](Self::update) has no reply: where it fails on the proxy, nobody is told, and a
/// `flush` that comes after it succeeds. Its order against `flush` and `close` holds per connection only, so they share
/// one, and the writer keeps it, one of [`Settings::connections`](crate::Settings::connections), until it is closed or
/// dropped. After the connection broke, nobody knows what of the updates before is written, and every method is an
/// error.
///
/// [`ProxyClient::write`](crate::ProxyClient::write) and [`BatchWriter`](crate::BatchWriter) lose nothing.
#[derive(Debug)]
pub struct ServerWriter {
    handle: WriterHandle,
    connection: Pinned,
}

impl LowLevel<'_> {
    /// Opens a writer (`createWriter`).
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Security`](crate::ErrorKind::Security).
    pub async fn create_writer(
        &self,
        table: &str,
        options: &WriterOptions,
    ) -> Result<ServerWriter> {
        type Request = wire::CreateWriterRequest;
        let token = self.client.token().await?;
        let request = Request::new(token, table.to_owned(), options.to_wire());
        let mut pauses = self.client.settings().retry.pauses();
        loop {
            let error = match self.open_writer(table, &request).await {
                Ok(writer) => return Ok(writer),
                Err(error) => error,
            };
            match pauses.next() {
                Some(pause) if error.kind() == ErrorKind::Gone => sleep(pause).await,
                _ => return Err(error),
            }
        }
    }

    /// The connection first: without one for it, a writer that is open would be of no use to anybody.
    async fn open_writer(
        &self,
        table: &str,
        request: &wire::CreateWriterRequest,
    ) -> Result<ServerWriter> {
        let mut connection = Pinned::take::<wire::CreateWriterRequest>(self.client, table).await?;
        match connection.call(request).await {
            Ok(handle) => Ok(ServerWriter {
                handle: WriterHandle::of_table(handle, table),
                connection,
            }),
            Err(error) => {
                connection.give_back();
                Err(error)
            }
        }
    }

    /// Goes on with a writer that was opened elsewhere. The proxy is not asked whether it knows it.
    ///
    /// # Errors
    /// [`Gone`](crate::ErrorKind::Gone), [`TimedOut`](crate::ErrorKind::TimedOut).
    pub async fn resume_writer(&self, handle: WriterHandle) -> Result<ServerWriter> {
        let connection =
            Pinned::take::<wire::CreateWriterRequest>(self.client, &handle.subject()).await?;
        Ok(ServerWriter { handle, connection })
    }

    /// Writes mutations, at once (`updateAndFlush`): `Ok` means that they are written. All of them must fit in a
    /// request, and several of one row become one. [Sent once](crate#sending-again).
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`MutationsRejected`](crate::ErrorKind::MutationsRejected)
    /// where a constraint was violated, [`TooLarge`](crate::ErrorKind::TooLarge).
    pub async fn update_and_flush(&self, table: &str, mutations: &[Mutation]) -> Result<()> {
        let request =
            |token| wire::UpdateAndFlushRequest::new(token, table.to_owned(), cells(mutations));
        let written = self.client.ask(Some(table), request).await;
        // Servers learn of a permission one after the other: where one denies it, another may have written its rows.
        let is_one_row = mutations.iter().all(|mutation| {
            mutations
                .first()
                .is_some_and(|first| first.row == mutation.row)
        });
        written.map_err(|error| {
            let is_possible = error.may_have_taken_effect()
                || (!is_one_row && error.kind() == ErrorKind::Security);
            error.with_possible_effect(is_possible)
        })
    }
}

impl ServerWriter {
    /// The handle.
    pub fn handle(&self) -> &WriterHandle {
        &self.handle
    }

    /// Sends mutations (`update`, one-way). `Ok` means that they were sent; the next [`flush`](Self::flush) tells
    /// whether those that the proxy took are written, and nothing tells whether it took them.
    ///
    /// # Errors
    /// [`TooLarge`](crate::ErrorKind::TooLarge), [`Gone`](crate::ErrorKind::Gone),
    /// [`TimedOut`](crate::ErrorKind::TimedOut).
    pub async fn update(&mut self, mutations: &[Mutation]) -> Result<()> {
        let request = wire::UpdateRequest::new(self.handle.to_wire(), cells(mutations));
        self.connection.send(&request).await
    }

    /// Waits until what the proxy took is written (`flush`).
    ///
    /// # Errors
    /// [`HandleExpired`](crate::ErrorKind::HandleExpired),
    /// [`MutationsRejected`](crate::ErrorKind::MutationsRejected). Some of the updates may be written.
    pub async fn flush(&mut self) -> Result<()> {
        let request = wire::FlushRequest::new(self.handle.to_wire());
        let flushed = self.connection.call(&request).await;
        flushed.map_err(|error| error.with_possible_effect(true))
    }

    /// Waits until what the proxy took is written, and closes the writer (`closeWriter`).
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub async fn close(mut self) -> Result<()> {
        let request = wire::CloseWriterRequest::new(self.handle.to_wire());
        let closed = self.connection.call(&request).await;
        self.connection.give_back();
        closed.map_err(|error| error.with_possible_effect(true))
    }
}

impl WriterOptions {
    /// Zero is the proxy's default.
    fn to_wire(self) -> wire::WriterOptions {
        let bytes = self.max_memory_bytes.map_or(0, NonZeroUsize::get);
        wire::WriterOptions::new(
            i64::try_from(bytes).unwrap_or(i64::MAX),
            millis(self.latency),
            millis(self.timeout),
            self.threads.map_or(0, |threads| count(threads.get())),
            self.durability.to_wire(),
        )
    }
}

fn millis(duration: Option<Duration>) -> i64 {
    let millis = duration.map_or(0, |duration| duration.as_micros().div_ceil(1000));
    i64::try_from(millis).unwrap_or(i64::MAX)
}

fn cells(mutations: &[Mutation]) -> BTreeMap<Vec<u8>, Vec<wire::ColumnUpdate>> {
    let mut cells = BTreeMap::<_, Vec<_>>::new();
    for mutation in mutations {
        let updates = cells.entry(mutation.row.to_vec()).or_default();
        updates.extend(all_to_wire(&mutation.updates));
    }
    cells
}
