//! Refuses a command line that contains a password, before any message can repeat it.
//!
//! The argument parser quotes wrong arguments, so this check runs before it.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};
use fluo_table::Escaped;

/// The messages that replace the run. They repeat no argument.
const ARGUMENT: &str = "a password is not taken from the command line, which all users of this machine can read and \
                        which the shell remembers; set FLUO_PASSWORD, or name the file that holds it with \
                        --password-file FILE or FLUO_PASSWORD_FILE, or enter it at a terminal when asked";
const TARGET: &str = "a target holds no user and no password, as all users of this machine can read the command line; \
                      write --at proxy:HOST:PORT, give --user USER, and set FLUO_PASSWORD, or name the file that \
                      holds it with --password-file FILE or FLUO_PASSWORD_FILE, or enter it at a terminal when asked";
const ENVIRONMENT: &str = "FLUO_AT holds a user or a password; set it to proxy:HOST:PORT, and set FLUO_USER and \
                           FLUO_PASSWORD or FLUO_PASSWORD_FILE";
const PORT: &str = "the port of a target is not a number; write --at proxy:HOST:PORT, such as proxy:localhost:42424";
const PORT_IN_ENVIRONMENT: &str =
    "the port of FLUO_AT is not a number; set it to proxy:HOST:PORT, such as proxy:localhost:42424";

/// The name of the option for a target.
const AT: &str = "at";

/// Returns the message if the arguments contain a password. `all` is the command with its
/// subcommands, which say what each argument is.
pub(crate) fn complaint<A: AsRef<OsStr>>(
    all: &Command,
    arguments: impl IntoIterator<Item = A>,
) -> Option<&'static str> {
    let mut walk = Walk::new(all);
    let mut arguments = arguments.into_iter().skip(1);
    arguments.find_map(|argument| walk.complaint(argument.as_ref()))
}

/// Returns the message if the target in the environment contains a password, and the command uses
/// it. `value` returns the value of a variable.
pub(crate) fn complaint_of_environment<A: AsRef<OsStr>>(
    all: &Command,
    arguments: impl IntoIterator<Item = A>,
    value: impl FnOnce(&OsStr) -> Option<OsString>,
) -> Option<&'static str> {
    let mut walk = Walk::new(all);
    for argument in arguments.into_iter().skip(1) {
        walk.complaint(argument.as_ref());
    }
    let target = option_at(walk.command).filter(|_| !walk.has_target)?;
    let target = value(target.get_env()?)?;
    complaint_of_target(target.as_encoded_bytes(), ENVIRONMENT, PORT_IN_ENVIRONMENT)
}

/// A walk over the arguments, as the parser reads them.
struct Walk<'a> {
    command: &'a Command,
    before: Before,
    /// True after an argument that names a target.
    has_target: bool,
    /// True after the argument `--`, which ends the options.
    is_past_options: bool,
}

impl<'a> Walk<'a> {
    fn new(all: &'a Command) -> Self {
        Self {
            command: all,
            before: Before::Argument,
            has_target: false,
            is_past_options: false,
        }
    }

    /// Reads the next argument. Returns the message if it contains a password.
    fn complaint(&mut self, argument: &OsStr) -> Option<&'static str> {
        let before = std::mem::replace(&mut self.before, Before::Argument);
        let is_value = matches!(before, Before::Option);
        if matches!(before, Before::Argument)
            && !self.is_past_options
            && let Some(below) = self.command.find_subcommand(argument)
        {
            self.command = below;
            return None;
        }
        if !takes_target(self.command) {
            return None;
        }
        let argument = argument.as_encoded_bytes();
        let at = argument.strip_prefix(b"--at=");
        let at = at.or_else(|| matches!(before, Before::At).then_some(argument));
        if let Some(target) = at {
            self.has_target = true;
            return complaint_of_target(target, TARGET, PORT);
        }
        // `--at` after `--` is no option, but a mistake.
        if !is_value {
            self.before = Before::of(argument, self.command);
        }
        if is_value || self.is_past_options {
            return None;
        }
        self.is_past_options = argument == b"--";
        if is_password_option(argument) {
            return Some(ARGUMENT);
        }
        let is_misplaced = !is_known_option(argument, self.command) && has_target_in_it(argument);
        is_misplaced.then_some(TARGET)
    }
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

