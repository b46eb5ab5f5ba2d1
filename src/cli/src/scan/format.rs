//! Records as text, CSV or JSON.

use anyhow::Result;
use clap::ValueEnum;

use super::record::{Record, WRITE};

/// The output format of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One line for each, as Java Fluo prints it
    #[default]
    Text,
    /// One line for each, below a header with the names of the fields
    Csv,
    /// One JSON object for each, on a line
    Json,
}

const FIELDS: [&str; 6] = [
    "row",
    "family",
    "qualifier",
    "visibility",
    "timestamp",
    "value",
];
const FIELDS_OF_ENTRIES: [&str; 7] = [
    "row",
    "family",
    "qualifier",
    "visibility",
    "timestamp",
    "type",
    "value",
];

impl Format {
    /// Returns the header of the output.
    pub(super) fn header(self, is_raw: bool) -> Result<Vec<u8>> {
        match (self, is_raw) {
            (Self::Csv, false) => csv([FIELDS]),
            (Self::Csv, true) => csv([FIELDS_OF_ENTRIES]),
            _ => Ok(Vec::new()),
        }
    }

    /// Formats records, each with the end of its line.
    pub(super) fn lines(self, records: impl Iterator<Item = Record>) -> Result<Vec<u8>> {
        match self {
            Self::Text => Ok(records.map(text).collect::<String>().into_bytes()),
            Self::Csv => csv(records.map(fields)),
            Self::Json => {
                let mut lines = Vec::new();
                for record in records {
                    serde_json::to_writer(&mut lines, &record)?;
                    lines.push(b'\n');
                }
                Ok(lines)
            }
        }
    }
}

fn text(record: Record) -> String {
    let Record {
        row,
        family,
        qualifier,
        visibility,
        timestamp,
        kind,
        value,
    } = record;
    match kind {
        None => format!("{row} {family} {qualifier} {visibility}\t{value}\n"),
        Some(kind) => {
            // Java Fluo leaves a blank in place of `PRIMARY` after a write that is not the
            // primary's.
            let blank = if kind == WRITE && is_not_primary(&value) {
                " "
            } else {
                ""
            };
            format!(
                "{row} {family}:{qualifier} [{visibility}] {timestamp}-{kind}\t{value}{blank}\n"
            )
        }
    }
}

fn is_not_primary(write: &str) -> bool {
    !write.ends_with("PRIMARY") && !write.starts_with("0x")
}

fn fields(record: Record) -> Vec<String> {
    let kind = record.kind.map(str::to_owned);
    let place = [
        record.row,
        record.family,
        record.qualifier,
        record.visibility,
    ];
    place
        .into_iter()
        .chain([record.timestamp.to_string()])
        .chain(kind)
        .chain([record.value])
        .collect()
}

fn csv<Row: IntoIterator<Item: AsRef<[u8]>>>(
    rows: impl IntoIterator<Item = Row>,
) -> Result<Vec<u8>> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    for row in rows {
        lines.write_record(row)?;
    }
    Ok(lines
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?)
}
