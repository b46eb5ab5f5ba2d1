//! A table behind the fake proxy, with cursors over its rows like those of the real proxy.

use std::collections::HashMap;
use std::sync::Mutex;

use accumulo_proxy::{Entry, ErrorKind, Key, NextBatch, Range, Result};
use futures::{Stream, TryStreamExt};

use crate::fake::{Answer, Request, opened};
use crate::interface as wire;

/// Rows `row0000`, `row0001`.. with values of the given lengths.
#[derive(Debug)]
pub(crate) struct Rows {
    value_bytes: Vec<usize>,
    cursors: Mutex<HashMap<String, usize>>,
}

impl Rows {
    pub(crate) fn new(value_bytes: impl IntoIterator<Item = usize>) -> Self {
        Self { value_bytes: value_bytes.into_iter().collect(), cursors: Mutex::default() }
    }

    /// Answers as a proxy does.
    pub(crate) fn answer(&self, request: &Request) -> Answer {
        match request.call.as_str() {
            "createScanner" => {
                let range = request.read::<wire::CreateScanner>().options.unwrap().range;
                self.open(request, start_of(range))
            }
            "createBatchScanner" => self.open(request, 0),
            "nextK" => self.next(&request.read()),
            "closeScanner" => self.close(&request.read()),
            other => panic!("unexpected call {other}"),
        }
    }

    /// Drops all cursors, as a restarted proxy does.
    pub(crate) fn forget(&self) {
        self.cursors.lock().unwrap().clear();
    }

    pub(crate) fn open_cursors(&self) -> usize {
        self.cursors.lock().unwrap().len()
    }

    fn open(&self, request: &Request, start: usize) -> Answer {
        let handle = format!("{}-{}", request.call, request.nth);
        self.cursors.lock().unwrap().insert(handle, start);
        opened(request)
    }

    fn next(&self, request: &wire::NextK) -> Answer {
        let mut cursors = self.cursors.lock().unwrap();
        let Some(place) = cursors.get_mut(request.scanner.as_ref().unwrap()) else {
            return Answer::thrown::<wire::NextK>(ErrorKind::HandleExpired, "unknown");
        };
        let k = usize::try_from(request.k.unwrap()).unwrap();
        let end = (*place + k).min(self.value_bytes.len());
        let entries: Vec<_> = (*place..end).map(|row| self.entry(row)).collect();
        *place = end;
        let more = entries.len() == k;
        let result = NextBatch { entries, more };
        Answer::result::<wire::NextK>(result)
    }

    fn close(&self, request: &wire::CloseScanner) -> Answer {
        let handle = request.scanner.as_ref().unwrap();
        match self.cursors.lock().unwrap().remove(handle) {
            Some(_) => Answer::result::<wire::CloseScanner>(()),
            None => Answer::thrown::<wire::CloseScanner>(ErrorKind::HandleExpired, "unknown"),
        }
    }

    fn entry(&self, row: usize) -> Entry {
        let value = vec![b'v'; self.value_bytes[row]];
        Entry { key: Key::from_row(row_name(row)).at(7), value: value.into() }
    }
}

pub(crate) fn row_name(row: usize) -> String {
    format!("row{row:04}")
}

/// Returns the rows of the entries of a stream, which must not have an empty batch.
pub(crate) async fn rows_of(
    mut batches: impl Stream<Item = Result<Vec<Entry>>> + Unpin,
) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    while let Some(batch) = batches.try_next().await? {
        assert!(!batch.is_empty());
        let names = batch.iter().map(|entry| String::from_utf8_lossy(&entry.key.row).into_owned());
        rows.extend(names);
    }
    Ok(rows)
}

fn start_of(range: Option<Range>) -> usize {
    let range = range.unwrap();
    let Some(start) = range.start else {
        return 0;
    };
    let row = String::from_utf8(start.row.into()).unwrap();
    let row: usize = row.strip_prefix("row").unwrap().parse().unwrap();
    match range.start_inclusive {
        true => row,
        false => row + 1,
    }
}
