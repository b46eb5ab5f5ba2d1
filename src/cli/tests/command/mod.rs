//! Runs the command in its own directory, and captures the result.

#![allow(dead_code, reason = "each scenario uses a part of it")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fluo_tests::STUCK;
use tempfile::TempDir;

#[cfg(unix)]
pub(crate) mod terminal;

/// Real, skewed rows.
pub(crate) const ROWS: &str = include_str!("../../../../examples/data/package-homepages.txt");

/// The spec of 20 tablets for prefix `p`.
pub(crate) const SPEC: &str = "[[row_hasher]]\nprefix = \"p\"\ntablets = 20\n";

/// The environment variables that the command reads.
pub(crate) const VARIABLES: [&str; 16] = [
    "CLICOLOR_FORCE",
    "COLUMNS",
    "NO_COLOR",
    "FLUO_AT",
    "FLUO_CONFIG",
    "FLUO_LOG",
    "FLUO_USER",
    "FLUO_PASSWORD",
    "FLUO_PASSWORD_FILE",
    "FLUO_SHARED_SECRET",
    "FLUO_ZOOKEEPERS",
    "FLUO_ZOOKEEPER_SECRET",
    "FLUO_ZOOKEEPER_SECRET_FILE",
    "FLUO_ZOOKEEPER_USER",
    "FLUO_ZOOKEEPER_PASSWORD",
    "FLUO_ZOOKEEPER_PASSWORD_FILE",
];

/// A directory for commands, with a directory for temporary files in it. Dropping it removes both.
pub(crate) struct Place {
    directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("tmp")).unwrap();
        Self { directory }
    }

    /// Creates a place with the empty table `pages` in `embedded:d`, and the spec in `s.toml`.
    pub(crate) fn with_table() -> Self {
        let place = Self::new();
        place.file("s.toml", SPEC);
        place.fluo("table create --at embedded:d pages").succeeds();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn pipe(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.unwrap().success());
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the names of the entries of a directory, sorted.
    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Creates the command with these arguments, without starting it.
    pub(crate) fn command<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fluo"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("TMPDIR", self.path("tmp"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in VARIABLES {
            command.env_remove(name);
        }
        command
    }

    /// Starts the command, and returns its output, of which nothing is read ahead.
    pub(crate) fn starts(&self, arguments: &str) -> (Child, BufReader<ChildStdout>) {
        let mut child = self.command(arguments.split_whitespace()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        (child, BufReader::with_capacity(16, stdout))
    }

    /// Runs the command, reads one line of its output, and closes the output.
    pub(crate) fn head(&self, arguments: &str) -> Run {
        let (child, mut stdout) = self.starts(arguments);
        next_line(&mut stdout);
        drop(stdout);
        ended(child)
    }

    /// Runs the command with arguments that contain no blanks.
    pub(crate) fn fluo(&self, arguments: &str) -> Run {
        self.with(arguments.split_whitespace())
    }

    /// Runs the command, and expects success.
    #[track_caller]
    pub(crate) fn runs(&self, arguments: &str) -> Run {
        self.fluo(arguments).succeeds()
    }

    /// Runs the command, and expects a failure, whose message it returns.
    #[track_caller]
    pub(crate) fn fails(&self, arguments: &str) -> String {
        self.fluo(arguments).fails()
    }

    /// Runs the command with any arguments.
    pub(crate) fn with<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// Runs the command with this standard input.
    pub(crate) fn fed(&self, arguments: &str, input: impl AsRef<[u8]>) -> Run {
        let mut command = self.command(arguments.split_whitespace());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.as_ref();
        thread::scope(|scope| {
            // A failing command does not read all of its input.
            scope.spawn(move || stdin.write_all(input));
            Run::of(child.wait_with_output().unwrap())
        })
    }

    /// Runs the command with its standard output into a device or a file.
    pub(crate) fn printing_into(&self, arguments: &str, output: &Path) -> Run {
        let output = File::options().write(true).open(output).unwrap();
        let mut command = self.command(arguments.split_whitespace());
        Run::of(command.stdout(output).output().unwrap())
    }

    /// Returns the output of `table show` for the table `pages`.
    pub(crate) fn shown(&self) -> serde_json::Value {
        self.fluo("table show --at embedded:d --json pages").json()
    }
}

