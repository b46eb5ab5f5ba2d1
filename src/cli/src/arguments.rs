//! The command line: all commands and their help.

use clap::{ArgAction, Parser, Subcommand};

use crate::advise::Advise;
use crate::app::AppCommand;
use crate::color::Color;
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
    /// Color of the output
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_default_value = true,
        help_heading = "Log"
    )]
    pub(crate) color: Color,
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
    Advise(Advise),
    /// Show the effect of the row hasher on real, skewed rows; leaves no files behind
    #[command(after_help = "Example:\n  fluo demo")]
    Demo,
}

#[cfg(test)]
pub(crate) mod tests {
    use clap::{Command as Parsed, CommandFactory};

    use super::*;

    /// Returns the words of all commands, with their parsers.
    pub(crate) fn all_commands() -> Vec<(String, Parsed)> {
        let mut open = vec![(String::new(), Arguments::command())];
        let mut all = Vec::new();
        while let Some((words, command)) = open.pop() {
            let below = command.get_subcommands().map(|below| {
                let words = format!("{words} {}", below.get_name());
                (words.trim().to_owned(), below.clone())
            });
            open.extend(below);
            all.push((words, command));
        }
        all
    }

    fn help(command: &Parsed) -> String {
        command.clone().render_long_help().to_string()
    }

    #[test]
    fn every_command_has_help_with_an_example() {
        let all = all_commands();
        assert!(all.len() > 45, "{}", all.len());
        for (words, command) in all {
            for help in [help(&command), command.clone().render_help().to_string()] {
                assert!(help.contains("Example:\n"), "{words}: {help}");
            }
        }
    }

    /// Checks that a command without parts has a section of its help with these words.
    fn assert_section(words: &str, command: &Parsed, heading: &str, expected: &[&str]) {
        if command.has_subcommands() {
            return;
        }
        let help = help(command);
        assert!(help.contains("[env: FLUO_AT]"), "{words}");
        let (_, section) = help.split_once(&format!("\n{heading}:\n")).unwrap();
        let section = section.split("\nExample:").next().unwrap();
        let found: Vec<_> = section.split_whitespace().collect();
        for expected in expected {
            let has = found.iter().any(|word| word.starts_with(expected));
            assert!(has, "{words}: {expected}");
        }
        for secret in ["--password", "--zookeeper-secret", "--spec"] {
            assert!(!found.contains(&secret), "{words}: {secret}");
        }
    }

    #[test]
    fn help_describes_live_targets() {
        for (words, command) in all_commands() {
            let group = words.split(' ').next().unwrap();
            match group {
                "table" => {
                    let heading = "Live Accumulo (--at proxy:HOST:PORT)";
                    let expected = [
                        "--user",
                        "FLUO_USER",
                        "FLUO_PASSWORD,",
                        "--password-file",
                        "FLUO_PASSWORD_FILE",
                        "--protocol",
                    ];
                    assert_section(&words, &command, heading, &expected);
                }
                "app" | "scan" | "notifications" | "queue" | "wait" | "oracle" => {
                    let heading = "Applications on a live Accumulo";
                    let expected = [
                        "--zookeepers",
                        "FLUO_ZOOKEEPERS",
                        "FLUO_ZOOKEEPER_SECRET",
                        "--zookeeper-secret-file",
                        "--zookeeper-tls-ca",
                        "--zookeeper-tls-certificate",
                        "--zookeeper-user",
                        "FLUO_ZOOKEEPER_PASSWORD",
                        "--zookeeper-password-file",
                    ];
                    assert_section(&words, &command, heading, &expected);
                }
                _ => {}
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
