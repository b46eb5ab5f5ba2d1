//! `fluo key splits` and `fluo key group`: what the keys ask of a table.

use std::io::{self, Write};

use anyhow::{Context, bail};
use clap::Args;
use fluo_core::Escaped;
use fluo_recipes::{RowHasher, TableOptimizations};

use crate::arguments::DesignArguments;
use crate::encoding::Encoding;
use crate::output;

/// The split points that spread the keys over a number of tablets, one a line.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ fluo key splits --prefix p --tablets 3
  p:c000
  p:o000
  p:~

For the Accumulo shell's `addsplits -b64 -sf splits.txt`:
  $ fluo key splits --prefix p --tablets 20 --encoding base64 > splits.txt")]
pub(crate) struct Splits {
    #[command(flatten)]
    design: DesignArguments,
    /// How many tablets the keys are spread over
    #[arg(long, allow_negative_numbers = true)]
    tablets: u32,
    /// How split points are written
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Print a JSON array, bytes that are not printable ASCII escaped as \xNN
    #[arg(long)]
    json: bool,
}

/// The balancer's regex for the keys.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ fluo key group --prefix p
  (\\Qp:\\E).*

It is the value of the table property table.custom.balancer.group.regex.pattern.")]
pub(crate) struct Group {
    #[command(flatten)]
    design: DesignArguments,
    /// Print a JSON string
    #[arg(long)]
    json: bool,
}

impl Splits {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let splits = self.design.hasher()?.splits(self.tablets)?;
        if self.json {
            let shown: Vec<_> = splits
                .iter()
                .map(|split| Escaped(split).to_string())
                .collect();
            return output::print_json(&shown);
        }
        let mut lines = Vec::new();
        for split in &splits {
            let name = || format!("the split point `{}` cannot be printed", Escaped(split));
            self.encoding.encode(split, &mut lines).with_context(name)?;
            lines.push(b'\n');
        }
        io::stdout()
            .lock()
            .write_all(&lines)
            .context(output::CANNOT_WRITE)
    }
}

impl Group {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let pattern = group_pattern(&self.design.hasher()?)?;
        if self.json {
            return output::print_json(&pattern);
        }
        if pattern.contains('\n') {
            bail!("the regex contains a newline, which a line of text cannot show; use --json");
        }
        output::print_exactly(&pattern)
    }
}

fn group_pattern(hasher: &RowHasher) -> anyhow::Result<String> {
    let optimizations = TableOptimizations::of_row_hasher(hasher, 1)?;
    optimizations
        .group_pattern()
        .context("a hasher has a group")
}
