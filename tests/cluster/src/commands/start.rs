//! `start`: runs a `hold` that continues after this process.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, bail};
use fluo_cluster::State;

use super::status::describe;
use super::{READY, print, say};

/// Starts a cluster, unless it runs already.
pub(crate) fn start(state: &Path, tablet_servers: usize) -> Result<()> {
    // Two concurrent calls would start two clusters, and one of them could not be stopped.
    let _lock = lock(state)?;
    if let Some(running) = State::read(state)?.filter(State::is_alive) {
        print("the cluster runs already")?;
        return describe(&running);
    }
    let mut holder = spawn(state, tablet_servers)?;
    let progress = forward(&mut holder);
    let ready = says_ready(&mut holder);
    if !ready {
        // After both waits the holder has ended and its output is printed.
        holder.wait().context("the holder of the cluster is lost")?;
        progress.map(JoinHandle::join);
        bail!("the cluster did not start");
    }
    print("the cluster runs")?;
    let running = State::read(state)?.context("the cluster left no state file")?;
    describe(&running)
}

fn lock(state: &Path) -> Result<File> {
    let file = state.with_extension("lock");
    let taken = || {
        fs::create_dir_all(file.parent().unwrap_or(Path::new("/")))?;
        let lock = File::create(&file)?;
        lock.lock()?;
        Ok::<File, std::io::Error>(lock)
    };
    taken().with_context(|| format!("the lock {} cannot be taken", file.display()))
}

/// Spawns the holder. Its outputs are pipes to this process, so that a process that waits for the
/// end of the output of this one does not wait for the end of the cluster.
fn spawn(state: &Path, tablet_servers: usize) -> Result<Child> {
    Command::new(env::current_exe().context("the path of this program is unknown")?)
        .args([
            "hold",
            "--detached",
            "--tablet-servers",
            &tablet_servers.to_string(),
            "--state",
        ])
        .arg(state)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("the holder of the cluster cannot be run")
}

fn forward(holder: &mut Child) -> Option<JoinHandle<()>> {
    let said = holder.stderr.take()?;
    Some(thread::spawn(move || {
        for line in BufReader::new(said).lines().map_while(Result::ok) {
            say(&line);
        }
    }))
}

fn says_ready(holder: &mut Child) -> bool {
    let mut line = String::new();
    let said = holder
        .stdout
        .take()
        .map(|said| BufReader::new(said.take(100)).read_line(&mut line));
    matches!(said, Some(Ok(_))) && line.trim() == READY
}
