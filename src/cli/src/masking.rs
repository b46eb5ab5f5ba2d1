//! Refuses a command line that contains a password, before any message can repeat it.
//!
//! The argument parser quotes wrong arguments, so this check runs before it.

use std::ffi::OsStr;

use clap::{Arg, Command};
use fluo_table::Escaped;

/// The messages that replace the run. They repeat no argument.
const ARGUMENT: &str = "a password is not taken from the command line, which all users of this machine can read and \
                        which the shell remembers; set FLUO_PASSWORD, or name the file that holds it with \
                        --password-file FILE or FLUO_PASSWORD_FILE, or enter it at a terminal when asked";
const TARGET: &str = "a target holds no user and no password, as all users of this machine can read the command line; \
                      write --at proxy:HOST:PORT, give --user USER, and set FLUO_PASSWORD, or name the file that \
                      holds it with --password-file FILE or FLUO_PASSWORD_FILE, or enter it at a terminal when asked";

/// Returns the message if the arguments contain a password. `all` is the command with its
/// subcommands.
pub(crate) fn complaint<A: AsRef<OsStr>>(
    all: &Command,
    arguments: impl IntoIterator<Item = A>,
) -> Option<&'static str> {
    let mut arguments = arguments.into_iter().skip(1);
    let name = arguments.next()?;
    // The other commands have no targets.
    let has_target = ["table", "app", "scan", "notifications", "wait", "advise"]
        .iter()
        .any(|command| name.as_ref() == *command);
    if !has_target {
        return None;
    }
    // The arguments of these commands are names and files, so an argument that looks like a target
    // is one whose `--at` was forgotten. The arguments of the others include rows and columns,
    // which can look like anything.
    let has_names = ["table", "advise"]
        .iter()
        .any(|command| name.as_ref() == *command);
    let mut command = all.find_subcommand(name.as_ref())?;
    let mut before = Before::Argument;
    arguments
        .take_while(|argument| argument.as_ref() != "--")
        .find_map(|argument| {
            let is_value = !matches!(before, Before::Argument);
            if !is_value && let Some(below) = command.find_subcommand(argument.as_ref()) {
                command = below;
            }
            let argument = argument.as_ref().as_encoded_bytes();
            let before = std::mem::replace(&mut before, Before::of(argument, command));
            let is_target = match before {
                Before::At => true,
                Before::Option => false,
                Before::Argument => has_names && argument.starts_with(b"proxy:"),
            };
            complaint_of(argument, is_target)
        })
}

/// The argument before another one.
#[derive(Clone, Copy)]
enum Before {
    /// `--at`: the next argument is a target.
    At,
    /// Another option: the next argument is its value.
    Option,
    /// Another argument, or an option without a value.
    Argument,
}

impl Before {
    fn of(argument: &[u8], command: &Command) -> Self {
        match argument {
            b"--at" => Self::At,
            option if takes_next(option, command) => Self::Option,
            _ => Self::Argument,
        }
    }
}

/// Checks whether an argument is an option of a command and takes the next argument as its value.
fn takes_next(argument: &[u8], command: &Command) -> bool {
    let option = std::str::from_utf8(argument).unwrap_or_default();
    let Some(name) = option.strip_prefix("--") else {
        // In a group of letters, the first one that takes a value takes the rest of the group, if
        // any.
        let letters = option.strip_prefix('-').unwrap_or_default();
        let found = letters.char_indices().find(|(_, letter)| {
            let mut options = command.get_opts();
            options.any(|option| option.get_short() == Some(*letter) && takes_value(option))
        });
        return found.is_some_and(|(at, letter)| at + letter.len_utf8() == letters.len());
    };
    let mut options = command.get_opts();
    options.any(|option| option.get_long() == Some(name) && takes_value(option))
}

fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values()
}

/// Formats a row or a key for an error message. Hides the part before an `@`, which may contain a
/// password.
pub(crate) fn masked(written: &[u8]) -> String {
    match written.iter().rposition(|byte| *byte == b'@') {
        None => Escaped(written).to_string(),
        Some(at) => format!("***{}", Escaped(written.get(at..).unwrap_or_default())),
    }
}

fn complaint_of(argument: &[u8], is_target: bool) -> Option<&'static str> {
    let name = argument
        .split(|byte| *byte == b'=')
        .next()
        .unwrap_or_default();
    if [
        b"--password".as_slice(),
        b"--pass",
        b"--shared-secret",
        b"--secret",
    ]
    .contains(&name)
    {
        return Some(ARGUMENT);
    }
    let (target, is_target) = match argument.strip_prefix(b"--at=") {
        Some(target) => (target, true),
        None => (argument, is_target),
    };
    // This includes a target without its kind. Only a directory may have such a name.
    let may_hold_user = is_target && !target.starts_with(b"embedded:") && target.contains(&b'@');
    may_hold_user.then_some(TARGET)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::arguments::Arguments;

    fn of(line: &str) -> Option<&'static str> {
        complaint(&Arguments::command(), line.split(' '))
    }

    #[test]
    fn refuses_a_password_in_the_arguments() {
        for line in [
            "fluo table list --at proxy:h:1 --password x",
            "fluo table list --password=x",
            "fluo table --password",
            "fluo table list --pass x",
            "fluo advise --at proxy:h:1 --password x t",
            "fluo scan --at proxy:h:1 --password x web",
            "fluo table list --shared-secret=x",
        ] {
            assert_eq!(of(line), Some(ARGUMENT), "{line}");
        }
        for line in [
            "fluo table list --at proxy:root:x@h:1",
            "fluo table list --at=proxy:x@h:1",
            "fluo table list --at root:x@h:1",
            "fluo table list --at=root:x@h:1",
            "fluo table list proxy:root:x@h:1",
            "fluo table load pages --encoding=hex proxy:root:x@h:1",
            "fluo table list --json proxy:root:x@h:1",
            "fluo table delete --yes proxy:root:x@h:1",
            "fluo table delete --at embedded:list --yes proxy:root:x@h:1",
            "fluo table delete --no-such-option proxy:root:x@h:1",
            "fluo scan --at proxy:root:x@h:1 web",
            "fluo notifications retry --at=proxy:root:x@h:1 web r f:q",
        ] {
            assert_eq!(of(line), Some(TARGET), "{line}");
        }
    }

    #[test]
    fn masks_possible_passwords() {
        assert_eq!(masked(b"user:secret@x\n"), r"***@x\x0a");
        assert_eq!(masked(b"a@b@c"), "***@c");
        assert_eq!(masked(b"abc"), "abc");
    }

    #[test]
    fn accepts_other_arguments() {
        for line in [
            "fluo",
            "fluo table list --at proxy:h:1 --password-file f --user root",
            "fluo table list --at embedded:a@b",
            "fluo scan --at embedded:d --row proxy:a@b web",
            "fluo scan --at embedded:d --prefix=proxy:a@b web",
            "fluo notifications retry --at embedded:d web proxy:a@b f:q",
            "fluo table load --at embedded:d pages --prefix proxy:a@b rows.txt",
            "fluo key explain --prefix p -- --password",
            "fluo table show --at proxy:h:1 -- --password",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