/// Returns the option of a command that names a target.
fn option_at(command: &Command) -> Option<&Arg> {
    command
        .get_opts()
        .find(|option| option.get_long() == Some(AT))
}

/// Checks whether a command, or a command below it, takes a target.
fn takes_target(command: &Command) -> bool {
    option_at(command).is_some() || command.get_subcommands().any(takes_target)
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

/// Checks whether an argument is an option of a command with its value, `--name=value`.
fn is_known_option(argument: &[u8], command: &Command) -> bool {
    let name = argument.split(|byte| *byte == b'=').next();
    takes_next(name.unwrap_or_default(), command)
}

fn is_password_option(argument: &[u8]) -> bool {
    let name = argument.split(|byte| *byte == b'=').next();
    let options = [
        b"--password".as_slice(),
        b"--pass",
        b"--shared-secret",
        b"--secret",
    ];
    name.is_some_and(|name| options.contains(&name))
}

/// Checks whether an argument is, or an unknown option contains, a target with a user and a
/// password. Rows and columns can look like a target, but hardly with a user and a password.
fn has_target_in_it(argument: &[u8]) -> bool {
    let text = String::from_utf8_lossy(argument).to_ascii_lowercase();
    let target = match text.starts_with('-') {
        true => text.split_once("proxy:").map(|(_, place)| place),
        false => text.strip_prefix("proxy:"),
    };
    let user = target.and_then(|place| place.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.contains(':'))
}

/// Checks whether a target may contain a user or a password: it contains an `@`, or more colons
/// than a target has.
///
/// This includes a target without its kind. Only a directory may have such a name.
fn may_hold_user(target: &[u8]) -> bool {
    if target.starts_with(b"embedded:") {
        return false;
    }
    let (place, colons) = match target.strip_prefix(b"proxy:") {
        Some(place) => (place, 1),
        None => (target, 2),
    };
    // The colons of an IPv6 address separate nothing.
    let is_ipv6 = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    let place = match place.strip_prefix(b"[") {
        Some(ipv6) => ipv6.rsplit(|byte| *byte == b']').next(),
        None => Some(place),
    };
    let place = place.unwrap_or_default();
    let found = place.iter().filter(|byte| **byte == b':').count();
    target.contains(&b'@') || (found > colons && !place.iter().all(is_ipv6))
}

/// Returns one of two messages if a target may contain a user or a password, or has other text than
/// a number for its port, which may be a password.
pub(crate) fn complaint_of_target(
    target: &[u8],
    of_user: &'static str,
    of_port: &'static str,
) -> Option<&'static str> {
    if may_hold_user(target) {
        return Some(of_user);
    }
    let place = target.strip_prefix(b"proxy:")?;
    let colon = place.iter().rposition(|byte| *byte == b':')?;
    let (host, port) = place.split_at_checked(colon)?;
    let is_one_host = host.ends_with(b"]") || !host.contains(&b':');
    let is_number = port.iter().skip(1).all(u8::is_ascii_digit);
    (is_one_host && !is_number).then_some(of_port)
}

