//! `fluo key remove`.

use std::io;

use clap::Args;

use crate::design::DesignArguments;
use crate::encoding::Encoding;
use crate::lines;

/// Keys on standard input to rows on standard output, one a line.
///
/// A line that is not such a key ends the run with its number and what is wrong with it; the rows before it
/// were written.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ echo p:1yl0:org.wikipedia/accumulo | fluo key remove --prefix p
  org.wikipedia/accumulo")]
pub(crate) struct Remove {
    #[command(flatten)]
    design: DesignArguments,
    /// How keys are read and rows are written
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
}

impl Remove {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let design = self.design.design()?;
        let mut row = Vec::new();
        lines::transform(io::stdin().lock(), io::stdout().lock(), |line, output| {
            let key = self.encoding.decode(line)?;
            if let Some(hasher) = design.row_hasher() {
                return self.encoding.encode(hasher.remove(&key)?, output);
            }
            row.clear();
            design.remove_to(&key, &mut row)?;
            self.encoding.encode(&row, output)
        })
    }
}
