//! `fluo key explain` describes each part of a key.

use crate::command::{Place, assert_says};

#[test]
fn notes_the_even_formula_on_standard_error() {
    let place = Place::new();
    let run = place
        .fluo("key explain --prefix p --tablets 1297 p:1yl0:org.wikipedia/accumulo")
        .succeeds();
    assert_says(run.text(), "of 1297: after ");
    assert_eq!(
        run.stderr,
        "note: at 1297 tablets Fluo's split formula would leave the last one too small; the even formula is used\n"
    );
}

#[test]
fn reads_encoded_keys_and_escapes_the_output() {
    let place = Place::new();
    let run = place
        .fluo("key explain --prefix p --encoding hex 703a697a6c783a00ff0a3a")
        .succeeds();
    assert_says(run.text(), r"\x00\xff\x0a:");
    let run = place
        .fluo("key explain --prefix p --encoding base64 cDppemx4OgD/Cjo=")
        .succeeds();
    assert_says(run.text(), r"\x00\xff\x0a:");
}

#[cfg(unix)]
#[test]
fn accepts_keys_that_are_not_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = Place::new();
    let key = place
        .fed("key add --prefix p", b"\xff\x1b\n")
        .succeeds()
        .stdout;
    let key = OsStr::from_bytes(key.trim_ascii_end());
    let arguments = ["key", "explain", "--prefix", "p"].map(OsStr::new);
    let run = place.with(arguments.into_iter().chain([key])).succeeds();
    assert_says(run.text(), r":\xff\x1b");
}
