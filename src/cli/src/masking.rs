//! Messages that may repeat an argument with a password.
//!
//! All users of a machine can read its command lines, so no argument takes a password. A user may
//! write one in a target nevertheless, at its place or elsewhere.

use std::ffi::OsString;
use std::iter;

use clap::Error;
use clap::error::ErrorKind;
use fluo_table::Escaped;
use memchr::memmem;

use crate::wording;

/// The targets that messages give as examples. Their beginnings are not hidden.
const EXAMPLES: [&str; 3] = ["proxy:HOST:PORT", "proxy:localhost:42424", "proxy:[::1]:42424"];

const SCHEME_END: &[u8] = b"://";
const TARGET: &[u8] = b"proxy:";

/// Returns the message about wrong arguments. Arguments that may contain a password are hidden.
pub(crate) fn message_of(error: &Error, arguments: &[OsString]) -> String {
    let mut message = wording::of_arguments(&error.to_string());
    if error.kind() == ErrorKind::InvalidUtf8
        && let Some(wrong) = arguments.iter().find(|argument| argument.to_str().is_none())
    {
        let wrong = match may_be_target(&wrong.to_string_lossy()) {
            true => "***".to_owned(),
            false => masked(wrong.as_encoded_bytes()),
        };
        message = format!("error: the argument `{wrong}` is not UTF-8 text\n");
    }
    for argument in arguments {
        let argument = argument.to_string_lossy();
        if !may_be_target(&argument) {
            continue;
        }
        let value = argument.split_once('=').map(|(_, value)| value);
        for text in iter::once(&*argument).chain(value) {
            if !EXAMPLES.iter().any(|example| example.starts_with(text)) {
                message = message.replace(text, "***");
            }
        }
    }
    message
}

/// Checks whether an argument may be a target with a password.
fn may_be_target(argument: &str) -> bool {
    argument.contains('@') || argument.to_ascii_lowercase().contains("proxy:")
}

/// Formats a row or a key for a message or a report. Hides what may be a password.
pub(crate) fn masked(written: &[u8]) -> String {
    masked_text(&Escaped(written).to_string())
}

/// Masks a row or a key in the escaped form.
pub(crate) fn masked_text(written: &str) -> String {
    match end_of_login(written.as_bytes()).and_then(|end| written.get(end..)) {
        None => written.to_owned(),
        Some(rest) => format!("***{rest}"),
    }
}

/// Masks the first bytes of keys, all of which are given. The start of a login has no `@`.
pub(crate) fn masked_start<'a>(start: &[u8], mut keys: impl Iterator<Item = &'a [u8]>) -> String {
    match keys.any(|key| end_of_login(key).is_some_and(|end| end >= start.len())) {
        true => "***".to_owned(),
        false => masked(start),
    }
}

/// Returns the place of the last `@` if it may follow a login. Only a URL has one, and a target of
/// this command: `scheme://user:password@host`, `proxy:user:password@host`. Text with a colon
/// before an e-mail address has none.
fn end_of_login(key: &[u8]) -> Option<usize> {
    let end = key.iter().rposition(|&byte| byte == b'@')?;
    let schemes = memmem::find_iter(key, SCHEME_END).map(|place| place + SCHEME_END.len());
    let is_target = key.get(..TARGET.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(TARGET));
    let mut starts = schemes.chain(is_target.then_some(TARGET.len()));
    starts.any(|start| key.get(start..end).is_some_and(may_be_login)).then_some(end)
}

/// Checks whether a text between `scheme://` and an `@` may be a login. It is not if a host without
/// a port comes first: text without a colon before a `/`, `?` or `#`. A password may contain these
/// characters, although a URL may not, and it may begin like a port.
fn may_be_login(text: &[u8]) -> bool {
    let Some(host_end) = text.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')) else {
        return !text.is_empty();
    };
    let host = text.get(..host_end).unwrap_or_default();
    host.contains(&b'@') || host.contains(&b':')
}

/// Checks whether a login may begin in the start of a key, and end after it.
fn may_begin_login(start: &str) -> bool {
    let mut rests = start.split("://").skip(1);
    rests.any(|rest| rest.is_empty() || may_be_login(rest.as_bytes()))
}

