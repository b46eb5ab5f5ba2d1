//! The command line: all commands and their help.

use clap::{ArgAction, CommandFactory, Parser, Subcommand};

use crate::advise::Advise;
use crate::app::AppCommand;
use crate::color::Color;
use crate::help;
use crate::key::KeyCommand;
use crate::monitor::Monitor;
use crate::notifications::NotificationsCommand;
use crate::oracle::Oracle;
use crate::queue::QueueCommand;
use crate::scan::Scan;
use crate::shell::{Completions, Manual};
use crate::table::TableCommand;
use crate::target::InstanceArguments;
use crate::top::Top;
use crate::version::Version;
use crate::wait::Wait;

/// Spread the rows of a big sorted table, and prove that it worked.
#[derive(Debug, Parser)]
#[command(
    name = "fluo",
    version,
    propagate_version = true,
    max_term_width = 110,
    after_help = "\
Example:
  $ fluo demo
  $ echo org.wikipedia/accumulo | fluo key add --prefix p
  p:1yl0:org.wikipedia/accumulo

`fluo help COMMAND` describes a command, and `fluo help accumulo` the options for a live Accumulo. FLUO_AT sets --at
for all commands.

Data goes to standard output, everything else to standard error. Exit codes: 0 success, 1 a check found a difference,
2 bad use or failure; interrupted: 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP."
)]
pub(crate) struct Arguments {
    /// Log more (-vv, -vvv), as FLUO_LOG does
    #[arg(short, long, global = true, action = ArgAction::Count, display_order = 1000)]
    pub(crate) verbose: u8,
    /// Color: auto (at a terminal), always or never
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true,
        display_order = 1000
    )]
    pub(crate) color: Color,
    /// Print errors, but no notes and no progress
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 1000)]
    pub(crate) quiet: bool,
    /// Print JSON, errors too (docs/json.md)
    #[arg(long, global = true, display_order = 1000)]
    pub(crate) json: bool,
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
    #[command(subcommand, after_help = "Example:\n  fluo table create --at embedded:./data pages")]
    Table(TableCommand),
    /// Make, inspect and remove applications
    #[command(subcommand, after_help = "Example:\n  fluo app init --at embedded:./data web")]
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
    #[command(subcommand, after_help = "Example:\n  fluo queue list --at embedded:./data web")]
    Queue(QueueCommand),
    Wait(Wait),
    Oracle(Oracle),
    Monitor(Box<Monitor>),
    Top(Box<Top>),
    Advise(Advise),
    /// Show the effect of the row hasher on real, skewed rows; leaves no files behind
    #[command(after_help = "Example:\n  fluo demo")]
    Demo,
    Completions(Completions),
    Man(Manual),
    Version(Version),
    /// Options of all commands for a live Accumulo; applications need those of ZooKeeper
    #[command(
        hide = true,
        arg_required_else_help = true,
        after_help = "\
Example:
  fluo table list --at proxy:localhost:42424 --user root
  fluo app list --at proxy:localhost:42424 --user root --zookeepers zk:2181/fluo

A password is no argument, because all users of the machine can read arguments. Set FLUO_PASSWORD or name a file;
at a terminal the command asks. Several proxies are written proxy:HOST:PORT,HOST:PORT. Profiles in the configuration
file hold all of this (docs/operate-accumulo.md)."
    )]
    Accumulo(Box<InstanceArguments>),
}

impl Arguments {
    /// Returns the parser, whose help has the layout of this command.
    pub(crate) fn laid_out() -> clap::Command {
        help::laid_out(Self::command())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use clap::Command as Parsed;

    use super::*;
    use crate::help::ACCUMULO;

    /// Returns the words of all commands, with their parsers.
    pub(crate) fn all_commands() -> Vec<(String, Parsed)> {
        let mut root = Arguments::laid_out();
        // Adds the options that all commands have.
        root.build();
        let mut open = vec![(String::new(), root)];
        let mut all = Vec::new();
        while let Some((words, command)) = open.pop() {
            let below = command.get_subcommands().filter(|below| below.get_name() != "help");
            let below = below.map(|below| {
                let words = format!("{words} {}", below.get_name());
                (words.trim().to_owned(), below.clone())
            });
            open.extend(below);
            all.push((words, command));
        }
        all
    }

    fn help(command: &Parsed) -> String {
        command.clone().render_help().to_string()
    }

    #[test]
    fn each_command_for_a_target_names_the_page_with_its_options() {
        let all = all_commands();
        assert!(all.len() > 45, "{}", all.len());
        let (_, topic) = all.iter().find(|(words, _)| words == ACCUMULO).unwrap();
        let topic = help(topic);
        for option in [
            "--user",
            "FLUO_USER",
            "FLUO_PASSWORD",
            "FLUO_PASSWORD_FILE",
            "FLUO_SHARED_SECRET",
            "FLUO_ZOOKEEPERS",
            "FLUO_ZOOKEEPER_SECRET",
            "FLUO_ZOOKEEPER_PASSWORD",
            "--password-file",
            "--protocol",
            "--tls-ca",
            "--zookeeper-secret-file",
            "--zookeeper-tls-certificate",
        ] {
            assert!(topic.contains(option), "{option}");
        }
        for (words, command) in all {
            let has = |long| command.get_opts().any(|option| option.get_long() == Some(long));
            if words == ACCUMULO || !has("at") {
                continue;
            }
            let help = help(&command);
            assert!(has("user") || has("zookeepers"), "{words}");
            let joined = help.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(joined.contains("[env: FLUO_AT]"), "{words}");
            assert!(help.contains("`fluo help accumulo`"), "{words}");
            for hidden in ["--user", "--password", "--tls-ca", "--zookeeper"] {
                assert!(!help.contains(&format!("  {hidden}")), "{words}: {hidden}");
            }
        }
    }

    /// The page on JSON has a section for each command that prints data.
    #[test]
    fn the_page_on_json_has_every_command() {
        const PAGE: &str = include_str!("../../../docs/json.md");
        for (words, command) in all_commands() {
            if !command.has_subcommands() && words != ACCUMULO {
                assert!(PAGE.contains(&format!("`fluo {words}`")), "{words}");
            }
        }
    }

    #[test]
    fn help_names_the_bounds_of_numbers() {
        let all = all_commands();
        for (words, bounds) in [
            ("table create", "from 1 on"),
            ("table watch", "from 100ms on"),
            ("key splits", "1 to 2,097,152"),
            ("key explain", "1 to 2,097,152"),
            ("scan", "0 prints none"),
            ("notifications list", "0 prints none"),
        ] {
            let (_, command) = all.iter().find(|(found, _)| found == words).unwrap();
            let help = help(command);
            let help: Vec<_> = help.split_whitespace().collect();
            assert!(help.join(" ").contains(bounds), "{words}");
        }
    }
}
