//! `start`: a `hold` that goes on without this process.

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
    // Two at a time would start two clusters, and forget one of them.
    let _lock = lock(state)?;
    if let Some(running) = State::read(state)?.filter(State::is_alive) {
        print("the cluster runs already")?;
        return describe(&running);
    }
    let mut holder = spawn(state, tablet_servers)?;
    let progress = forward(&mut holder);
    let ready = says_ready(&mut holder);
    if !ready {
        // Everything is said by then: the holder is gone.
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

/// Its outputs are pipes to here, so that nobody who waits for the end of ours waits for the end of the cluster.
fn spawn(state: &Path, tablet_servers: usize) -> Result<Child> {
    Command::new(env::current_exe().context("this program's own file is unknown")?)
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
