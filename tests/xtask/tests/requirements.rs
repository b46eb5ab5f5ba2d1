#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]
//! Tests a regression: on a machine with only a Rust toolchain, `cargo xtask test` stopped at once
//! because no browser was installed, then for Java, then for Maven. Now it runs every part whose
//! tools are installed, lists the skipped parts with the commands that install their tools, and
//! installs tools itself only if no part may be skipped.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use rstest::rstest;
use tempfile::TempDir;

/// The name of a command, and its shell script.
type Script = (&'static str, &'static str);

const JAVA: Script = ("java", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2");
const OLD_JAVA: Script = ("java", "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2");
const MAVEN: Script = ("mvn", "echo 'Apache Maven 3.8.7'");
const BROWSER: Script = ("chromium", "echo 'Chromium 140.0.7339.80'");
const STRACE: Script = ("strace", "echo 'strace -- version 6.1'");
/// A cargo with both components, and with programs.
const CARGO: Script = (
    "cargo",
    "case \"$*\" in *--no-run*) /bin/cat \"$0-programs\" ;; metadata*) /bin/cat \"$0-metadata\" ;; esac",
);
/// A cargo as `rustup` installs it with its profile `minimal`.
const MINIMAL_CARGO: Script = (
    "cargo",
    "case $1-$2 in fmt-*|clippy-*) [ -e \"$0-$1\" ] || exit 1 ;; esac; exec \"$0-complete\" \"$@\"",
);
/// A cluster that starts.
const CLUSTER: Script = ("fluo-cluster", "echo ready; /bin/cat; echo 'the cluster ends' >&2");
/// A test program without live tests. It prints the variables that it sees, as
/// `without accumulo:without browser:cluster`, and ends with the exit code `OTHERS`.
const OTHER: Script = (
    "other",
    "echo \"other tests see \
     ${FLUO_WITHOUT_ACCUMULO-unset}:${FLUO_WITHOUT_BROWSER-unset}:${FLUO_CLUSTER-unset}\" >&2; \
     exit ${OTHERS-0}",
);
/// A live test program, which does the same, with the exit code `LIVE`.
const LIVE: Script = (
    "live",
    "echo \"live tests see \
     ${FLUO_WITHOUT_ACCUMULO-unset}:${FLUO_WITHOUT_BROWSER-unset}:${FLUO_CLUSTER-unset}\" >&2; \
     exit ${LIVE-0}",
);
/// A rustup that has the oldest Rust. It prints the version that a command asks for, and installs
/// the components of a minimal cargo.
const RUSTUP: Script = (
    "rustup",
    "case $1 in toolchain) echo 1.90.0-x86_64-unknown-linux-gnu ;; run) echo \"with Rust $2\" ;; \
     component) /usr/bin/touch \"${0%/*}/cargo-fmt\" \"${0%/*}/cargo-clippy\" ;; esac",
);
/// An installer that creates the tools.
const APT_GET: Script = (
    "apt-get",
    "[ $1 = update ] && exit; \
     for name in mvn java chromium strace; do /bin/cp \"$0-$name\" \"${0%/*}/$name\"; done",
);
const ENV: Script = ("env", "exec /usr/bin/env \"$@\"");
const EVERYTHING: [Script; 6] = [JAVA, MAVEN, BROWSER, STRACE, CARGO, RUSTUP];

const NO_JAVA: &str =
    "missing: Java 17 or later, Maven; run: apt install openjdk-17-jre-headless maven";
const NO_MAVEN: &str = "missing: Maven; run: apt install maven";
const OLD: &str = "missing: Java 17 or later; run: apt install openjdk-17-jre-headless";
const NO_BROWSER: &str =
    "missing: Chromium; run: apt install chromium-headless-shell fonts-dejavu-core";
/// The remarks on a machine with Rust alone.
const SKIPPED: &str = "skipped: the tests of reports in a browser: missing: Chromium; run: apt \
    install chromium-headless-shell fonts-dejavu-core\nskipped: the tests of a loss of power: missing: \
    strace; run: apt install strace\nskipped: the live tests on Accumulo: missing: Java 17 or later, Maven; run: apt install openjdk-17-jre-headless maven\n";

/// A machine with only these commands.
struct Machine(TempDir);

impl Machine {
    fn with(commands: &[Script]) -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        let cargo = ("cargo-complete", CARGO.1);
        let built = [LIVE, OTHER, ("example", ""), ("fluo", ""), CLUSTER, cargo];
        for (name, script) in commands.iter().chain(&built) {
            machine.add(name, script);
        }
        let live = [
            "tests/tests/with_java/main.rs",
            "tests/tests/live/main.rs",
            "tests/cluster/tests/commands.rs",
        ];
        let mut messages: String =
            live.map(|source| machine.message("test", source, "live")).concat();
        messages += &machine.message("test", "tests/cluster/tests/supervisor.rs", "other");
        messages += &machine.message("example", "examples/01_first.rs", "example");
        messages += &machine.message("bin", "src/cli/src/fluo", "fluo");
        messages += "{\"reason\":\"build-finished\",\"success\":true}\n";
        let metadata = "{\"target_directory\":\"\",\"packages\":[{\"name\":\"fluo-recipes\",\
            \"version\":\"1.0.0\",\"rust_version\":\"1.90\",\"manifest_path\":\"ROOT/recipes/Cargo.toml\",\
            \"targets\":[]}]}";
        for cargo in ["cargo", "cargo-complete"] {
            fs::write(machine.file(&format!("{cargo}-programs")), &messages).unwrap();
            let metadata = metadata.replace("ROOT", root());
            fs::write(machine.file(&format!("{cargo}-metadata")), metadata).unwrap();
        }
        machine
    }

    /// Returns the message of cargo for a built program.
    fn message(&self, kind: &str, source: &str, file: &str) -> String {
        let name = source.trim_end_matches("/main.rs").trim_end_matches(".rs");
        format!(
            "{{\"target\":{{\"kind\":[\"{kind}\"],\"name\":\"{}\",\"src_path\":\"{1}/{source}\"}},\
             \"profile\":{{\"test\":{2}}},\"manifest_path\":\"{1}/tests/Cargo.toml\",\
             \"executable\":\"{3}\"}}\n",
            name.rsplit('/').next().unwrap(),
            root(),
            kind == "test",
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

    /// Runs a task, with these of the variables that it reads.
    fn run(&self, task: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(task).env("PATH", self.0.path());
        command.env("CARGO", self.file("cargo"));
        for name in [
            "CI",
            "FLUO_WITHOUT_ACCUMULO",
            "FLUO_WITHOUT_BROWSER",
            "FLUO_WITHOUT_STRACE",
            "FLUO_CLUSTER",
        ] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied()).output().unwrap()
    }

    /// Runs a task that ends with an exit code, and returns its messages.
    #[track_caller]
    fn says(&self, code: i32, task: &[&str], variables: &[(&str, &str)]) -> String {
        let output = self.run(task, variables);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        said
    }
}

fn root() -> &'static str {
    let package = env!("CARGO_MANIFEST_DIR");
    package.strip_suffix("/tests/xtask").unwrap()
}

