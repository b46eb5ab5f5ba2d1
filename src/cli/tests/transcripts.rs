//! The transcripts in `tests/cmd`: commands with their whole output and exit code.
//!
//! A transcript shows standard output and standard error as one, and every backslash as `/`.

#![cfg(test)]
#![cfg(unix)]

mod command;

use std::path::PathBuf;

use command::{Place, VARIABLES};

/// The numbers in messages, such as `(os error 2)`, are those of Unix.
#[test]
fn transcripts() {
    let place = Place::new();
    assert!(std::fs::read_dir("tests/cmd").unwrap().count() > 10);
    let cases = trycmd::TestCases::new();
    // An empty variable counts as unset, except the location.
    for name in VARIABLES.into_iter().filter(|name| *name != "FLUO_AT") {
        cases.env(name, "");
    }
    let fluo = PathBuf::from(env!("CARGO_BIN_EXE_fluo"));
    let folder = fluo.parent().unwrap().to_str().unwrap();
    let path = std::env::var("PATH").unwrap();
    cases
        .env("PATH", format!("{folder}:{path}"))
        .env("TMPDIR", place.path("tmp").to_str().unwrap())
        .env("FLUO_CONFIG", "none.toml")
        .register_bin("fluo", fluo)
        // For commands with standard input.
        .register_bin("sh", PathBuf::from("/bin/sh"))
        .case("tests/cmd/*.trycmd")
        .run();
}
