//! `fluo key splits` and `fluo key group`: split points and balancer group of the keys.

use anyhow::{Context, bail};
use clap::Args;
use fluo_keys::{TableOptimizations, TableRequirement};
use fluo_table::Escaped;
use serde_json::json;

use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::output;

/// Print the split points that spread the keys over a number of tablets, one a line.
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
    /// Number of tablets that the keys are spread over, 1 to 2,097,152; with --spec, that of the
    /// spec unless given
    #[arg(long, required_unless_present = "spec")]
    tablets: Option<u32>,
    /// Encoding of the split points
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
}

/// Print the balancer's regex for the keys, which need a common prefix
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ fluo key group --prefix p
  (\\Qp:\\E).*

It is the value of the table property table.custom.balancer.group.regex.pattern.")]
pub(crate) struct Group {
    #[command(flatten)]
    design: DesignArguments,
}

impl Splits {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let splits =
            self.design.choose()?.splits(self.tablets)?.context("say how many --tablets")?;
        if output::is_json() {
            let shown: Vec<_> = splits.iter().map(|split| Escaped(split).to_string()).collect();
            return output::print_json(&json!({ "split_points": shown }));
        }
        let mut lines = Vec::new();
        for split in &splits {
            let name = || format!("the split point `{}` cannot be printed", Escaped(split));
            self.encoding.encode(split, &mut lines).with_context(name)?;
            lines.push(b'\n');
        }
        output::write(&lines)
    }
}

impl Group {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let design = self.design.choose()?.design;
        let requirement = TableRequirement::for_key_design_at(&design, [])?;
        let (name, pattern) =
            (design.name(), TableOptimizations::from(requirement).group_pattern());
        let pattern = pattern.with_context(|| {
            format!("the keys of the design {name} have no common beginning, so they have no group")
        })?;
        if output::is_json() {
            return output::print_json(&json!({ "group_pattern": pattern }));
        }
        if pattern.contains('\n') {
            bail!(misuse!(
                "the regex contains a newline, which a line of text cannot show; use --json"
            ));
        }
        output::print_exactly(&pattern)
    }
}
