//! A command that ends, with all of its children, when its owner does, however the owner ends.
//!
//! ```text
//! owner ---- pipe ----> sh, in a group of its own       reads until the pipe is closed, then kills the group below
//!                        `-- setsid command             leads a group of its own
//!                             `-- its children          are members of that group
//! ```
//!
//! The pipe is closed by the kernel when the owner is gone: after a drop, a panic, Ctrl-C or SIGKILL alike. A shell
//! is used because every owner has one: a test does not know where the binary of another package lies. It waits for
//! nothing but the pipe, so it needs no signal handler and no clock.
//!
//! What it does not do: it does not restart anything, and whoever kills the shell itself keeps the command alive.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;

use crate::deadline::Deadline;
use crate::process::Process;

/// What was killed is waited for so long. A process in an uninterruptible call of the system may take longer.
const MOST_TO_END: Duration = Duration::from_secs(30);

/// Arguments: the folder to remove, the folder of logs, the command.
///
/// Both the group and its leader are killed, because an owner may be gone before the leader has its group. Folders
/// are removed more than once: processes that were just killed may not be gone yet.
const SCRIPT: &str = r#"
folder=$1 logs=$2
shift 2
setsid "$@" </dev/null >&2 &
pid=$!
trap '' HUP INT TERM
echo "$pid"
while read -r word; do
    [ "$word" = keep ] && logs=
done
kill -KILL "-$pid" "$pid" 2>/dev/null
wait 2>/dev/null
for folder in "$folder" "$logs"; do
    for try in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$folder" ] && break
        rm -rf -- "$folder" 2>/dev/null && break
        sleep 0.1
    done
done
"#;

/// What to start, and what goes with it.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The command and its arguments.
    pub words: Vec<OsString>,
    /// Added to the environment of the owner.
    pub environment: Vec<(OsString, OsString)>,
    /// Removed when the command is stopped.
    pub folder: Option<PathBuf>,
    /// Removed when the command is stopped, unless [`Supervisor::keep_logs`] was called.
    pub logs: Option<PathBuf>,
}

/// The owner's end of a supervised command. Dropping it stops the command.
#[derive(Debug)]
pub struct Supervisor {
    shell: Child,
    pipe: Option<ChildStdin>,
    process: Process,
}

impl Supervisor {
    /// Starts the program. What it prints is appended to the file.
    ///
    /// # Errors
    /// The file cannot be opened, or there is no `sh` or `setsid`. A command that does not exist is no error here:
    /// it ends at once, and the file says why.
    pub fn start(program: &Program, output: &Path) -> Result<Supervisor> {
        let file = OpenOptions::new().create(true).append(true).open(output);
        let file =
            file.with_context(|| format!("the log {} cannot be opened", output.display()))?;
        let folder = |path: &Option<PathBuf>| path.clone().map_or_else(OsString::new, Into::into);
        let mut shell = Command::new("sh")
            .args([
                OsStr::new("-c"),
                OsStr::new(SCRIPT),
                OsStr::new("supervisor"),
            ])
            .args([folder(&program.folder), folder(&program.logs)])
            .args(&program.words)
            .envs(
                program
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            .process_group(0)
            .spawn()
            .context("the shell `sh` cannot be run")?;
        let pipe = shell.stdin.take();
        let process =
            first_line(&mut shell).and_then(|line| command(line.trim().parse().ok()?, &shell));
        let process = process.with_context(|| {
            format!(
                "the command {:?} could not be started; {} says why",
                program.words,
                output.display()
            )
        })?;
        Ok(Supervisor {
            shell,
            pipe,
            process,
        })
    }

    /// The process of the command: it leads the group of all its children.
    #[must_use]
    pub fn process(&self) -> Process {
        self.process
    }

    /// Leaves the folder of logs in place when the command is stopped.
    pub fn keep_logs(&self) {
        if let Some(mut pipe) = self.pipe.as_ref() {
            // A supervisor that is gone removes nothing.
            let _ = pipe.write_all(b"keep\n");
        }
    }

    /// Stops the command and all its children where they are. When this returns, nothing of them runs: a signal takes a
    /// moment to reach every thread.
    ///
    /// # Errors
    /// Something still runs after ten seconds.
    pub fn suspend(&self) -> Result<()> {
        self.signal(Signal::STOP);
        let is_still = || self.process.group().into_iter().all(Process::is_suspended);
        ensure!(
            Deadline::after(Duration::from_secs(10)).until(is_still),
            "the process {} was told to stop, and still runs",
            self.process.pid
        );
        Ok(())
    }

    /// Sends a signal to the command and all its children.
    pub fn signal(&self, signal: Signal) {
        self.process.signal_group(signal);
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = self.shell.wait();
        // Afterwards everything is gone: the ports are free and the folder is removed. Who is killed takes a moment to
        // end, and the shell waits for its own child alone.
        let _ = Deadline::after(MOST_TO_END).until(|| self.process.group().is_empty());
    }
}

/// The process of the command, which may have ended by now. Then nobody can see any more when it started; it was not
/// before its shell did.
fn command(pid: i32, shell: &Child) -> Option<Process> {
    Process::of(pid).or_else(|| {
        let shell = Process::of(i32::try_from(shell.id()).ok()?)?;
        Some(Process { pid, ..shell })
    })
}

fn first_line(shell: &mut Child) -> Option<String> {
    let mut line = String::new();
    BufReader::new(shell.stdout.take()?)
        .read_line(&mut line)
        .ok()?;
    Some(line)
}
