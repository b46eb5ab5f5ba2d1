#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]
//! What a machine lacks is said in one sentence, with what to install and what runs without it, before anything is
//! compiled.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use tempfile::TempDir;

const JAVA: &str = "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2";
const OLD_JAVA: &str = "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2";
const BROKEN: &str = "exit 1";
const MAVEN: &str = "echo 'Apache Maven 3.8.7'";
const BROWSER: &str = "exit 0";
/// It says that its code is what is checked in. Its fifth argument is the folder to write to.
const THRIFT: &str = concat!(
    "case $1 in --version) echo 'Thrift version 0.17.0' ;; *) /bin/cp ",
    env!("CARGO_MANIFEST_DIR"),
    "/../../src/accumulo-proxy/src/wire/generated.rs \"$5/proxy.rs\" ;; esac"
);
const OTHER_THRIFT: &str =
    "case $1 in --version) echo 'Thrift version 0.17.0' ;; *) echo other > \"$5/proxy.rs\" ;; esac";

const NO_JAVA: &str = "error: the live tests need Java 17 or later: install it (Debian: apt install \
    openjdk-17-jre-headless), or run `cargo xtask test --without-accumulo` for the rest";
const NO_MAVEN: &str = "error: the live tests need Maven: install it (Debian: apt install maven), or run \
    `cargo xtask test --without-accumulo` for the rest";

/// A machine with nothing but these commands.
struct Machine(TempDir);

impl Machine {
    fn with(commands: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, script) in commands {
            let file = folder.path().join(name);
            fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(folder)
    }

    fn run(&self, task: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(task)
            .env("PATH", self.0.path())
            .env("CARGO", self.0.path().join("cargo"))
            .output()
            .unwrap()
    }

    /// What a task says when it fails, as it must. Where cargo is not there either, what would run it says so.
    fn refuses(&self, task: &[&str]) -> String {
        let output = self.run(task);
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap().trim().to_owned()
    }
}

/// What a task says when it has begun with the lints.
fn begins(said: &str) -> bool {
    said.starts_with("> cargo fmt") && said.contains("error: cargo cannot be run")
}

#[test]
fn without_java() {
    for commands in [&[("mvn", MAVEN)][..], &[("mvn", MAVEN), ("java", BROKEN)]] {
        let machine = Machine::with(commands);
        assert_eq!(machine.refuses(&["test"]), NO_JAVA);
        assert_eq!(machine.refuses(&["cluster", "start"]), NO_JAVA);
    }
}

#[test]
fn with_a_java_that_is_too_old() {
    let machine = Machine::with(&[("java", OLD_JAVA), ("mvn", MAVEN)]);
    let said = "error: Java 11 is too old for the live tests: install Java 17 or later (Debian: apt install \
        openjdk-17-jre-headless), or run `cargo xtask test --without-accumulo` for the rest";
    assert_eq!(machine.refuses(&["test"]), said);
    assert_eq!(machine.refuses(&["cluster", "start"]), said);
}

#[test]
fn without_maven() {
    for commands in [&[("java", JAVA)][..], &[("java", JAVA), ("mvn", BROKEN)]] {
        let machine = Machine::with(commands);
        assert_eq!(machine.refuses(&["test"]), NO_MAVEN);
        assert_eq!(machine.refuses(&["cluster", "start"]), NO_MAVEN);
    }
}

#[test]
fn without_a_browser() {
    let machine = Machine::with(&[("java", JAVA), ("mvn", MAVEN)]);
    let said = "error: the tests of reports open them in a browser: install Chromium (Debian: apt install \
        chromium-headless-shell), or run `cargo xtask test --without-browser` for the rest";
    assert_eq!(machine.refuses(&["test"]), said);
}

#[test]
fn what_is_said_to_run_without_them_does() {
    let machine = Machine::with(&[("chromium", BROWSER)]);
    let said = machine.refuses(&["test", "--without-accumulo"]);
    assert!(begins(&said), "{said}");
    let machine = Machine::with(&[("java", JAVA), ("mvn", MAVEN)]);
    let said = machine.refuses(&["test", "--without-browser"]);
    assert!(begins(&said), "{said}");
}

#[test]
fn integration_checks_the_generated_code_and_then_does_what_test_does() {
    let all = [("java", JAVA), ("mvn", MAVEN), ("chromium", BROWSER)];
    let with_thrift = |thrift| Machine::with(&[&all[..], &[("thrift", thrift)]].concat());
    let said = "error: the Thrift compiler 0.17 is needed for the generated code: install it (Debian: apt install \
        thrift-compiler)";
    assert_eq!(Machine::with(&all).refuses(&["ci"]), said);
    let said = "error: src/accumulo-proxy/src/wire/generated.rs is not what src/accumulo-proxy/idl/proxy.thrift says: \
        run `cargo xtask generate` and commit the result";
    assert_eq!(with_thrift(OTHER_THRIFT).refuses(&["ci"]), said);

    let said = with_thrift(THRIFT).refuses(&["ci"]);
    assert!(begins(&said), "{said}");
    let machine = Machine::with(&[("thrift", THRIFT)]);
    assert_eq!(machine.refuses(&["ci"]), NO_JAVA);
}

/// What the command does is tested in its package.
#[test]
fn the_cluster_is_that_of_its_package() {
    let machine = Machine::with(&[("java", JAVA), ("mvn", MAVEN), ("cargo", "echo \"$@\"")]);
    for name in ["start", "stop", "status"] {
        let output = machine.run(&["cluster", name]);
        assert!(output.status.success());
        let ran = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            ran,
            format!("run --quiet --package fluo-cluster -- {name}\n")
        );
    }
    let machine = Machine::with(&[("cargo", "exit 3")]);
    let said = machine.refuses(&["cluster", "status"]);
    assert_eq!(said, "error: `cargo xtask cluster status` failed");
}
