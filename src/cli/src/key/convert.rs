//! `fluo key add` and `fluo key remove`: rows to keys on lines, and back.

use std::io;

use anyhow::{Result, anyhow};
use clap::Args;
use fluo_keys::KeyMigration;
use fluo_table::{Escaped, Grouped};
use serde_json::json;

use crate::chosen_design::{ChosenDesign, WritingDesignArguments};
use crate::encoding::Encoding;
use crate::text::counted;
use crate::{lines, output};

#[derive(Args, Debug)]
pub(crate) struct Convert {
    #[command(flatten)]
    design: WritingDesignArguments,
    /// Encoding of the rows and the keys
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
}

impl Convert {
    pub(super) fn add(&self) -> Result<()> {
        let design = self.design.choose()?.design;
        let (input, output) = (lines::standard_input()?.lock(), io::stdout().lock());
        if self.encoding == Encoding::Text
            && !output::is_json()
            && let Some(hasher) = design.row_hasher()
            && !hasher.prefix().contains('\n')
        {
            // A line has no newline, so its key has none either and needs no check and no copy.
            return lines::transform(input, output, |row, line| {
                hasher.add_to(row, line);
                Ok(())
            });
        }
        let mut key = Vec::new();
        lines::transform(input, output, |line, output| {
            key.clear();
            let row = self.encoding.decode(line)?;
            design.encode_row_to(&row, &mut key)?;
            self.write(&row, &key, output)
        })
    }

    pub(super) fn remove(&self) -> Result<()> {
        let ChosenDesign { design, migration, .. } = self.design.choose()?;
        let designs = migration.as_ref().map_or(1, |epochs| epochs.designs().len());
        let (mut row, mut counts) = (Vec::new(), vec![0_u64; designs]);
        let removed = lines::transform(
            lines::standard_input()?.lock(),
            io::stdout().lock(),
            |line, output| {
                let key = self.encoding.decode(line)?;
                row.clear();
                let epoch = match &migration {
                    Some(epochs) => row_of(epochs, &key, &mut row)?,
                    None => design.decode_key_to(&key, &mut row).map(|()| 0)?,
                };
                match output::is_json() {
                    true => self.write(&row, &key, output)?,
                    false => self.encoding.encode(&row, output)?,
                }
                counts.iter_mut().skip(epoch).take(1).for_each(|count| *count += 1);
                Ok(())
            },
        );
        let epochs = migration.iter().flat_map(KeyMigration::designs);
        let all = counted(counts.iter().sum::<u64>(), "key");
        for (number, (count, design)) in (1..designs).zip(counts.iter().zip(epochs)) {
            if *count > 0 {
                say!("{} of {all}: epoch {number} of {designs}, {design}", Grouped(*count));
            }
        }
        removed
    }

    /// Writes the key of a row, or both as JSON.
    fn write(&self, row: &[u8], key: &[u8], line: &mut Vec<u8>) -> Result<()> {
        if !output::is_json() {
            return self.encoding.encode(key, line);
        }
        let [row, key] = [row, key].map(|bytes| Escaped(bytes).to_string());
        line.extend(output::json_line(&json!({ "row": row, "key": key }))?.into_bytes());
        Ok(())
    }
}

/// Appends the row of a key, and returns the index of its design. The oldest has index 0.
pub(super) fn row_of(epochs: &KeyMigration, key: &[u8], row: &mut Vec<u8>) -> Result<usize> {
    let epoch = epochs.decode_key_to(key, row);
    epoch.map_err(|error| anyhow!("{error}; nor is it one of an earlier design of the spec"))
}
