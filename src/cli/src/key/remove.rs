//! `fluo key remove`.

use std::io;

use clap::Args;
use fluo_keys::KeyMigration;

use super::epochs::{row_of, tell_earlier};
use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::lines;

/// Convert keys on standard input to rows on standard output, one a line.
///
/// Stops at the first line that is not a key of the design, and prints its number and the reason.
/// The rows before it are written.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ echo p:1yl0:org.wikipedia/accumulo | fluo key remove --prefix p
  org.wikipedia/accumulo

If a spec has earlier designs, keys of all of them are converted. A key belongs to the newest design that can have
made it, as for readers of the table. The number of keys of earlier designs is printed at the end.")]
pub(crate) struct Remove {
    #[command(flatten)]
    design: DesignArguments,
    /// Encoding of the keys and the rows
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
}

impl Remove {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let chosen = self.design.choose()?;
        if let Some(epochs) = &chosen.migration {
            return self.of_epochs(epochs);
        }
        let design = chosen.design;
        let mut row = Vec::new();
        lines::transform(io::stdin().lock(), io::stdout().lock(), |line, output| {
            let key = self.encoding.decode(line)?;
            if let Some(hasher) = design.row_hasher() {
                return self.encoding.encode(hasher.remove(&key)?, output);
            }
            row.clear();
            design.decode_key_to(&key, &mut row)?;
            self.encoding.encode(&row, output)
        })
    }

    fn of_epochs(&self, epochs: &KeyMigration) -> anyhow::Result<()> {
        let mut counts = vec![0_u64; epochs.designs().len()];
        let mut row = Vec::new();
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        let removed = lines::transform(input, output, |line, output| {
            row.clear();
            let epoch = row_of(epochs, &self.encoding.decode(line)?, &mut row)?;
            self.encoding.encode(&row, output)?;
            if let Some(count) = counts.get_mut(epoch) {
                *count += 1;
            }
            Ok(())
        });
        tell_earlier(epochs, &counts);
        removed
    }
}
