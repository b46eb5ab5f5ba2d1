//! The command `fluo` on a real Accumulo. The tests build and run the binary, and check its output.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use fluo_cluster::Cluster;
use serde_json::Value;
use tempfile::TempDir;

mod applications;
mod away;
mod designs;
mod drift;
mod gate;
mod life;
mod loading;
mod monitor;
mod permissions;
mod process;
mod queues_of_java;
mod splitting;
mod stopped;
mod table_data;
mod tls;

pub(crate) use fluo_tests::unused_name as name;

/// Real, skewed rows.
pub(crate) const ROWS: &str = include_str!("../../../examples/data/package-homepages.txt");

/// Returns the path of the command, which is built once.
pub(crate) fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| programs(&["--package", "fluo-cli", "--bin", "fluo"]).join("fluo"))
}

/// Returns the folder of the built programs. Builds those that the arguments select, unless
/// `FLUO_PROGRAMS` names a folder that has all.
pub(crate) fn programs(selection: &[&str]) -> PathBuf {
    if let Some(folder) = std::env::var_os("FLUO_PROGRAMS") {
        return folder.into();
    }
    let own = std::env::current_exe().unwrap();
    let target = own.ancestors().nth(3).unwrap();
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet"])
        .args(selection)
        .arg("--target-dir")
        .arg(target)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status()
        .unwrap();
    assert!(build.success(), "{selection:?} does not build");
    target.join("debug")
}

/// The command in a directory of its own, as a user of a proxy.
pub(crate) struct Fluo {
    directory: TempDir,
    address: String,
    user: String,
    password: String,
    /// Shared secret in place of user and password, on Accumulo 2.x.
    secret: Option<String>,
}

/// The exit code and the output of a command.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Returns the command as the administrator of the shared cluster, or `None` if live tests are not
/// wanted.
pub(crate) fn fluo() -> Option<Fluo> {
    let cluster: &Cluster = crate::cluster::cluster()?;
    let address = cluster.proxy().unwrap().address();
    let fluo = Fluo::new(&address, cluster.user(), cluster.password());
    let secret = cluster.secret().map(str::to_owned);
    Some(Fluo { secret, ..fluo })
}

impl Fluo {
    pub(crate) fn new(address: &str, user: &str, password: &str) -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            address: address.to_owned(),
            user: user.to_owned(),
            password: password.to_owned(),
            secret: None,
        }
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.directory.path().join(name), content).unwrap();
    }

    /// Writes a spec of row hashers to `s.toml`.
    pub(crate) fn spec(&self, prefixes: &[&str], tablets: usize) {
        let recipe =
            |prefix: &&str| format!("[[row_hasher]]\nprefix = \"{prefix}\"\ntablets = {tablets}\n");
        self.file("s.toml", prefixes.iter().map(recipe).collect::<String>());
    }

    /// Returns the command `fluo table`, not yet started, with arguments without blanks.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let (subcommand, rest) = arguments.split_once(' ').unwrap_or((arguments, ""));
        self.of(&["table", subcommand], rest)
    }

    /// Runs `fluo advise` on a table.
    pub(crate) fn advise(&self, arguments: &str) -> Run {
        self.judge(self.of(&["advise"], arguments).output().unwrap())
    }

    fn of(&self, subcommands: &[&str], arguments: &str) -> Command {
        let mut command = self.bare();
        command
            .args(subcommands)
            .args(["--at", &format!("proxy:{}", self.address)])
            .args(arguments.split_whitespace().map(OsStr::new));
        if self.secret.is_none() {
            command.env("FLUO_USER", &self.user);
        }
        command
    }

    /// Returns the command without arguments, with the password or the secret in its environment.
    fn bare(&self) -> Command {
        let mut command = Command::new(binary());
        command
            .current_dir(self.directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in ["USER", "PASSWORD", "PASSWORD_FILE", "SHARED_SECRET", "ZOOKEEPERS"] {
            command.env_remove(format!("FLUO_{name}"));
        }
        match &self.secret {
            Some(secret) => command.env("FLUO_SHARED_SECRET", secret),
            None => command.env("FLUO_PASSWORD", &self.password),
        };
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.judge(self.command(arguments).output().unwrap())
    }

    /// Returns the result of a command, after a check that its output does not contain the
    /// password.
    pub(crate) fn judge(&self, output: Output) -> Run {
        let run = Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        let said = format!("{}{}", run.stdout, run.stderr);
        let secret = self.secret.as_ref().unwrap_or(&self.password);
        assert!(!said.contains(secret), "{said}");
        run
    }
}

impl Run {
    #[track_caller]
    pub(crate) fn ends_with_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.ends_with_code(0)
    }

    /// Checks that the command found a difference.
    #[track_caller]
    pub(crate) fn differs(self) -> Self {
        self.ends_with_code(1)
    }

    /// Checks that the command failed with one line and printed no data. Returns the line without
    /// `error: `.
    #[track_caller]
    pub(crate) fn fails(self) -> String {
        let run = self.ends_with_code(2);
        assert_eq!(run.stdout, "");
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        run.stderr.trim_end().strip_prefix("error: ").unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// Checks that a message contains its substantial part.
#[track_caller]
pub(crate) fn assert_says(message: &str, part: &str) {
    assert!(message.contains(part), "message:  {message}\nexpected: {part}");
}
