//! The rows of a file, read on a thread of their own.

use std::fs::File;
use std::future::ready;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use fluo_table::Mutation;
use futures::{Stream, StreamExt, stream};
use tokio::sync::mpsc;

use crate::lines;

/// Maximum number of rows that pass to the load together. The first row passes alone, so it is
/// written at once.
const CHUNK_ROWS: usize = 1_000;
/// Number of bytes of lines after which a chunk passes to the load.
const CHUNK_BYTES: usize = 1 << 20;
const MAX_CHUNKS: usize = 2;

type Chunk = Vec<Result<Mutation>>;

/// Opens a file, or standard input for `-`. Opening a named pipe waits for its writer.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot read the rows of {name}"))?;
    if file.metadata()?.is_dir() {
        bail!("cannot read the rows of {name}: it is a directory");
    }
    Ok(Box::new(file))
}

pub(super) fn rows(
    input: impl Read + Send + 'static,
    row_of: impl Fn(&[u8]) -> Result<Mutation> + Send + 'static,
) -> impl Stream<Item = Result<Mutation>> + Send {
    let (chunks, received) = mpsc::channel(MAX_CHUNKS);
    let reader = tokio::task::spawn_blocking(move || read(input, row_of, &chunks));
    // A reader that panics ends the input with an error.
    let end = stream::once(reader)
        .filter_map(|ended| ready(ended.err().map(|error| vec![Err(error.into())])));
    let received =
        stream::unfold(received, async |mut received| Some((received.recv().await?, received)));
    received.chain(end).flat_map(stream::iter)
}

/// Sends the rows, and the error that ends them. Ends early if the load does not take more.
fn read(
    input: impl Read,
    row_of: impl Fn(&[u8]) -> Result<Mutation>,
    chunks: &mpsc::Sender<Chunk>,
) {
    let (mut chunk, mut bytes) = (Chunk::new(), 0);
    let read = lines::for_each(input, |number, line| {
        chunk.push(Ok(row_of(line)?));
        bytes += line.len();
        if number == 1 || chunk.len() >= CHUNK_ROWS || bytes >= CHUNK_BYTES {
            bytes = 0;
            chunks.blocking_send(std::mem::take(&mut chunk))?;
        }
        Ok(())
    });
    chunk.extend(read.err().map(Err));
    let _ = chunks.blocking_send(chunk);
}
