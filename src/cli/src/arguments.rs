//! The commands and what they have in common.

use clap::{Args, Parser, Subcommand, ValueEnum};
use fluo_recipes::{HashScheme, RowHasher};

use crate::key::KeyCommand;
use crate::table::TableCommand;

/// Spread the rows of a big sorted table, and prove that it worked.
#[derive(Debug, Parser)]
#[command(
    name = "fluo",
    version,
    max_term_width = 110,
    after_help = "\
Exit codes: 0 success, 1 a check found a difference, 2 bad use or failure, 130 Ctrl-C.
Data goes to standard output, everything else to standard error.

Example:
  $ echo org.wikipedia/accumulo | fluo key add --prefix p
  p:1yl0:org.wikipedia/accumulo

Start with `fluo demo`."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Hash rows into keys and back; split points and the balancer's group for them
    #[command(
        subcommand,
        after_help = "Example:\n  $ echo org.wikipedia/accumulo | fluo key add --prefix p"
    )]
    Key(KeyCommand),
    /// Make and load tables; plan, apply and verify their optimization
    #[command(
        subcommand,
        after_help = "Example:\n  fluo table create --at embedded:./data pages"
    )]
    Table(TableCommand),
    /// Show what the row hasher does to real, skewed rows; leaves nothing behind
    #[command(after_help = "Example:\n  fluo demo")]
    Demo,
}

/// Which design keys are made by.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Design {
    /// `<prefix>:<4-character hash>:<row>`
    RowHasher,
}

/// The design of keys and its parameters.
#[derive(Args, Debug)]
pub(crate) struct DesignArguments {
    /// The key design
    #[arg(long, value_enum, default_value_t = Design::RowHasher)]
    design: Design,
    /// What every key starts with, before the first `:`
    #[arg(long)]
    prefix: String,
    /// How rows are hashed: murmur3-base36 or sha1-base32
    #[arg(long, default_value_t = HashScheme::Murmur3Base36)]
    scheme: HashScheme,
}

impl DesignArguments {
    pub(crate) fn hasher(&self) -> anyhow::Result<RowHasher> {
        match self.design {
            Design::RowHasher => Ok(RowHasher::builder(&self.prefix)
                .scheme(self.scheme)
                .build()?),
        }
    }
}