/// Formats a row or a key for an error message. Hides the part before an `@`, which may contain a
/// password.
pub(crate) fn masked(written: &[u8]) -> String {
    match written.iter().rposition(|byte| *byte == b'@') {
        None => Escaped(written).to_string(),
        Some(at) => format!("***{}", Escaped(written.get(at..).unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::arguments::Arguments;

    /// The marker that stands for a password.
    const SECRET: &str = "hunter2";

    fn of(line: &str) -> Option<&'static str> {
        complaint(&Arguments::command(), line.split(' '))
    }

    /// Adds the words of all commands with a target to `found`.
    fn with_target(command: &Command, words: &[String], found: &mut Vec<Vec<String>>) {
        let words = [words, &[command.get_name().to_owned()]].concat();
        for below in command.get_subcommands() {
            with_target(below, &words, found);
        }
        if option_at(command).is_some() {
            found.push(words);
        }
    }

    #[test]
    fn refuses_a_target_with_a_password_in_every_command_with_a_target() {
        let all = Arguments::command();
        let mut commands = Vec::new();
        with_target(&all, &[], &mut commands);
        assert!(commands.len() > 30, "{commands:?}");
        for password in ["", "a@", "@a", "a:", " ", "%40", "--", "=", "é"] {
            let target = format!("proxy:root:{password}{SECRET}@h:1");
            let wrong_port = format!("proxy:root:{SECRET}{password}@h:x:y");
            let encoded = format!("proxy:root:{SECRET}{password}%40h:1");
            for (command, target) in commands.iter().flat_map(|command| {
                [&target, &wrong_port, &encoded].map(|target| (command, target))
            }) {
                for arguments in [
                    vec!["--at", target],
                    vec![&format!("--at={target}")],
                    vec!["-v", "--wrong", "--at", target, "--wrong"],
                    vec!["--", "--at", target],
                ] {
                    let line = command.iter().map(String::as_str).chain(arguments);
                    let line: Vec<_> = line.collect();
                    assert_eq!(complaint(&all, &line), Some(TARGET), "{line:?}");
                }
                let in_environment =
                    complaint_of_environment(&all, command, |_| Some(target.into()));
                assert_eq!(in_environment, Some(ENVIRONMENT), "{command:?} {target}");
            }
        }
    }

    #[test]
    fn the_environment_has_no_effect_if_an_argument_names_the_target() {
        let all = Arguments::command();
        let line = "fluo table list --at embedded:d".split(' ');
        let found = complaint_of_environment(&all, line, |_| Some("proxy:a:b@h:1".into()));
        assert_eq!(found, None);
        let line = "fluo key add --prefix p".split(' ');
        let found = complaint_of_environment(&all, line, |_| Some("proxy:a:b@h:1".into()));
        assert_eq!(found, None);
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
            "fluo queue list --at proxy:h:1 --password x web",
            "fluo oracle --password x web",
            "fluo --password x oracle web",
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
            "fluo queue list --at proxy:root:x@h:1 web",
            "fluo oracle --at proxy:root:x@h:1 web",
            "fluo -v oracle --at proxy:root:x@h:1 web",
            "fluo --at proxy:root:x@h:1 queue list web",
            "fluo proxy:root:x@h:1 queue list web",
            "fluo queue PROXY:root:x@h:1 web",
            "fluo queue list --att:proxy:root:x@h:1 web",
            "fluo queue list --at root:x:h:1 web",
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
    fn refuses_a_port_that_may_be_a_password() {
        for target in [
            "proxy:h:hunter2",
            "proxy:[::1]:hunter2",
            "proxy:h:hunter2]",
            "proxy:h:+1",
        ] {
            let all = Arguments::command();
            let line = format!("fluo table list --at {target}");
            assert_eq!(of(&line), Some(PORT), "{target}");
            let line = "fluo table list".split(' ');
            let in_environment = complaint_of_environment(&all, line, |_| Some(target.into()));
            assert_eq!(in_environment, Some(PORT_IN_ENVIRONMENT), "{target}");
        }
        for target in [
            "proxy:h:65536",
            "proxy:h:",
            "proxy:fe80::a",
            "proxy:[fe80::a]",
            "x:y",
        ] {
            assert_eq!(
                of(&format!("fluo table list --at {target}")),
                None,
                "{target}"
            );
        }
    }

    #[test]
    fn accepts_other_arguments() {
        for line in [
            "fluo",
            "fluo table list --at proxy:h:1 --password-file f --user root",
            "fluo table list --at embedded:a@b",
            "fluo table list --at embedded:a:b:c:d",
            "fluo table list --at proxy:[fe80::1%eth0]:1",
            "fluo table list --at proxy:::1:42424",
            "fluo table list --at hbase:h:1",
            "fluo notifications retry --at embedded:d web -- proxy:a:b@c f:q",
            "fluo key explain --prefix p proxy:root:x@h:1",
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
