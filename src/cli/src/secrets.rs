//! A command line that holds a password is refused before anything could repeat it.
//!
//! The parser of the arguments quotes what it does not like, so it must not see them.

use std::ffi::OsStr;

use fluo_core::Escaped;

/// What is said in place of running it. It repeats nothing.
const ARGUMENT: &str = "a password is not taken from the command line, which everybody on this machine can read and \
                        which the shell remembers; set FLUO_PASSWORD, or name the file that holds it with \
                        --password-file FILE or FLUO_PASSWORD_FILE, or run this at a terminal and be asked";
const TARGET: &str = "a target holds no user and no password, as everybody on this machine can read the command line; \
                      write --at proxy:HOST:PORT, give --user USER, and set FLUO_PASSWORD, or name the file that \
                      holds it with --password-file FILE or FLUO_PASSWORD_FILE, or run this at a terminal and be asked";

/// What is wrong with arguments that hold a password, if they do.
pub(crate) fn complaint<A: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = A>,
) -> Option<&'static str> {
    let mut arguments = arguments.into_iter().skip(1).peekable();
    // Other commands have rows and keys, which may look like anything.
    arguments.next_if(|command| {
        ["table", "app", "scan", "notifications", "wait", "advise"]
            .iter()
            .any(|name| command.as_ref() == *name)
    })?;
    let mut is_target = false;
    arguments
        .take_while(|argument| argument.as_ref() != "--")
        .find_map(|argument| {
            let was_target = std::mem::replace(&mut is_target, argument.as_ref() == "--at");
            complaint_of(argument.as_ref().as_encoded_bytes(), was_target)
        })
}

/// A row or a key that cannot be read, as a message shows it: what stands before an `@` may hold a password.
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
        None => (argument, is_target || argument.starts_with(b"proxy:")),
    };
    // Also one whose kind was forgotten. Only a directory may have such a name.
    let may_hold_user = is_target && !target.starts_with(b"embedded:") && target.contains(&b'@');
    may_hold_user.then_some(TARGET)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<&'static str> {
        complaint(line.split(' '))
    }

    #[test]
    fn a_password_among_the_arguments_is_refused() {
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
        ] {
            assert_eq!(of(line), Some(TARGET), "{line}");
        }
    }

    #[test]
    fn what_may_be_a_password_is_not_shown() {
        assert_eq!(masked(b"user:secret@x\n"), r"***@x\x0a");
        assert_eq!(masked(b"a@b@c"), "***@c");
        assert_eq!(masked(b"abc"), "abc");
    }

    #[test]
    fn other_arguments_are_let_through() {
        for line in [
            "fluo",
            "fluo table list --at proxy:h:1 --password-file f --user root",
            "fluo table list --at embedded:a@b",
            "fluo key explain --prefix p -- --password",
            "fluo table show --at proxy:h:1 -- --password",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
