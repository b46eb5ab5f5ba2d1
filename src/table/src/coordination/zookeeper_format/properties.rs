//! Settings as the text of a Java properties file.
//!
//! ```text
//! #Shared java props
//! name=value
//! ```
//!
//! The bytes are Latin-1 and, as Java writes them, all ASCII: any other character is written as
//! `\uXXXX` for each of its 16-bit units. A backslash precedes `:`, `=`, `#`, `!` and `\`, every
//! blank of a name, and a blank at the start of a value. The reader accepts everything that Java
//! accepts: comments, continued lines, other separators. (The existing crates cannot read
//! characters beyond 16 bits, which Java writes as two units.)

use std::collections::BTreeMap;
use std::fmt::Write;
use std::iter::Peekable;

use crate::error::{Error, Result};

/// The first line that Fluo writes. Java adds a line with the date, which no reader uses.
const COMMENT: &str = "#Shared java props\n";

pub(super) fn encode(settings: &BTreeMap<String, String>) -> Vec<u8> {
    let mut text = COMMENT.to_owned();
    for (name, value) in settings {
        push(&mut text, name, true);
        text.push('=');
        push(&mut text, value, false);
        text.push('\n');
    }
    text.into_bytes()
}

fn push(into: &mut String, text: &str, is_name: bool) {
    for (index, c) in text.chars().enumerate() {
        match c {
            ' ' if is_name || index == 0 => into.push_str("\\ "),
            '\t' => into.push_str("\\t"),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\u{c}' => into.push_str("\\f"),
            '=' | ':' | '#' | '!' | '\\' => into.extend(['\\', c]),
            ' '..='~' => into.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string does not fail.
                    let _ = write!(into, "\\u{unit:04X}");
                }
            }
        }
    }
}

/// Returns the settings in the bytes of a properties file. If a name occurs twice, its last value
/// is in force.
pub(super) fn decode(bytes: &[u8]) -> Result<BTreeMap<String, String>> {
    Ok(pairs(bytes)?.into_iter().collect())
}

/// Returns the names and values in their order.
pub(super) fn pairs(bytes: &[u8]) -> Result<Vec<(String, String)>> {
    let text: String = bytes.iter().copied().map(char::from).collect();
    let mut natural = text.split(['\n', '\r']).map(|line| line.trim_start_matches(BLANKS));
    let mut settings = Vec::new();
    while let Some(first) = natural.next() {
        if first.is_empty() || first.starts_with(['#', '!']) {
            continue;
        }
        let mut line = first.to_owned();
        while is_continued(&line) {
            line.pop();
            match natural.next() {
                Some(more) => line.push_str(more),
                None => break,
            }
        }
        let (name, value) = split(&line);
        settings.push((unescape(name)?, unescape(value)?));
    }
    Ok(settings)
}

/// The characters that Java treats as blanks.
const BLANKS: [char; 3] = [' ', '\t', '\u{c}'];

/// Checks whether a line ends with a backslash that is not itself escaped.
fn is_continued(line: &str) -> bool {
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    !backslashes.is_multiple_of(2)
}

/// Splits a line into name and value, both still escaped: the name ends at the first blank, `=` or
/// `:` that is not escaped.
fn split(line: &str) -> (&str, &str) {
    let mut is_escaped = false;
    let end = line.find(|c: char| {
        let ends = !is_escaped && (BLANKS.contains(&c) || matches!(c, '=' | ':'));
        is_escaped = !is_escaped && c == '\\';
        ends
    });
    let (name, rest) = line.split_at_checked(end.unwrap_or(line.len())).unwrap_or((line, ""));
    let rest = rest.trim_start_matches(BLANKS);
    (name, rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(BLANKS))
}

fn unescape(text: &str) -> Result<String> {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let c = match c {
            '\\' => match rest.next() {
                Some('u') => {
                    units.push(unit(&mut rest).ok_or_else(|| {
                        Error::corrupt("a setting contains `\\u` without four hex digits after it")
                    })?);
                    continue;
                }
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('f') => '\u{c}',
                Some(other) => other,
                None => continue,
            },
            plain => plain,
        };
        units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16(&units).map_err(|_| Error::corrupt("a setting contains half of a character"))
}

fn unit(digits: &mut Peekable<impl Iterator<Item = char>>) -> Option<u16> {
    (0..4).try_fold(0_u16, |unit, _| {
        let digit = digits.next()?.to_digit(16)?;
        Some(unit << 4 | u16::try_from(digit).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settings<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    /// The second lines are the output of `java.util.Properties.store` of Java 17.
    #[test]
    fn writes_settings_as_java_does() {
        for (name, value, line) in [
            ("fluo.app.a", "1", "fluo.app.a=1"),
            ("a b", " c d", r"a\ b=\ c d"),
            ("a=b:c#d!e", "a=b:c#d!e", r"a\=b\:c\#d\!e=a\=b\:c\#d\!e"),
            ("path", r"C:\x", r"path=C\:\\x"),
            ("é", "\t\n\r\u{c}\u{1}~\u{7f}", r"\u00E9=\t\n\r\f\u0001~\u007F"),
            ("emoji", "😀", r"emoji=\uD83D\uDE00"),
            ("none", "", "none="),
        ] {
            let bytes = encode(&settings([(name, value)]));
            let text = format!("#Shared java props\n{line}\n");
            assert_eq!(String::from_utf8(bytes.clone()).unwrap(), text);
            assert_eq!(decode(&bytes).unwrap(), settings([(name, value)]));
        }
    }

    #[test]
    fn reads_everything_that_java_reads() {
        let text = "#Shared java props\r\n#Sat Feb 03 10:00:00 UTC 2018\n! more\n\n  a = 1\nb:2\nc 3\nd\n\
                    e=x\\\n   y\\\\\nf\\ g  :  h \ni=first\ni=\\q\\u00e9é\nlast=end\\";
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        let expected = settings([
            ("a", "1"),
            ("b", "2"),
            ("c", "3"),
            ("d", ""),
            ("e", "xy\\"),
            ("f g", "h "),
            ("i", "qéé"),
            ("last", "end"),
        ]);
        assert_eq!(decode(&bytes).unwrap(), expected);
    }

    #[test]
    fn rejects_the_input_that_java_rejects() {
        for (text, expected) in [
            (r"a=\u12", "a setting contains `\\u` without four hex digits after it"),
            (r"a=\u12g4", "a setting contains `\\u` without four hex digits after it"),
            (r"a=\uD83D", "a setting contains half of a character"),
        ] {
            let error = decode(text.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Corrupt);
            assert_eq!(error.to_string(), expected);
        }
    }

    proptest! {
        #[test]
        fn any_settings_survive_a_round_trip(settings in any::<BTreeMap<String, String>>()) {
            let bytes = encode(&settings);
            prop_assert!(bytes.is_ascii());
            prop_assert_eq!(decode(&bytes).unwrap(), settings);
        }

        #[test]
        fn any_bytes_are_read_or_rejected(bytes in any::<Vec<u8>>()) {
            if let Ok(settings) = decode(&bytes) {
                prop_assert_eq!(decode(&encode(&settings)).unwrap(), settings);
            }
        }
    }
}