#[track_caller]
fn assert_contains(said: &str, lines: &[&str]) {
    for line in lines {
        assert!(said.contains(line), "`{line}` is missing in\n{said}");
    }
}

/// Checks that all parts that need only a Rust toolchain run, with exit code 0.
#[test]
fn prints_skipped_parts_first_and_last_on_a_machine_with_rust_alone() {
    let said = Machine::with(&[CARGO]).says(0, &["test"], &[]);
    let start = format!("{SKIPPED}\n> cargo fmt --all -- --check\n\n> cargo xtask tidy\n");
    assert!(said.starts_with(&start), "{said}");
    // One of the two each day. The present Rust checks the crates instead of the oldest.
    let mutate = said.contains("\n> more-checks: xtask mutate\n");
    let without_oldest = "\n> cargo check --package fluo-recipes\nskipped: the check with Rust ";
    let each = said.contains("\n> more-checks: xtask each\n") && said.contains(without_oldest);
    assert!(mutate || each, "{said}");
    assert_contains(&said, &["\n> example 01_first\n", "\n> fluo demo\n"]);
    assert!(said.ends_with(&format!("\nall passed\n{SKIPPED}")), "{said}");
    assert!(!said.contains("hold"), "no cluster is started: {said}");
}

#[test]
fn skips_nothing_on_a_machine_with_all_tools() {
    let said = Machine::with(&EVERYTHING).says(0, &["test"], &[]);
    assert!(!said.contains("skipped"), "{said}");
    let mutate = said.contains("\n> more-checks: xtask mutate\n");
    let oldest = "\n> cargo check --package fluo-recipes\nwith Rust 1.90.0\n";
    assert!(mutate || said.contains(oldest), "{said}");
    assert_contains(&said, &["fluo-cluster hold --state"]);
    assert!(said.ends_with("\nall passed\n"), "{said}");
}

