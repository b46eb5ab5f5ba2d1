//! Standard output and standard error.
//!
//! Names, properties and messages can come from a table or a file that somebody else wrote. What goes to a person
//! is therefore printed without characters that a terminal would obey; what goes to a program is exact.

use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};
use serde::Serialize;

/// Prints lines for a person.
pub(crate) fn print(lines: &str) -> Result<()> {
    print_exactly(&without_controls(lines, |c| c == '\n'))
}

/// Prints data for a program, and a newline.
///
/// A reader that has had enough (`| head`) neither stops the work nor changes how it ends.
pub(crate) fn print_exactly(data: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(data.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"));
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context(CANNOT_WRITE),
    }
}

/// Prints a line of an output that has no end by itself. A reader that has had enough is an error, which ends it.
pub(crate) fn emit(line: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")
        .and_then(|()| stdout.flush())
        .context(CANNOT_WRITE)
}

/// Prints whole lines of data as they are. A reader that has had enough is an error, which ends it.
pub(crate) fn write(lines: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(lines)
        .and_then(|()| stdout.flush())
        .context(CANNOT_WRITE)
}

/// Prints data as JSON.
pub(crate) fn print_json(data: &impl Serialize) -> Result<()> {
    print_exactly(&json_without_controls(&serde_json::to_string_pretty(data)?))
}

/// Data as JSON on a line.
pub(crate) fn json_line(data: &impl Serialize) -> Result<String> {
    Ok(json_without_controls(&serde_json::to_string(data)?))
}

/// The same JSON. What a terminal would obey stands in strings only, and is escaped there as JSON escapes it.
fn json_without_controls(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if c != '\n' && is_obeyed(c) => {
                let mut units = [0; 2];
                let units = c.encode_utf16(&mut units).iter();
                shown.extend(units.map(|unit| format!("\\u{unit:04x}")));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Says a line to the person at the terminal. If standard error is gone there is nobody to tell.
pub(crate) fn say(line: &str) {
    // In one piece: other processes may write to the same terminal.
    let line = format!("{}\n", shown(line));
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// Text as it may stand within a line for a person: without characters that a terminal would obey.
pub(crate) fn shown(text: &str) -> String {
    without_controls(text, |_| false)
}

/// What is said where standard output fails.
pub(crate) const CANNOT_WRITE: &str = "cannot write to standard output";

fn without_controls(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) && !is_kept(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Whether a terminal would do something else than show it: control characters, those that turn the direction of what
/// follows, those that cannot be seen, and other ends of lines.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A count as people read it: `29,599`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A length as a count.
pub(crate) fn count_of(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// `1 row`, `2 rows`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_and_not_sent() {
        assert_eq!(shown("a\x1b[31m\nb\u{9b}é\\Q"), r"a\u{1b}[31m\nb\u{9b}é\Q");
        assert_eq!(without_controls("a\nb\r", |c| c == '\n'), "a\nb\\r");
        assert_eq!(
            shown("a\u{202e}b\u{2066}\u{200f}\u{feff}\u{e0041}"),
            r"a\u{202e}b\u{2066}\u{200f}\u{feff}\u{e0041}"
        );
    }

    #[test]
    fn json_is_the_same_for_a_program() {
        let text = "é\u{9b}\u{202e}\u{e0041}\u{1b}\n\\";
        let shown = json_line(&text).unwrap();
        assert_eq!(shown, r#""é\u009b\u202e\udb40\udc41\u001b\n\\""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (29_599, "29,599"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(count), text);
        }
        assert_eq!(
            (plural(1, "row"), plural(2, "row")),
            ("1 row".to_owned(), "2 rows".to_owned())
        );
    }
}