/// The result of a command.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let told = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { code: output.status.code(), stderr: told(&output.stderr), stdout: output.stdout }
    }

    fn ends_with_code(self, code: i32) -> Self {
        let stdout = String::from_utf8_lossy(&self.stdout);
        assert_eq!(self.code, Some(code), "{stdout}\n{}", self.stderr);
        self
    }

    pub(crate) fn succeeds(self) -> Self {
        self.ends_with_code(0)
    }

    /// Expects that a check found a difference, and that standard error is empty.
    pub(crate) fn differs(self) -> Self {
        let run = self.ends_with_code(1);
        assert_eq!(run.stderr, "");
        run
    }

    /// Expects success, this output, and an empty standard error.
    pub(crate) fn prints(self, stdout: impl AsRef<[u8]>) {
        let run = self.succeeds();
        let (printed, expected) = (run.stdout.as_slice(), stdout.as_ref());
        assert!(
            printed == expected,
            "printed:\n{}\nexpected:\n{}",
            excerpt(printed),
            excerpt(expected)
        );
        assert_eq!(run.stderr, "");
    }

    /// Expects a failure without output, and returns the last line of standard error without
    /// `error: `.
    pub(crate) fn fails(self) -> String {
        let run = self.ends_with_code(2);
        assert_eq!(excerpt(&run.stdout), "");
        run.error()
    }

    /// Returns the last line of standard error without `error: `, or the message of its document.
    /// Leaves out the line of a file that may follow it.
    pub(crate) fn error(&self) -> String {
        let is_of_file = |line: &&str| line.starts_with("  ") && line.contains(" | ");
        let last = self.stderr.lines().rev().find(|line| !is_of_file(line)).unwrap_or_default();
        if let Ok(document) = serde_json::from_str::<serde_json::Value>(last) {
            return document["error"]["message"].as_str().unwrap().to_owned();
        }
        let error = last.strip_prefix("error: ");
        error.unwrap_or_else(|| panic!("{}", self.stderr)).to_owned()
    }

    /// Expects that the arguments are refused with a hint at the help, and returns the message.
    pub(crate) fn refuses_arguments(self) -> String {
        let run = self.ends_with_code(2);
        assert_eq!(excerpt(&run.stdout), "");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert!(run.stderr.contains("try '--help'"), "{}", run.stderr);
        run.stderr
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    pub(crate) fn json(self) -> serde_json::Value {
        let run = self.succeeds();
        serde_json::from_slice(&run.stdout).unwrap()
    }
}

fn excerpt(bytes: &[u8]) -> String {
    bytes.iter().take(2_000).flat_map(|byte| byte.escape_ascii()).map(char::from).collect()
}

/// Returns the next line of a command that has not ended.
pub(crate) fn next_line(stdout: &mut impl BufRead) -> String {
    let mut line = String::new();
    let bytes = stdout.read_line(&mut line).unwrap();
    assert!(bytes > 0, "the command has ended");
    line
}

/// Returns the answer of a port to a request over HTTP.
pub(crate) fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Waits for a command that must not hang.
pub(crate) fn ended(mut child: Child) -> Run {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > STUCK {
            child.kill().unwrap();
            panic!("the command hangs");
        }
        thread::sleep(Duration::from_millis(2));
    }
    Run::of(child.wait_with_output().unwrap())
}

/// Waits until a command handles Ctrl-C. Before that, a signal ends it at once, like any program.
#[cfg(unix)]
pub(crate) fn wait_until_it_listens(id: u32) {
    const SIGINT: u64 = 1 << 1;
    let start = Instant::now();
    // Only Linux has this file.
    let status = || fs::read_to_string(format!("/proc/{id}/status"));
    while let Ok(status) = status()
        && let Some((_, caught)) = status.split_once("SigCgt:\t")
    {
        let caught = caught.lines().next().unwrap_or_default();
        if u64::from_str_radix(caught, 16).unwrap() & SIGINT != 0 {
            break;
        }
        assert!(start.elapsed() < STUCK, "the command does not listen");
        thread::sleep(Duration::from_millis(2));
    }
    // The command sets its handlers one after the other.
    thread::sleep(Duration::from_secs(1));
}

/// Sends a process a signal, by its name.
#[cfg(unix)]
pub(crate) fn signal(id: u32, name: &str) {
    let kill = format!("kill -{name} {id}");
    let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert!(sent.success(), "{kill}");
}

/// Returns the names of the signals that end a command, and its exit code for each. If the tests
/// were started with SIGHUP ignored (`nohup`), the command ignores it too.
#[cfg(unix)]
pub(crate) fn ending_signals() -> Vec<(&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    let hangup = (mask & 1 == 0).then_some(("HUP", 129));
    [("INT", 130), ("TERM", 143)].into_iter().chain(hangup).collect()
}

#[track_caller]
pub(crate) fn assert_says(message: &str, part: &str) {
    assert!(message.contains(part), "said:     {message}\nexpected: {part}");
}
