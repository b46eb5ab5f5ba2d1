//! A list of items: a table at a terminal, otherwise lines with tabs, or with JSON.

use std::{array, mem};

use anyhow::Result;
use serde_json::{Map, Value};

use crate::layout::{self, Columns, Heading};
use crate::output;

/// The number of bytes of a table. A longer list is several tables, so it is not kept in memory.
const BYTES_AT_ONCE: usize = 64 << 10;

/// A list whose items have a value for each heading.
#[derive(Debug)]
pub(crate) struct Listing<const N: usize> {
    headings: [Heading; N],
    /// `None` if the items are printed as lines.
    table: Option<Columns<N>>,
    /// The number of bytes in the table.
    bytes: usize,
}

impl<const N: usize> Listing<N> {
    pub(crate) fn new(headings: [Heading; N]) -> Self {
        let is_table = layout::output_width().is_some() && !output::is_json();
        Self { headings, table: is_table.then(|| Columns::new(headings)), bytes: 0 }
    }

    /// Adds items, and prints them unless they wait for the rest of the table.
    pub(crate) fn add(&mut self, items: impl IntoIterator<Item = Value>) -> Result<()> {
        let mut lines = String::new();
        for item in items {
            if let Some(table) = &mut self.table {
                let mut all = texts(&item);
                let row = array::from_fn(|_| all.next().unwrap_or_default());
                self.bytes += row.iter().map(String::len).sum::<usize>();
                table.row(row);
                if self.bytes >= BYTES_AT_ONCE {
                    self.print()?;
                }
            } else if output::is_json() {
                lines += &format!("{}\n", output::json_line(&item)?);
            } else {
                lines += &format!("{}\n", Vec::from_iter(texts(&item)).join("\t"));
            }
        }
        output::write(lines.as_bytes())
    }

    /// Prints the rest of the table. Without this call the drop prints it.
    pub(crate) fn end(mut self) -> Result<()> {
        self.print()
    }

    fn print(&mut self) -> Result<()> {
        let Some(table) = self.table.as_mut().filter(|_| self.bytes > 0) else { return Ok(()) };
        self.bytes = 0;
        output::print(&mem::replace(table, Columns::new(self.headings)).lines())
    }
}

/// Prints the items before an error.
impl<const N: usize> Drop for Listing<N> {
    fn drop(&mut self) {
        // The command fails already.
        let _ = self.print();
    }
}

fn texts(item: &Value) -> impl Iterator<Item = String> {
    let text = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => output::shown(text),
        other => other.to_string(),
    };
    item.as_object().into_iter().flat_map(Map::values).map(text)
}
