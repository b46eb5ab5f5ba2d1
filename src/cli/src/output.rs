//! Standard output and standard error.
//!
//! Names, properties and messages can come from a table or a file of another user. Text for a
//! person is therefore printed without characters that control a terminal; data for a program is
//! exact.

use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

use crate::color::{self, Stream};
use crate::mode::is_quiet;
use crate::{layout, progress};

pub(crate) use crate::mode::is_json;

pub(crate) const CANNOT_WRITE: &str = "cannot write to standard output";

/// Formats lines for a person, and prints them.
macro_rules! show {
    ($($text:tt)*) => { $crate::output::print(&format!($($text)*)) };
}

/// Formats a line for a person, and prints it to standard error.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::say(&format!($($text)*)) };
}

/// Formats a line for a person, and prints it to standard error, also in a quiet run.
macro_rules! complain {
    ($($text:tt)*) => { $crate::output::complain(&format!($($text)*)) };
}

/// Prints lines for a person; nothing if the text is empty.
pub(crate) fn print(lines: &str) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    print_exactly(&rendered(lines))
}

/// Paints and wraps lines for a person, as [`print`] does.
pub(crate) fn rendered(lines: &str) -> String {
    let lines = escaped(lines, true, as_escape);
    Stream::Output.finish(&laid_out(&lines, layout::output_width()))
}

/// Prints lines for a person to standard error. Ignores a closed standard error.
pub(crate) fn complain_lines(lines: &str) {
    let lines = escaped(lines, true, as_escape);
    complain_exactly(&Stream::Error.finish(&laid_out(&lines, layout::error_width())));
}

/// Paints and wraps lines for a person.
fn laid_out(lines: &str, width: Option<usize>) -> String {
    let laid_out = |line| {
        let line = color::with_beginning_painted(line);
        width.map_or_else(|| line.clone(), |width| layout::wrapped(&line, width))
    };
    lines.split('\n').map(laid_out).collect::<Vec<_>>().join("\n")
}

/// Prints data for a program. A closed output, as with `head`, does not stop the work.
pub(crate) fn print_exactly(data: &str) -> Result<()> {
    emit(data).or_else(|error| if is_broken_pipe(&error) { Ok(()) } else { Err(error) })
}

/// Prints a line of an endless output. A closed output is an error, which ends the command.
pub(crate) fn emit(line: &str) -> Result<()> {
    write(format!("{line}\n").as_bytes())
}

/// Prints whole lines of data unchanged. A closed output is an error, which ends the command.
pub(crate) fn write(lines: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(lines).and_then(|()| stdout.flush()).context(CANNOT_WRITE)
}

/// Checks whether standard output is closed.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_of_output = error.chain().any(|cause| cause.to_string() == CANNOT_WRITE);
    let cause = error.downcast_ref::<io::Error>();
    is_of_output && cause.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Prints a document in JSON, whose data is a structure.
pub(crate) fn print_json(data: &impl Serialize) -> Result<()> {
    print_exactly(&json_without_controls(&serde_json::to_string_pretty(&document(data)?)?))
}

/// Formats a document in JSON as one line.
pub(crate) fn json_line(data: &impl Serialize) -> Result<String> {
    Ok(json_without_controls(&serde_json::to_string(&document(data)?)?))
}

/// Prints the result of a command that only acts; nothing unless as JSON.
pub(crate) fn print_result(data: &Value) -> Result<()> {
    if is_json() { print_json(data) } else { Ok(()) }
}

/// Prints a line of an endless output for a person, or as JSON the data of the line.
pub(crate) fn emit_either(line: &str, data: &impl Serialize) -> Result<()> {
    if is_json() { emit(&json_line(data)?) } else { emit(&rendered(line)) }
}

/// Adds the version of the format, unless the data has its own as a saved plan.
fn document(data: &impl Serialize) -> Result<Value> {
    let mut document = json!({ "format": JSON_FORMAT });
    match (&mut document, serde_json::to_value(data)?) {
        (Value::Object(document), Value::Object(fields)) => document.extend(fields),
        (_, data) => bail!("the data of a document is not a structure: {data}"),
    }
    Ok(document)
}

pub(crate) fn add(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Value::Object(fields) = object {
        fields.insert(name.to_owned(), value.into());
    }
}

/// Escapes characters that control a terminal, which occur only within strings.
fn json_without_controls(json: &str) -> String {
    let units = |c: char| c.encode_utf16(&mut [0; 2]).to_vec();
    escaped(json, true, |c| units(c).iter().map(|unit| format!("\\u{unit:04x}")).collect())
}

/// The version of the documents in JSON, which is the first field of each.
pub(crate) const JSON_FORMAT: u32 = 1;

/// Prints a note to standard error, unless notes are left out.
pub(crate) fn say(line: &str) {
    if !is_quiet() {
        complain(line);
    }
}

/// Prints a line for a person to standard error. Ignores a closed standard error.
pub(crate) fn complain(line: &str) {
    complain_exactly(&Stream::Error.finish(&laid_out(&shown(line), layout::error_width())));
}

/// Prints a line to standard error unchanged. Ignores a closed standard error.
pub(crate) fn complain_exactly(line: &str) {
    // In one write, because other processes may write to the same terminal.
    let line = format!("{line}\n");
    progress::above(|| {
        let _ = io::stderr().lock().write_all(line.as_bytes());
    });
}

/// Escapes characters that control a terminal, for text within a line.
pub(crate) fn shown(text: &str) -> String {
    escaped(&text.replace(color::is_mark, "\u{fffd}"), false, as_escape)
}

fn as_escape(c: char) -> String {
    c.escape_default().to_string()
}

fn escaped(text: &str, has_lines: bool, escape: impl Fn(char) -> String) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) && !(has_lines && c == '\n') {
            shown += &escape(c);
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Checks whether a terminal interprets the character: control characters, marks that change the
/// text direction, invisible characters, and line separators.
pub(crate) fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_characters_that_control_a_terminal() {
        assert_eq!(shown("a\x1b[31m\nb\u{9b}é\\Q"), r"a\u{1b}[31m\nb\u{9b}é\Q");
        assert_eq!(escaped("a\nb\r", true, as_escape), "a\nb\\r");
        assert_eq!(
            shown("a\u{202e}b\u{2066}\u{200f}\u{feff}\u{e0041}"),
            r"a\u{202e}b\u{2066}\u{200f}\u{feff}\u{e0041}"
        );
    }

    #[test]
    fn escaped_json_keeps_its_meaning() {
        let text = "é\u{9b}\u{202e}\u{e0041}\u{1b}\n\\";
        let shown = json_line(&json!({ "text": text })).unwrap();
        assert_eq!(shown, r#"{"format":1,"text":"é\u009b\u202e\udb40\udc41\u001b\n\\"}"#);
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap()["text"], text);
    }
}
