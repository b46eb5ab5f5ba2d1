//! The command line: all commands and their help.

use clap::{ArgAction, ArgMatches, Parser, Subcommand};

use crate::advise::Advise;
use crate::app::AppCommand;
use crate::key::KeyCommand;
use crate::notifications::NotificationsCommand;
use crate::oracle::Oracle;
use crate::queue::QueueCommand;
use crate::scan::Scan;
use crate::table::TableCommand;
use crate::wait::Wait;

/// Spread the rows of a big sorted table, and prove that it worked.
#[derive(Debug, Parser)]
#[command(
    name = "fluo",
    version,
    max_term_width = 110,
    after_help = "\
Exit codes: 0 success, 1 a check found a difference, 2 bad use or failure; interrupted: 130 Ctrl-C,
143 SIGTERM, 129 SIGHUP.
Data goes to standard output, everything else to standard error.

Example:
  $ echo org.wikipedia/accumulo | fluo key add --prefix p
  p:1yl0:org.wikipedia/accumulo

Start with `fluo demo`."
)]
pub(crate) struct Arguments {
    /// Log more to standard error than warnings and errors: -v events, -vv details with rows and
    /// values, -vvv all. FLUO_LOG sets levels of single crates: warn,fluo_accumulo=debug
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Log")]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Convert rows to keys of a design and back; split points, groups and scans
    #[command(
        subcommand,
        after_help = "Example:\n  $ echo org.wikipedia/accumulo | fluo key add --prefix p"
    )]
    Key(Box<KeyCommand>),
    /// Make and load tables; plan, apply and verify their optimization
    #[command(
        subcommand,
        after_help = "Example:\n  fluo table create --at embedded:./data pages"
    )]
    Table(TableCommand),
    /// Make, inspect and remove applications
    #[command(
        subcommand,
        after_help = "Example:\n  fluo app init --at embedded:./data web"
    )]
    App(AppCommand),
    // The help of these commands is the doc comment of their arguments.
    Scan(Box<Scan>),
    /// List notifications that wait; list, requeue or discard dead letters
    #[command(
        subcommand,
        after_help = "Example:\n  fluo notifications list --at embedded:./data web"
    )]
    Notifications(NotificationsCommand),
    /// List the queues of an application; list, requeue or discard their dead letters
    #[command(
        subcommand,
        after_help = "Example:\n  fluo queue list --at embedded:./data web"
    )]
    Queue(QueueCommand),
    Wait(Wait),
    Oracle(Oracle),
    Advise(Advise),
    /// Show the effect of the row hasher on real, skewed rows; leaves no files behind
    #[command(after_help = "Example:\n  fluo demo")]
    Demo,
}

/// Returns the words of a command, such as `fluo table load`, without its arguments, which may be
/// secrets.
pub(crate) fn command_words(mut matches: &ArgMatches) -> String {
    let mut words = "fluo".to_owned();
    while let Some((name, below)) = matches.subcommand() {
        words = format!("{words} {name}");
        matches = below;
    }
    words
}
