//! `fluo key add` converts rows to keys.

use std::fs::File;
use std::process::Stdio;

use crate::command::{Place, assert_says};

#[test]
fn makes_the_same_keys_as_java_fluo() {
    let place = Place::new();
    let row = "org.wikipedia/accumulo\n";
    place
        .fed("key add --prefix p", row)
        .prints("p:1yl0:org.wikipedia/accumulo\n");
    place
        .fed(
            "key add --design row-hasher,prefix=p,scheme=murmur3-base36",
            row,
        )
        .prints("p:1yl0:org.wikipedia/accumulo\n");
    place
        .fed("key add --design row-hasher,prefix=p", row)
        .prints("p:1yl0:org.wikipedia/accumulo\n");
}

#[test]
fn a_row_is_a_line_without_its_newline() {
    let place = Place::new();
    let keys = |input: &[u8]| place.fed("key add --prefix p", input).succeeds().stdout;
    assert_eq!(keys(b""), b"");
    assert_eq!(keys(b"\n"), b"p:0000:\n", "the empty row");
    assert_eq!(
        keys(b"a"),
        keys(b"a\n"),
        "a last line without a newline is a line"
    );
    assert_eq!(keys(b"a\nb\n").split(|byte| *byte == b'\n').count(), 3);
    assert!(
        keys(b"a\r\n").ends_with(b":a\r\n"),
        "a carriage return belongs to the row"
    );
    assert!(keys(b"a:b:c\n").ends_with(b":a:b:c\n"));
    assert!(
        keys(b"\0\xff\xc3\n").ends_with(b":\0\xff\xc3\n"),
        "a row is bytes"
    );
}

#[test]
fn encodes_rows_that_text_cannot_show() {
    let place = Place::new();
    // NUL, 0xff, newline, colon; then an empty line, which is the empty row.
    place
        .fed("key add --prefix p --encoding hex", "00fF0a3a\n\n")
        .prints("703a697a6c783a00ff0a3a\n703a303030303a\n");
    place
        .fed("key add --prefix p --encoding base64", "AP8KOg==\n\n")
        .prints("cDppemx4OgD/Cjo=\ncDowMDAwOg==\n");
}

#[test]
fn remove_restores_every_row() {
    let place = Place::new();
    let megabyte = "x:y".repeat(350_000);
    let text = format!("\na\n\r\n:\n::p:1yl0:\n{megabyte}\n");
    let hex = format!("\n00\nff\n0a\n3a\n{}\n", "0aff003a".repeat(1 << 18));
    for scheme in ["murmur3-base36", "sha1-base32"] {
        for (encoding, rows) in [("text", &text), ("hex", &hex)] {
            let arguments =
                format!("--design row-hasher,prefix=p:x,scheme={scheme} --encoding {encoding}");
            let keys = place.fed(&format!("key add {arguments}"), rows).succeeds();
            assert_eq!(keys.stderr, "");
            place
                .fed(&format!("key remove {arguments}"), keys.stdout)
                .prints(rows);
        }
    }
}

#[test]
fn stops_at_a_line_with_a_wrong_encoding() {
    let place = Place::new();
    let run = place.fed("key add --prefix p --encoding hex", "00\n0\n00\n");
    assert_eq!(
        run.stdout,
        b"703a347763373a00\n".as_slice(),
        "what came before is written"
    );
    assert_eq!(run.code, Some(2));
    assert_says(
        &run.error(),
        "line 2: it is not hex: two of 0-9a-f for each byte (invalid length at 0)",
    );

    let message = place
        .fed("key add --prefix p --encoding hex", "0g\n")
        .fails();
    assert_says(
        &message,
        "line 1: it is not hex: two of 0-9a-f for each byte (invalid symbol at 1)",
    );
    let message = place
        .fed("key add --prefix p --encoding base64", "AP8KOg\n")
        .fails();
    assert_says(&message, "line 1: it is not base64 with its padding");
}

#[test]
fn a_prefix_with_a_newline_needs_an_encoding() {
    let place = Place::new();
    let mut command = place.command(["key", "add", "--prefix", "a\nb"]);
    place.file("rows", "x\n");
    let output = command
        .stdin(File::open(place.path("rows")).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: the prefix of this row-hasher design contains a newline, and so does every key, which a line of text cannot \
         show; use --encoding hex or base64\n"
    );
}

/// Covers a bug: the message blamed the first line of the input.
#[test]
fn reports_a_separator_with_a_newline_without_a_line_number() {
    let place = Place::new();
    place.file("rows", "x|1\n");
    for (design, separator) in [
        ("modulo", "separator"),
        ("digest-salt", "separator"),
        ("reverse-time", "salt.design=modulo,salt.separator"),
    ] {
        let argument = format!("{design},{separator}=\n");
        let mut command = place.command(["key", "add", "--design", &argument]);
        let output = command
            .stdin(File::open(place.path("rows")).unwrap())
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            format!(
                "error: the separator of this {design} design contains a newline, and so does every key, which a line of \
                 text cannot show; use --encoding hex or base64\n"
            )
        );
    }
}

#[test]
fn refuses_an_endless_line() {
    let place = Place::new();
    let endless = File::create_new(place.path("zeros")).unwrap();
    endless.set_len((1 << 28) + 1).unwrap();
    let mut command = place.command(["key", "add", "--prefix", "p"]);
    let output = command
        .stdin(File::open(place.path("zeros")).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        message,
        "error: line 1: it is longer than 33554432 bytes, which no row is; rows are separated by newlines\n"
    );
}

#[test]
fn reports_unreadable_input() {
    let place = Place::new();
    let mut command = place.command(["key", "add", "--prefix", "p"]);
    let output = command
        .stdin(File::open(place.path("tmp")).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_says(
        &String::from_utf8(output.stderr).unwrap(),
        "error: cannot read the rows: ",
    );
}

/// Sends an input that is far larger than the memory that the shell allows the process.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let place = Place::new();
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -v 65536; exec \"$0\" key add --prefix p";
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_fluo")])
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let rows = format!("{}\n", "x".repeat(1_000)).repeat(1_000);
    for _ in 0..80 {
        std::io::Write::write_all(&mut stdin, rows.as_bytes()).unwrap();
    }
    drop(stdin);
    crate::command::ended(child).succeeds();
    drop(place);
}

#[test]
fn rejects_wrong_arguments() {
    let place = Place::new();
    let message = place.fluo("key add").refuses_arguments();
    assert_says(&message, "required arguments were not provided");
    assert_says(&message, "--prefix");
    let message = place.with(["key", "add", "--prefix", ""]).fails();
    assert_eq!(
        message,
        "the prefix of a row hasher is empty: give at least one character, such as `p`"
    );
    let message = place
        .fluo("key add --design row-hasher,prefix=p,scheme=md5")
        .fails();
    assert_says(
        &message,
        "unknown variant `md5`, expected `murmur3-base36` or `sha1-base32`, at `scheme=md5` of --design: ",
    );
    let message = place
        .fluo("key add --prefix p --encoding rot13")
        .refuses_arguments();
    assert_says(&message, "[possible values: text, hex, base64]");
    let message = place
        .fluo("key add --prefix p --design modulo")
        .refuses_arguments();
    assert_says(&message, "cannot be used with");
    let message = place
        .fluo("key add --prefix p --prefix q")
        .refuses_arguments();
    assert_says(&message, "cannot be used multiple times");
    let message = place
        .fluo("key add --prefix p rows.txt")
        .refuses_arguments();
    assert_says(&message, "unexpected argument 'rows.txt'");
}
