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

impl Format {
    pub(super) fn header(self, is_raw: bool) -> &'static str {
        match (self, is_raw) {
            (Self::Csv, false) => "row,family,qualifier,visibility,timestamp,value\n",
            (Self::Csv, true) => "row,family,qualifier,visibility,timestamp,type,value\n",
            _ => "",
        }
    }

    pub(super) fn lines(self, records: impl Iterator<Item = Record>) -> Result<Vec<u8>> {
        let mut lines = Vec::new();
        match self {
            Self::Text => lines = records.map(text).collect::<String>().into_bytes(),
            Self::Csv => {
                let mut writer =
                    csv::WriterBuilder::new().has_headers(false).from_writer(&mut lines);
                for record in records {
                    writer.serialize(record)?;
                }
                writer.flush()?;
            }
            Self::Json => {
                for record in records {
                    serde_json::to_writer(&mut lines, &record)?;
                    lines.push(b'\n');
                }
            }
        }
        Ok(lines)
    }
}

fn text(record: Record) -> String {
    let Record { row, family, qualifier, visibility, timestamp, kind, value } = record;
    match kind {
        None => format!("{row} {family} {qualifier} {visibility}\t{value}\n"),
        Some(kind) => {
            // Java Fluo leaves a blank in place of `PRIMARY` after a write that is not the
            // primary's.
            let blank = if kind == WRITE && is_not_primary(&value) { " " } else { "" };
            format!(
                "{row} {family}:{qualifier} [{visibility}] {timestamp}-{kind}\t{value}{blank}\n"
            )
        }
    }
}

fn is_not_primary(write: &str) -> bool {
    !write.ends_with("PRIMARY") && !write.starts_with("0x")
}
