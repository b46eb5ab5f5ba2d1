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
use crate::wire::interface as wire;

/// Options of a [`ServerWriter`]; each is the proxy's default unless set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterOptions {
    /// Memory of the proxy for waiting updates, in bytes.
    pub max_memory_bytes: Option<NonZeroUsize>,
    /// Maximum time that an update waits in the proxy, in milliseconds, rounded up.
    pub latency: Option<Duration>,
    /// Time that Accumulo tries, in milliseconds, rounded up.
    pub timeout: Option<Duration>,
    /// Number of threads of the proxy that write.
    pub threads: Option<NonZeroUsize>,
    /// The durability of the writes; that of the table unless set.
    pub durability: Durability,
}

/// A writer that is open on the proxy, with its own connection.
///
/// **It loses writes.** [`update`](Self::update) has no reply: if it fails on the proxy, the caller
/// gets no error, and a later `flush` succeeds. Its order relative to `flush` and `close` is
/// guaranteed on one connection only. They therefore share one of the
/// [`ProxyOptions::connections`](crate::ProxyOptions::connections), which the writer keeps until it
/// is closed or dropped. After the connection breaks, it is unknown which of the earlier updates
/// are written, and every method fails.
///
/// [`ProxyClient::write`](crate::ProxyClient::write) and [`BatchWriter`](crate::BatchWriter) lose
/// no writes.
#[derive(Debug)]
pub struct ServerWriter {
    handle: WriterHandle,
    connection: Pinned,
}

impl LowLevel<'_> {
    /// Opens a writer (`createWriter`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`Security`](crate::ErrorKind::Security).
    pub async fn create_writer(
        &self,
        table: &str,
        options: &WriterOptions,
    ) -> Result<ServerWriter> {
        type Request = wire::CreateWriterRequest;
        let token = self.client.token().await?;
        let request = Request::new(token, table.to_owned(), options.to_wire());
        let mut pauses = self.client.options().retry.pauses();
        loop {
            let error = match self.open_writer(table, &request).await {
                Ok(writer) => return Ok(writer),
                Err(error) => error,
            };
            match pauses.next() {
                Some(pause) if error.kind() == ErrorKind::Unreachable => sleep(pause).await,
                _ => return Err(error),
            }
        }
    }

    /// Takes the connection before it opens the writer, because an open writer without a connection
    /// would be unusable.
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

    /// Resumes a writer that was opened elsewhere. Does not check whether the proxy has it.
    ///
    /// # Errors
    ///
    /// [`Unreachable`](crate::ErrorKind::Unreachable), [`TimedOut`](crate::ErrorKind::TimedOut).
    pub async fn resume_writer(&self, handle: WriterHandle) -> Result<ServerWriter> {
        let connection =
            Pinned::take::<wire::CreateWriterRequest>(self.client, &handle.subject()).await?;
        Ok(ServerWriter { handle, connection })
    }

    /// Writes mutations directly (`updateAndFlush`). `Ok` means that they are written. All of them
    /// must fit in one request, and several mutations of one row are merged.
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`MutationsRejected`](crate::ErrorKind::MutationsRejected) if a constraint was violated,
    /// [`TooLarge`](crate::ErrorKind::TooLarge).
    pub async fn update_and_flush(&self, table: &str, mutations: &[Mutation]) -> Result<()> {
        let request =
            |token| wire::UpdateAndFlushRequest::new(token, table.to_owned(), cells(mutations));
        let written = self.client.ask(Some(table), request).await;
        // Permissions reach the servers one after the other: if one denies the write, another may
        // have written its rows.
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
    /// Returns the handle.
    pub fn handle(&self) -> &WriterHandle {
        &self.handle
    }

    /// Sends mutations (`update`, one-way). `Ok` means that they were sent. The next
    /// [`flush`](Self::flush) reports whether the mutations that the proxy accepted are written. It
    /// does not report whether the proxy accepted them.
    ///
    /// # Errors
    ///
    /// [`TooLarge`](crate::ErrorKind::TooLarge), [`Unreachable`](crate::ErrorKind::Unreachable),
    /// [`TimedOut`](crate::ErrorKind::TimedOut).
    pub async fn update(&mut self, mutations: &[Mutation]) -> Result<()> {
        let request = wire::UpdateRequest::new(self.handle.to_wire(), cells(mutations));
        self.connection.send(&request).await
    }

    /// Waits until the mutations that the proxy accepted are written (`flush`).
    ///
    /// # Errors
    ///
    /// [`HandleExpired`](crate::ErrorKind::HandleExpired),
    /// [`MutationsRejected`](crate::ErrorKind::MutationsRejected). Some of the updates may be
    /// written.
    pub async fn flush(&mut self) -> Result<()> {
        let request = wire::FlushRequest::new(self.handle.to_wire());
        let flushed = self.connection.call(&request).await;
        flushed.map_err(|error| error.with_possible_effect(true))
    }

    /// Waits until the mutations that the proxy accepted are written, and closes the writer
    /// (`closeWriter`).
    ///
    /// # Errors
    ///
    /// The same as [`flush`](Self::flush).
    pub async fn close(mut self) -> Result<()> {
        let request = wire::CloseWriterRequest::new(self.handle.to_wire());
        let closed = self.connection.call(&request).await;
        self.connection.give_back();
        closed.map_err(|error| error.with_possible_effect(true))
    }
}

impl WriterOptions {
    /// Converts the options. Zero means the proxy's default.
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