/// Masks the rows and keys that a sentence quotes. A text outside of the quotes is part of a key if
/// it contains an `@`, because a key may contain a backtick.
pub(crate) fn masked_quotes(sentence: &str) -> String {
    let parts: Vec<_> = sentence.split('`').collect();
    let is_broken = parts.len() % 2 == 0 || parts.iter().step_by(2).any(|part| part.contains('@'));
    if is_broken && let Some((_, rest)) = sentence.rsplit_once('@') {
        return format!("***@{rest}");
    }
    let shown = |(place, part): (usize, &&str)| match parts.get(place + 1) {
        // The rest of a long key may contain an `@`.
        Some(after) if place % 2 == 1 && after.starts_with(".. (") && may_begin_login(part) => {
            "***".to_owned()
        }
        _ if place % 2 == 1 => masked_text(part),
        _ => (*part).to_owned(),
    };
    parts.iter().enumerate().map(shown).collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use clap::{Command, Parser};

    use super::*;
    use crate::arguments::Arguments;
    use crate::arguments::tests::all_commands;

    fn message(line: &str) -> String {
        let line: Vec<_> = line.split(' ').map(OsString::from).collect();
        message_of(&Arguments::try_parse_from(&line).unwrap_err(), &line)
    }

    #[test]
    fn hides_targets_at_any_place_of_the_command_line() {
        for line in [
            "fluo table list --at proxy:h:1 --password hunter2",
            "fluo table list --at proxy:h:1 --password=hunter2",
            "fluo table list --at proxy:h:1 --shared-secret=hunter2",
            "fluo oracle --pass hunter2 web",
            "fluo table list --at=proxy:hunter2@h:1",
            "fluo table list --at root:hunter2@h:1",
            "fluo table list --at proxy:root:hunter2:h:1",
            "fluo table list --at proxy:h:hunter2",
            "fluo table list --at proxy:root:hunter2%40h:1",
            "fluo table list --at root:hunter2:h:1",
            "fluo table list proxy:root:hunter2@h:1",
            "fluo table list --json=proxy:root:hunter2@h:1",
            "fluo table delete --no-such-option proxy:root:hunter2@h:1",
            "fluo notifications retry --at=proxy:root:hunter2@h:1 web r f:q",
            "fluo queue list --at proxy:root:hunter2@h:1 web",
            "fluo -v oracle --at proxy:root:hunter2@h:1 web",
            "fluo --at proxy:root:hunter2@h:1 queue list web",
            "fluo proxy:root:hunter2@h:1 queue list web",
            "fluo queue PROXY:root:hunter2@h:1 web",
            "fluo queue list --att:proxy:root:hunter2@h:1 web",
            "fluo table show -- --at proxy:root:hunter2@h:1",
        ] {
            let message = message(line);
            assert!(!message.contains("hunter2"), "{line}: {message}");
        }
        assert_eq!(
            message("fluo table list --at proxy:root:hunter2@h:1"),
            "error: remove the user and password from the target, which other users can read; set FLUO_USER and FLUO_PASSWORD\n"
        );
    }

    /// Covers a bug: `fluo queue` and `fluo oracle` repeated the password.
    #[test]
    fn no_command_repeats_a_password_of_its_target() {
        let with_target = |command: &Command| {
            let mut options = command.get_opts();
            options.any(|option| option.get_long() == Some("at"))
        };
        let all = all_commands();
        let commands = all.iter().filter(|(_, command)| with_target(command));
        assert!(commands.clone().count() > 30);
        for (words, _) in commands {
            for password in ["", "a@", "a:", "%40", "=", "é"] {
                for target in [
                    format!("proxy:root:{password}hunter2@h:1"),
                    format!("proxy:root:hunter2{password}@h:x:y"),
                    format!("proxy:h:hunter2{password}"),
                    format!("root:{password}hunter2@h:1"),
                ] {
                    for line in [
                        format!("fluo {words} --at {target} a b c"),
                        format!("fluo {words} --wrong --at={target}"),
                        format!("fluo {words} a -- --at {target} b c d"),
                    ] {
                        let message = message(&line);
                        assert!(!message.contains("hunter2"), "{line}: {message}");
                    }
                }
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_an_argument_that_is_not_text() {
        let wrong: OsString = std::os::unix::ffi::OsStringExt::from_vec(b"pag\xff".to_vec());
        for words in ["table show --at embedded:d", "app status --at embedded:d"] {
            let words = ["fluo"].into_iter().chain(words.split(' ')).map(OsString::from);
            let line: Vec<_> = words.chain([wrong.clone()]).collect();
            let message = message_of(&Arguments::try_parse_from(&line).unwrap_err(), &line);
            assert_eq!(message, "error: the argument `pag\\xff` is not UTF-8 text\n");
        }
        let target = b"proxy:root:hunter2\xff@h:1".to_vec();
        let target: OsString = std::os::unix::ffi::OsStringExt::from_vec(target);
        let line: Vec<_> = ["fluo", "table", "show"].into_iter().map(OsString::from).collect();
        let line: Vec<_> = line.into_iter().chain([target]).collect();
        let message = message_of(&Arguments::try_parse_from(&line).unwrap_err(), &line);
        assert_eq!(message, "error: the argument `***` is not UTF-8 text\n");
    }

    #[test]
    fn shows_other_arguments() {
        let found = message("fluo table list --at embedded:d pages");
        assert!(found.contains("unexpected argument 'pages'"), "{found}");
    }

    #[test]
    fn names_the_place_of_the_target() {
        let tip = "\n\n  tip: write --at after the whole command, or set FLUO_AT for all commands\n\nUsage:";
        for line in ["fluo --at embedded:d table list", "fluo table --at=embedded:d list"] {
            let found = message(line);
            assert!(found.contains(tip), "{found}");
        }
        assert!(!message("fluo demo --at embedded:d").contains(tip));
    }

    #[test]
    fn names_the_numbers_that_are_possible() {
        for (line, expected) in [
            ("fluo scan --limit x", "'x' for '--limit <COUNT>': write a whole number"),
            ("fluo advise --servers 0 keys", "0 is not a number from 1 on\n"),
            ("fluo advise --tablets 0 keys", "0 is not a number from 1 to 65,536\n"),
            ("fluo top --count 0", "0 is not a number from 1 on\n"),
            (
                "fluo monitor --listen localhost:1",
                "write an IP address and a port up to 65535, such",
            ),
            (
                "fluo monitor --listen [::1]:99999",
                "write an IP address and a port up to 65535, such",
            ),
        ] {
            let found = message(line);
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn masks_possible_passwords() {
        for (key, shown) in [
            (&b"db://user:secret@x\n"[..], r"***@x\x0a"),
            (b"db://a:b@c@d", "***@d"),
            (b"https://token@host/a", "***@host/a"),
            (b"https://user:secret@host:80/@alice", "***@alice"),
            (b"https://user:sec/ret@host", "***@host"),
            (b"https://user:s@c/ret@host", "***@host"),
            (b"https://user:1234/abc@host", "***@host"),
            (b"https://user:/abc@host", "***@host"),
            (b"Proxy:root:secret@h:1", "***@h:1"),
            (b"https://a.example:80/?next=https://user:secret@host", "***@host"),
        ] {
            assert_eq!(masked(key), shown);
        }
        assert_eq!(
            masked_quotes("`db://u:secret@x` has no time: the text before `@` is `a://b:c@number`"),
            "`***@x` has no time: the text before `@` is `***@number`"
        );
    }

    #[test]
    fn shows_mail_addresses_and_paths() {
        for key in [
            "abc",
            "alice@example.com",
            "mailto:joe@example.com",
            "u:joe@example.com",
            "2026-01-01T10:00:00 joe@example.com",
            "@a",
            "a@b@c",
            "a://@b",
            "https://a.example/@alice",
            "https://a.example/?q=x:y@z",
        ] {
            assert_eq!(masked(key.as_bytes()), key);
        }
        let long = "the row `user:joe`.. (60 of 100 bytes) has no time";
        assert_eq!(masked_quotes(long), long);
        assert_eq!(masked_quotes("no time: `alice@example.com`"), "no time: `alice@example.com`");
    }

    /// Covers a bug: a backtick in a key swapped the quoted and the other texts.
    #[test]
    fn masks_keys_with_backticks() {
        for sentence in ["`db://u:hunt`er2@h` has no time", "`a`u:hunter2@h`b` has no time"] {
            let shown = masked_quotes(sentence);
            assert!(shown.starts_with("***@h`") && !shown.contains("hunt"), "{shown}");
        }
    }

    /// Covers a bug: the start of a long login has no `@`.
    #[test]
    fn masks_the_start_of_a_login() {
        let key = format!("https://oauth2:{}@host", "x".repeat(80));
        let (start, _) = key.split_at(60);
        let sentence = format!("the row `{start}`.. (60 of 100 bytes) has no time");
        assert_eq!(masked_quotes(&sentence), "the row `***`.. (60 of 100 bytes) has no time");
        let shown = |start: &str| masked_start(start.as_bytes(), [key.as_bytes()].into_iter());
        assert_eq!([shown(start), shown(&key)], ["***", "***@host"]);
        assert_eq!(
            masked_start(b"https://a", [&b"https://ab.example"[..]].into_iter()),
            "https://a"
        );
    }
}
