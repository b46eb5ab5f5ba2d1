#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]
//! Tests a regression: on a machine with only a Rust toolchain, `cargo xtask test` stopped at once
//! because no browser was installed, then for Java, then for Maven. Now it runs every part whose
//! tools are installed, lists the skipped parts with the commands that install their tools, and
//! installs tools itself only if no part may be skipped.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

const JAVA: (&str, &str) = ("java", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2");
const OLD_JAVA: (&str, &str) = ("java", "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2");
const MAVEN: (&str, &str) = ("mvn", "echo 'Apache Maven 3.8.7'");
const BROWSER: (&str, &str) = ("chromium", "echo 'Chromium 140.0.7339.80'");
/// A cargo with both components, with programs, and with a cluster that starts.
const CARGO: (&str, &str) = (
    "cargo",
    "case \"$*\" in *hold*) echo ready; /bin/cat ;; *--no-run*) /bin/cat \"$0-programs\" ;; esac",
);
/// A cargo as `rustup` installs it with its profile `minimal`.
const MINIMAL_CARGO: (&str, &str) = (
    "cargo",
    "case $1-$2 in fmt-*|clippy-*) [ -e \"$0-$1\" ] || exit 1 ;; esac; \
     case \"$*\" in *hold*) echo ready; /bin/cat ;; *--no-run*) /bin/cat \"$0-programs\" ;; esac",
);
const RUSTUP: (&str, &str) = (
    "rustup",
    "echo \"$@\"; shift 2; for name; do /usr/bin/touch \"${0%/*}/cargo-${name%rust}\"; done; \
     /usr/bin/touch \"${0%/*}/cargo-fmt\"",
);
/// The variables that tell tests which parts to skip and which cluster to use.
const VARIABLES: [&str; 3] = [
    "FLUO_WITHOUT_ACCUMULO",
    "FLUO_WITHOUT_BROWSER",
    "FLUO_CLUSTER",
];
/// Prints the variables that the other tests see, as `without accumulo:without browser:cluster`.
const SAYING_CARGO: (&str, &str) = (
    "cargo",
    "case \"$*\" in *hold*) echo ready; /bin/cat ;; *--no-run*) /bin/cat \"$0-programs\" ;; \
     'test --workspace') echo \"other tests see \
     ${FLUO_WITHOUT_ACCUMULO-unset}:${FLUO_WITHOUT_BROWSER-unset}:${FLUO_CLUSTER-unset}\" >&2 ;; esac",
);
/// A live test program, which prints the variables that it sees.
const LIVE: (&str, &str) = (
    "live",
    "echo \"live tests see \
     ${FLUO_WITHOUT_ACCUMULO-unset}:${FLUO_WITHOUT_BROWSER-unset}:${FLUO_CLUSTER-unset}\" >&2",
);
/// The programs that cargo builds: their kind, name, file and package.
const PROGRAMS: [(&str, &str, &str, &str); 9] = [
    ("test", "live", "live", "tests"),
    ("test", "commands", "live", "tests/cluster"),
    ("test", "coordination_zookeeper", "live", "tests"),
    ("test", "faults", "live", "tests/cluster"),
    ("test", "kept_logs", "live", "tests/cluster"),
    ("test", "with_java", "live", "tests"),
    ("test", "application_faults", "live", "tests"),
    ("example", "01_first", "example", "examples"),
    ("bin", "fluo", "fluo", "src/cli"),
];
/// A rustup that has the oldest Rust. It prints the version that a command asks for.
const OLDEST_RUST: (&str, &str) = (
    "rustup",
    "case $1 in toolchain) echo 1.90.0-x86_64-unknown-linux-gnu ;; run) echo \"with Rust $2\" ;; esac",
);
const EVERYTHING: [(&str, &str); 5] = [JAVA, MAVEN, BROWSER, CARGO, OLDEST_RUST];

const NO_JAVA: &str = "Java 17 or later is missing, Maven is missing; \
    on Debian run: apt install openjdk-17-jre-headless maven";
const NO_MAVEN: &str = "Java 17 is installed, Maven is missing; on Debian run: apt install maven";
const OLD: &str = "Java 11 is older than 17, Maven is installed; \
    on Debian run: apt install openjdk-17-jre-headless";
const NO_BROWSER: &str = "Chromium is missing; on Debian run: apt install chromium-headless-shell \
    fonts-dejavu-core";

/// A machine with only these commands.
struct Machine(TempDir);

impl Machine {
    fn with(commands: &[(&str, &str)]) -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for (name, script) in commands
            .iter()
            .chain(&[LIVE, ("example", ""), ("fluo", "")])
        {
            machine.add(name, script);
        }
        let messages = PROGRAMS.map(|program| machine.message(program));
        fs::write(machine.file("cargo-programs"), messages.concat()).unwrap();
        machine
    }

    /// Returns the message of cargo for a built program.
    fn message(&self, (kind, name, file, package): (&str, &str, &str, &str)) -> String {
        format!(
            "{{\"target\":{{\"kind\":[\"{kind}\"],\"name\":\"{name}\"}},\"profile\":{{\"test\":{}}},\
             \"manifest_path\":\"{}/{package}/Cargo.toml\",\"executable\":\"{}\"}}\n",
            kind == "test",
            env!("CARGO_MANIFEST_DIR")
                .strip_suffix("/tests/xtask")
                .unwrap(),
            self.file(file).display()
        )
    }

    fn add(&self, name: &str, script: &str) {
        let file = self.file(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the command of a task without the variables that it reads.
    fn command(&self, task: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(task)
            .env("PATH", self.0.path())
            .env("CARGO", self.file("cargo"))
            .env_remove("CI");
        for name in VARIABLES {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, task: &[&str], ci: Option<&str>) -> Output {
        let mut command = self.command(task);
        if let Some(ci) = ci {
            command.env("CI", ci);
        }
        command.output().unwrap()
    }

    /// Runs `test` with variables, and returns its exit code and its output.
    fn tests(&self, task: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
        let task = [&["test"][..], task].concat();
        let mut command = self.command(&task);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    /// Runs a task that succeeds, and returns its output.
    fn says(&self, task: &[&str], ci: Option<&str>) -> String {
        let output = self.run(task, ci);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        said
    }

    /// Runs a task that fails, and returns its output.
    fn refuses(&self, task: &[&str], ci: Option<&str>) -> String {
        let output = self.run(task, ci);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        said.trim().to_owned()
    }
}

fn skipped(part: &str, why: &str) -> String {
    format!("skipped: {part}: {why}\n")
}

/// Checks that all parts that need only a Rust toolchain run, with exit code 0.
#[test]
fn prints_skipped_parts_first_and_last_on_a_machine_with_rust_alone() {
    let machine = Machine::with(&[CARGO]);
    let said = machine.says(&["test"], None);
    let skipped = [
        skipped("the tests of reports in a browser", NO_BROWSER),
        skipped("the live tests on Accumulo", NO_JAVA),
    ]
    .concat();
    assert!(
        said.starts_with(&format!("{skipped}\n> cargo fmt --all -- --check\n")),
        "{said}"
    );
    let more = "\n> more-checks: xtask each, xtask mutate\n";
    assert!(said.contains(more), "{said}");
    let checks = "\n> cargo fmt --all -- --check\n\n> cargo xtask tidy\n";
    assert!(said.contains(checks), "{said}");
    // The present Rust checks the crates instead.
    let without_oldest = "\n> cargo check --package fluo-recipes\nskipped: the check with Rust ";
    assert!(said.contains(without_oldest), "{said}");
    assert!(
        said.ends_with(&format!("\nall passed\n{skipped}")),
        "{said}"
    );
    assert!(!said.contains("hold"), "no cluster is started: {said}");
}

#[test]
fn skips_nothing_on_a_machine_with_all_tools() {
    let said = Machine::with(&EVERYTHING).says(&["test"], None);
    assert!(!said.contains("skipped"), "{said}");
    assert!(
        said.contains("-- hold --state"),
        "a cluster is started: {said}"
    );
    let oldest = "\n> cargo check --package fluo-recipes\nwith Rust 1.90.0\n";
    assert!(said.contains(oldest), "{said}");
    assert!(said.ends_with("\nall passed\n"), "{said}");
}

#[test]
fn fails_although_parts_were_skipped() {
    let machine = Machine::with(&[("cargo", "[ \"$1\" != doc ]")]);
    let said = machine.refuses(&["test"], None);
    let skipped = [
        skipped("the tests of reports in a browser", NO_BROWSER),
        skipped("the live tests on Accumulo", NO_JAVA),
    ]
    .concat();
    let end = format!(
        "\nfailed\n{skipped}error: `cargo doc --workspace --no-deps --document-private-items` failed"
    );
    assert!(said.ends_with(&end), "{said}");
}

#[test]
fn names_missing_tools_and_installed_ones() {
    for (tools, part, why) in [
        (&[JAVA, CARGO][..], "the live tests on Accumulo", NO_MAVEN),
        (
            &[JAVA, ("mvn", "exit 1")],
            "the live tests on Accumulo",
            NO_MAVEN,
        ),
        (&[("java", "exit 1")], "the live tests on Accumulo", NO_JAVA),
        (&[OLD_JAVA, MAVEN], "the live tests on Accumulo", OLD),
        (
            &[("chromium", "exit 1"), ("google-chrome", "exit 0")],
            "the tests of reports in a browser",
            "`chromium --version` fails; on Debian run: apt install chromium-headless-shell fonts-dejavu-core",
        ),
        (
            &[MINIMAL_CARGO],
            "the check of the formatting",
            "rustfmt is missing; run: rustup component add rustfmt",
        ),
        (
            &[MINIMAL_CARGO],
            "clippy",
            "clippy is missing; run: rustup component add clippy",
        ),
    ] {
        let said = Machine::with(tools).says(&["test", "--dry-run"], None);
        assert!(said.contains(&skipped(part, why)), "{why}\n{said}");
    }
}

#[test]
fn a_dry_run_prints_the_plan_and_runs_nothing() {
    let machine = Machine::with(&[CARGO, BROWSER]);
    let said = machine.says(&["test", "--dry-run", "--without-accumulo"], None);
    let expected = [
        "skipped: the live tests on Accumulo: `--without-accumulo` was given\n",
        "runs: the check of the formatting\nruns: clippy\nruns: the tests of reports in a browser\n",
    ];
    assert_eq!(said, expected.concat());
    let said = machine.says(&["test", "--dry-run", "--require-all"], None);
    let expected = format!("to install for the live tests on Accumulo: {NO_JAVA}\n");
    assert!(said.contains(&expected), "{said}");
}

/// An installer that creates the tools.
const APT_GET: &str = "echo \"apt-get $*\"; [ $1 = update ] && exit; \
    for name in mvn java chromium; do /bin/cp \"$0-$name\" \"${0%/*}/$name\"; done";

#[test]
fn integration_installs_missing_tools_and_skips_nothing() {
    for (uid, prefix) in [("0", ""), ("1000", "sudo -n ")] {
        for (task, ci) in [
            (&["test", "--require-all"][..], None),
            (&["test"], Some("true")),
        ] {
            let machine = Machine::with(&[MINIMAL_CARGO, RUSTUP, ("apt-get", APT_GET)]);
            machine.add("id", &format!("echo {uid}"));
            machine.add("env", "exec /usr/bin/env \"$@\"");
            machine.add("sudo", "shift; exec \"$@\"");
            for (name, script) in [JAVA, MAVEN, BROWSER] {
                machine.add(&format!("apt-get-{name}"), script);
            }
            let said = machine.says(task, ci);
            for line in [
                "> rustup component add rustfmt clippy\n".to_owned(),
                format!("> {prefix}env DEBIAN_FRONTEND=noninteractive apt-get update -q\n"),
                format!(
                    "> {prefix}env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
                     chromium-headless-shell fonts-dejavu-core openjdk-17-jre-headless maven\n"
                ),
            ] {
                assert!(said.contains(&line), "{line}\n{said}");
            }
            assert!(
                said.contains("-- hold --state") && said.ends_with("\nall passed\n"),
                "{said}"
            );
        }
    }
}

#[test]
fn integration_fails_if_no_installer_works() {
    let begin = "error: `CI=true` forbids skipping, and the installation of missing tools failed: ";
    let without_maven = [
        JAVA,
        BROWSER,
        CARGO,
        ("id", "echo 0"),
        ("env", "exec /usr/bin/env \"$@\""),
    ];
    let machine = Machine::with(&without_maven);
    let said = machine.refuses(&["test"], Some("true"));
    let end = "`apt-get` is missing; no other installer of packages is supported";
    assert!(said.ends_with(&format!("{begin}{end}")), "{said}");

    machine.add("apt-get", "exit 100");
    let said = machine.refuses(&["test"], Some("true"));
    let end = "`env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends maven` failed";
    assert!(said.ends_with(&format!("{begin}{end}")), "{said}");
    assert!(said.contains(NO_MAVEN), "{said}");

    machine.add("apt-get", "exit 0");
    let said = machine.refuses(&["test"], Some("true"));
    let end = format!(
        "error: `CI=true` forbids skipping, and a tool is unfit after its installation:\n\
         to install for the live tests on Accumulo: {NO_MAVEN}"
    );
    assert!(said.ends_with(&end), "{said}");

    fs::remove_file(machine.file("cargo")).unwrap();
    let said = machine.refuses(&["test"], Some("true"));
    assert!(
        said.ends_with("failed: `rustup component add rustfmt clippy` cannot be run: No such file or directory (os error 2)"),
        "{said}"
    );
}

#[test]
fn rejects_an_excluding_flag_if_skipping_is_forbidden() {
    let machine = Machine::with(&EVERYTHING);
    for flag in ["--without-accumulo", "--without-browser"] {
        for (task, ci, cause) in [
            (&["test", flag, "--require-all"][..], None, "--require-all"),
            (&["test", flag], Some("true"), "CI=true"),
        ] {
            assert_eq!(
                machine.refuses(task, ci),
                format!(
                    "error: `{flag}` contradicts `{cause}`, which forbids skipping: leave one of them out"
                )
            );
        }
    }
    // Any other value of the variable does not mean continuous integration.
    machine.says(&["test", "--dry-run", "--without-browser"], Some("false"));
}

#[test]
fn a_variable_excludes_a_part_as_its_flag_does() {
    let machine = Machine::with(&EVERYTHING);
    for (name, part) in [
        ("FLUO_WITHOUT_ACCUMULO", "the live tests on Accumulo"),
        ("FLUO_WITHOUT_BROWSER", "the tests of reports in a browser"),
    ] {
        // The tests skip for any value, also for an empty one.
        for value in ["1", ""] {
            let (code, said) = machine.tests(&["--dry-run"], &[(name, value)]);
            assert_eq!(code, Some(0), "{said}");
            let line = skipped(part, &format!("`{name}` was given"));
            assert!(said.starts_with(&line), "{said}");
            assert!(!said.contains(&format!("runs: {part}")), "{said}");
        }
        for (task, ci, cause) in [
            (
                &["--dry-run", "--require-all"][..],
                "false",
                "--require-all",
            ),
            (&["--dry-run"], "true", "CI=true"),
        ] {
            let (code, said) = machine.tests(task, &[(name, "1"), ("CI", ci)]);
            assert_eq!(code, Some(1), "{said}");
            let error = format!(
                "error: `{name}` contradicts `{cause}`, which forbids skipping: leave one of them out\n"
            );
            assert_eq!(said, error);
        }
    }
}

#[test]
fn passes_the_decisions_to_the_tests() {
    let machine = Machine::with(&[JAVA, MAVEN, BROWSER, SAYING_CARGO]);
    for (task, variables, seen) in [
        (
            &["--without-accumulo"][..],
            &[("FLUO_CLUSTER", "mine.json")][..],
            "other tests see 1:unset:unset",
        ),
        (
            &["--without-accumulo", "--without-browser"],
            &[],
            "other tests see 1:1:unset",
        ),
        (
            &[],
            &[("FLUO_WITHOUT_ACCUMULO", "")],
            "other tests see 1:unset:unset",
        ),
    ] {
        let (code, said) = machine.tests(task, variables);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(&format!("\n{seen}\n")), "{seen}\n{said}");
        assert!(!said.contains("live tests see"), "{said}");
        assert!(!said.contains("hold"), "no cluster is started: {said}");
    }
    let (code, said) = machine.tests(
        &[],
        &[
            ("FLUO_WITHOUT_BROWSER", "yes"),
            ("FLUO_CLUSTER", "mine.json"),
        ],
    );
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("\nlive tests see unset:1:mine.json\n"),
        "{said}"
    );
    assert!(said.contains("\nother tests see 1:1:unset\n"), "{said}");
    assert!(!said.contains("hold"), "no cluster is started: {said}");
    // An empty file name counts as unset.
    for variables in [&[][..], &[("FLUO_CLUSTER", "")]] {
        let (code, said) = machine.tests(&[], variables);
        assert_eq!(code, Some(0), "{said}");
        let (_, seen) = said.split_once("live tests see ").unwrap();
        assert!(seen.starts_with("unset:unset:/"), "{said}");
        assert!(said.contains("\nother tests see 1:unset:unset\n"), "{said}");
        assert!(said.contains("-- hold --state"), "{said}");
    }
}

/// Checks that a failure of either run fails the command, and that the live tests end before the
/// cluster does.
#[test]
fn fails_if_the_live_tests_or_the_other_tests_fail() {
    let cargo = "case \"$*\" in *hold*) echo ready; /bin/cat; echo 'the cluster ends' >&2 ;; \
         *--no-run*) /bin/cat \"$0-programs\" ;; 'test --workspace') exit $OTHERS ;; esac";
    for (others, live, failed) in [
        (
            "0",
            "1",
            "live-tests failed: live; more-live-tests failed: with_java, application_faults, commands, \
             coordination_zookeeper, faults, kept_logs",
        ),
        ("1", "0", "`cargo test --workspace` failed"),
    ] {
        let machine = Machine::with(&[JAVA, MAVEN, BROWSER, ("cargo", cargo)]);
        machine.add(
            "live",
            &format!("echo 'the live tests end' >&2; exit {live}"),
        );
        let (code, said) = machine.tests(&[], &[("OTHERS", others)]);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.trim_end().ends_with(failed), "{said}");
        let (_, later) = said.split_once("the live tests end").unwrap();
        assert!(later.contains("the cluster ends"), "{said}");
    }
}

#[test]
fn uses_a_given_cluster_without_any_tools() {
    let machine = Machine::with(&[BROWSER, SAYING_CARGO]);
    for ci in ["false", "true"] {
        let variables = [("FLUO_CLUSTER", "mine.json"), ("CI", ci)];
        let (code, said) = machine.tests(&[], &variables);
        assert_eq!(code, Some(0), "{said}");
        assert!(
            said.contains("\nlive tests see unset:unset:mine.json\n"),
            "{said}"
        );
        assert!(!said.contains("hold"), "no cluster is started: {said}");
        assert!(said.ends_with("\nall passed\n"), "{said}");
    }
}

/// Checks the call of the command, which its own package tests.
#[test]
fn runs_the_cluster_command_of_its_package() {
    let machine = Machine::with(&[JAVA, MAVEN, ("cargo", "echo \"$@\"")]);
    for name in ["start", "stop", "status"] {
        let output = machine.run(&["cluster", name], None);
        assert!(output.status.success());
        let ran = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            ran,
            format!("run --quiet --package fluo-cluster -- {name}\n")
        );
    }
    let machine = Machine::with(&[("cargo", "exit 3")]);
    let said = machine.refuses(&["cluster", "status"], None);
    assert_eq!(said, "error: `cargo xtask cluster status` failed");
    assert_eq!(
        machine.refuses(&["cluster", "start"], None),
        format!("error: {NO_JAVA}")
    );
}