#[test]
fn fails_although_parts_were_skipped() {
    let script = "case \"$*\" in doc*) exit 1 ;; *--no-run*) /bin/cat \"$0-programs\" ;; \
        metadata*) /bin/cat \"$0-metadata\" ;; esac";
    let said = Machine::with(&[("cargo", script)]).says(1, &["test"], &[]);
    let error =
        "error: `cargo doc --workspace --all-features --no-deps --document-private-items` failed";
    assert_contains(&said, &[&format!("\nfailed\n{SKIPPED}{error}")]);
}

#[rstest]
#[case(&[JAVA, CARGO], "the live tests on Accumulo", NO_MAVEN)]
#[case(&[OLD_JAVA, MAVEN], "the live tests on Accumulo", OLD)]
#[case(
    &[("chromium", "exit 1"), ("google-chrome", "exit 0")],
    "the tests of reports in a browser",
    NO_BROWSER
)]
#[case(&[MINIMAL_CARGO], "clippy", "missing: clippy; run: rustup component add clippy")]
fn names_missing_tools_and_their_installation(
    #[case] tools: &[Script],
    #[case] part: &str,
    #[case] why: &str,
) {
    let said = Machine::with(tools).says(0, &["test", "--dry-run"], &[]);
    assert_contains(&said, &[&format!("skipped: {part}: {why}\n")]);
}

#[test]
fn a_dry_run_prints_the_plan_and_runs_nothing() {
    let machine = Machine::with(&[CARGO, BROWSER, STRACE]);
    let said = machine.says(0, &["test", "--dry-run", "--without-accumulo"], &[]);
    let expected = "skipped: the live tests on Accumulo: `--without-accumulo` was given\n\
        runs: the check of the formatting\nruns: clippy\nruns: the tests of reports in a browser\n\
        runs: the tests of a loss of power\n";
    assert_eq!(said, expected);
    let said = machine.says(0, &["test", "--dry-run", "--require-all"], &[]);
    assert_contains(&said, &[&format!("to install for the live tests on Accumulo: {NO_JAVA}\n")]);
}

#[rstest]
#[case("0", "", &["test", "--require-all"], "false")]
#[case("1000", "sudo -n ", &["test"], "true")]
fn integration_installs_missing_tools_and_skips_nothing(
    #[case] user: &str,
    #[case] prefix: &str,
    #[case] task: &[&str],
    #[case] ci: &str,
) {
    let sudo = ("sudo", "shift; exec \"$@\"");
    let machine = Machine::with(&[MINIMAL_CARGO, RUSTUP, APT_GET, ENV, sudo]);
    machine.add("id", &format!("echo {user}"));
    for (name, script) in [JAVA, MAVEN, BROWSER, STRACE] {
        machine.add(&format!("apt-get-{name}"), script);
    }
    let said = machine.says(0, task, &[("CI", ci)]);
    let apt = format!("> {prefix}env DEBIAN_FRONTEND=noninteractive apt-get");
    let packages = "chromium-headless-shell fonts-dejavu-core strace openjdk-17-jre-headless maven";
    let lines = [
        "> rustup component add rustfmt clippy\n",
        &format!("{apt} update -q\n"),
        &format!("{apt} install -q -y --no-install-recommends {packages}\n"),
        "fluo-cluster hold --state",
        "\nall passed\n",
    ];
    assert_contains(&said, &lines);
}

