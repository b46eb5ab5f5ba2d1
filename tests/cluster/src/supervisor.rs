//! A command that ends, with all of its children, when its owner ends in any way.
//!
//! ```text
//! owner ---- pipe ----> sh, in a group of its own    kills the group below when the pipe is closed
//!                        `-- setsid command          leads a group of its own
//!                             `-- its children       are members of that group
//! ```
//!
//! The kernel closes the pipe when the owner has ended: after a drop, a panic, Ctrl-C or SIGKILL.
//! The supervisor is a shell because every owner has one, while a test does not know the path of a
//! binary of another package. The shell waits only for the pipe, so it needs no signal handler and
//! no clock.
//!
//! It does not restart the command, and killing the shell itself leaves the command running.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;

use crate::poll::poll;
use crate::process::Process;

/// Time to wait for killed processes. A process in an uninterruptible system call may take longer.
const MAX_TO_END: Duration = Duration::from_secs(30);

/// The script. Its arguments are the folder to remove, the folder of logs, and the command.
///
/// It kills both the group and its leader, because an owner may end before the leader has its
/// group. It tries to remove the folders several times, because killed processes may still run for
/// a moment.
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

/// The owner's end of a supervised command. Dropping it stops the command.
#[derive(Debug)]
pub struct Supervisor {
    shell: Child,
    pipe: Option<ChildStdin>,
    process: Process,
}

impl Supervisor {
    /// Starts a command: its program, arguments and environment. Its outputs are appended to a
    /// file. `folder` is removed when the command is stopped; `logs` too, unless
    /// [`keep_logs`](Self::keep_logs) was called.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, or `sh` or `setsid` is missing. A command that does not exist is
    /// not an error: it ends at once, and the file contains the reason.
    pub fn start(
        command: &Command,
        folder: Option<&Path>,
        logs: Option<&Path>,
        output: &Path,
    ) -> Result<Supervisor> {
        let file = OpenOptions::new().create(true).append(true).open(output);
        let file =
            file.with_context(|| format!("the log {} cannot be opened", output.display()))?;
        let none = Path::new("");
        let variables = command.get_envs();
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT, "supervisor"])
            .args([folder.unwrap_or(none), logs.unwrap_or(none)])
            .arg(command.get_program())
            .args(command.get_args())
            .envs(variables.filter_map(|(name, value)| Some((name, value?))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            .process_group(0)
            .spawn()
            .context("the shell `sh` cannot be run")?;
        let pipe = shell.stdin.take();
        let process = supervised(&mut shell).with_context(|| {
            format!(
                "the command {command:?} could not be started; the reason is in {}",
                output.display()
            )
        })?;
        Ok(Supervisor { shell, pipe, process })
    }

    /// Returns the process of the command, which leads the group of all its children.
    #[must_use]
    pub fn process(&self) -> Process {
        self.process
    }

    /// Keeps the folder of logs when the command is stopped.
    pub fn keep_logs(&self) {
        if let Some(mut pipe) = self.pipe.as_ref() {
            // A supervisor that has ended removes nothing.
            let _ = pipe.write_all(b"keep\n");
        }
    }

    /// Suspends the command and all its children. None of their threads runs when this returns; a
    /// signal takes a moment to reach all of them.
    ///
    /// # Errors
    ///
    /// A thread still runs after ten seconds.
    pub fn suspend(&self) -> Result<()> {
        self.process.signal_group(Signal::STOP);
        let is_still = || self.process.group().into_iter().all(Process::is_suspended);
        ensure!(
            poll(Duration::from_secs(10), is_still),
            "the process {} still runs after the signal to stop",
            self.process.pid
        );
        Ok(())
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = self.shell.wait();
        // After this, the ports are free and the folder is removed. The shell waits only for its
        // own child, and killed processes take a moment to end.
        poll(MAX_TO_END, || self.process.group().is_empty());
    }
}

/// Returns the process of the command, whose number the shell prints. It may already have ended.
/// Its start time is then unknown, but not before that of its shell.
fn supervised(shell: &mut Child) -> Option<Process> {
    let mut line = String::new();
    let mut said = BufReader::new(shell.stdout.take()?);
    said.read_line(&mut line).ok()?;
    let pid = line.trim().parse().ok()?;
    Process::of(pid).or_else(|| {
        let shell = Process::of(i32::try_from(shell.id()).ok()?)?;
        Some(Process { pid, ..shell })
    })
}