#[test]
fn integration_fails_if_no_installer_works() {
    let machine = Machine::with(&[JAVA, BROWSER, STRACE, CARGO, ("id", "echo 0"), ENV]);
    let fails = || machine.says(1, &["test"], &[("CI", "true")]);
    machine.add("apt-get", "exit 100");
    let failed = "error: `CI=true` forbids skipping, and the installation of missing tools failed: \
                  `env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
                  --no-install-recommends maven` failed";
    assert_contains(&fails(), &[failed, NO_MAVEN]);

    machine.add("apt-get", "exit 0");
    let unfit = "error: `CI=true` forbids skipping, and a tool is unfit after its installation:\n\
        to install for the live tests on Accumulo: ";
    assert_contains(&fails(), &[&format!("{unfit}{NO_MAVEN}")]);
}

#[rstest]
#[case("--without-accumulo", "FLUO_WITHOUT_ACCUMULO", "the live tests on Accumulo")]
#[case("--without-browser", "FLUO_WITHOUT_BROWSER", "the tests of reports in a browser")]
#[case("--without-strace", "FLUO_WITHOUT_STRACE", "the tests of a loss of power")]
fn a_flag_or_a_variable_excludes_a_part_unless_skipping_is_forbidden(
    #[case] flag: &str,
    #[case] variable: &str,
    #[case] part: &str,
) {
    let machine = Machine::with(&EVERYTHING);
    // The tests skip for any value of their variable, also for an empty one.
    for (task, variables, exclusion) in [
        (&["test", "--dry-run", flag][..], &[("CI", "false")][..], flag),
        (&["test", "--dry-run"], &[(variable, "1")], variable),
        (&["test", "--dry-run"], &[(variable, "")], variable),
    ] {
        let said = machine.says(0, task, variables);
        let line = format!("skipped: {part}: `{exclusion}` was given\n");
        assert!(said.starts_with(&line), "{said}");
        assert!(!said.contains(&format!("runs: {part}")), "{said}");
        let require_all = [task, &["--require-all"]].concat();
        let in_integration = [variables, &[("CI", "true")]].concat();
        for (task, variables, cause) in
            [(&require_all[..], variables, "--require-all"), (task, &in_integration, "CI=true")]
        {
            let error = format!(
                "error: `{exclusion}` contradicts `{cause}`, which forbids skipping: leave one of \
                 them out\n"
            );
            assert_eq!(machine.says(1, task, variables), error);
        }
    }
}

const MINE: (&str, &str) = ("FLUO_CLUSTER", "mine.json");

#[rstest]
#[case(&["--without-accumulo"], &[MINE], "1:unset:unset", None)]
#[case(&[], &[("FLUO_WITHOUT_BROWSER", "yes"), MINE], "1:1:unset", Some("unset:1:mine.json"))]
#[case(&[], &[], "1:unset:unset", Some("unset:unset:/"))]
// An empty file name counts as unset.
#[case(&[], &[("FLUO_CLUSTER", "")], "1:unset:unset", Some("unset:unset:/"))]
fn passes_the_decisions_to_the_tests(
    #[case] flags: &[&str],
    #[case] variables: &[(&str, &str)],
    #[case] others_see: &str,
    #[case] live_tests_see: Option<&str>,
) {
    let machine = Machine::with(&[JAVA, MAVEN, BROWSER, STRACE, CARGO]);
    let said = machine.says(0, &[&["test"], flags].concat(), variables);
    assert_contains(&said, &[&format!("\nother tests see {others_see}\n")]);
    match live_tests_see {
        Some(seen) => assert_contains(&said, &[&format!("\nlive tests see {seen}")]),
        None => assert_contains(&said, &[&format!("\nlive tests see {others_see}\n")]),
    }
    let starts_cluster = live_tests_see.is_some_and(|seen| seen.ends_with('/'));
    assert_eq!(said.contains("fluo-cluster hold --state"), starts_cluster, "{said}");
}

/// Checks that a failure of either run fails the command, and that the live tests end before the
/// cluster does.
#[rstest]
#[case(
    "0",
    "1",
    "live-tests failed: tests/live; more-live-tests failed: tests/commands, tests/with_java\n"
)]
#[case("1", "0", "tests failed: tests/supervisor\n")]
fn fails_if_the_live_tests_or_the_other_tests_fail(
    #[case] others: &str,
    #[case] live: &str,
    #[case] failed: &str,
) {
    let machine = Machine::with(&[JAVA, MAVEN, BROWSER, STRACE, CARGO]);
    let said = machine.says(1, &["test"], &[("OTHERS", others), ("LIVE", live)]);
    assert!(said.ends_with(failed), "{said}");
    let (_, later) = said.split_once("live tests see").unwrap();
    assert_contains(later, &["the cluster ends"]);
}

#[rstest]
fn uses_a_given_cluster_without_any_tools(#[values("false", "true")] ci: &str) {
    let said = Machine::with(&[BROWSER, STRACE, CARGO]).says(0, &["test"], &[MINE, ("CI", ci)]);
    assert_contains(&said, &["\nlive tests see unset:unset:mine.json\n"]);
    assert!(!said.contains("hold"), "no cluster is started: {said}");
    assert!(said.ends_with("\nall passed\n"), "{said}");
}

/// Checks the call of the command, which its own package tests.
#[test]
fn runs_the_cluster_command_of_its_package() {
    let machine = Machine::with(&[JAVA, MAVEN, ("cargo", "echo \"$@\"")]);
    for name in ["start", "stop", "status"] {
        let output = machine.run(&["cluster", name], &[]);
        assert!(output.status.success());
        let ran = String::from_utf8(output.stdout).unwrap();
        assert_eq!(ran, format!("run --quiet --package fluo-cluster -- {name}\n"));
    }
    let machine = Machine::with(&[("cargo", "exit 3")]);
    let fails = |name| machine.says(1, &["cluster", name], &[]);
    assert_eq!(fails("status"), "error: `cargo xtask cluster status` failed\n");
    assert_eq!(fails("start"), format!("error: {NO_JAVA}\n"));
}
