//! The commands. The result of a command goes to standard output, everything else to standard
//! error.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fluo_cluster::{Cluster, Process, Settings, State, locked, poll, say};
use rustix::process::Signal;

/// The line that `hold` prints when its cluster is ready.
const READY: &str = "ready";

/// The line that makes `hold` keep the logs.
const KEEP: &str = "keep";

/// The time that the cluster may take to end after its owner.
const PATIENCE: Duration = Duration::from_secs(15);

/// Owns a cluster and does nothing else: starts it, writes its state file, prints that it is ready,
/// and waits.
pub(crate) fn hold(file: &Path, tablet_servers: usize, detached: bool) -> Result<()> {
    if detached {
        // Then neither Ctrl-C nor the end of the terminal reaches the process.
        rustix::process::setsid().context("the process cannot leave its terminal")?;
    }
    say(&format!(
        "starting a cluster with {tablet_servers} tablet servers (jars are fetched the first time) .."
    ));
    let cluster = Cluster::start(&Settings { tablet_servers, ..Settings::default() })?;
    cluster.state().write(file)?;
    print(READY)?;
    if detached {
        // `stop` ends this process. The supervisors notice that and end the cluster.
        loop {
            thread::park();
        }
    }
    // Standard input ends when the process that writes to it has ended.
    for line in stdin().lines().map_while(Result::ok) {
        if line == KEEP {
            cluster.keep_logs();
            let logs = cluster.site().logs.display();
            say(&format!("the cluster's logs are in {logs}"));
        }
    }
    drop(cluster);
    // Another cluster may have been started with the same file meanwhile.
    if State::read(file)?.is_some_and(|state| !state.is_alive()) {
        remove(file)?;
    }
    Ok(())
}

/// Starts a cluster, unless it runs already: a `hold` that continues after this process.
pub(crate) fn start(file: &Path, tablet_servers: usize) -> Result<()> {
    // Two concurrent calls would start two clusters, and one of them could not be stopped.
    let _lock = locked(&file.with_extension("lock"))?;
    if let Some(running) = State::read(file)?.filter(State::is_alive) {
        print("the cluster runs already")?;
        return describe(&running);
    }
    // Its outputs are pipes to this process, so that a process that waits for the end of the output
    // of this one does not wait for the end of the cluster.
    let mut holder = Command::new(env::current_exe().context("the path of this program")?)
        .args(["hold", "--detached", "--tablet-servers"])
        .arg(tablet_servers.to_string())
        .arg("--state")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("the holder of the cluster cannot be run")?;
    let progress = holder.stderr.take().map(|said| {
        let lines = BufReader::new(said).lines().map_while(Result::ok);
        thread::spawn(|| lines.for_each(|line| say(&line)))
    });
    if !says_ready(&mut holder) {
        // After both waits the holder has ended and its output is printed.
        holder.wait().context("the holder of the cluster is lost")?;
        progress.map(thread::JoinHandle::join);
        bail!("the cluster did not start");
    }
    print("the cluster runs")?;
    describe(&State::read(file)?.context("the cluster left no state file")?)
}

fn says_ready(holder: &mut Child) -> bool {
    let mut line = String::new();
    let said = holder.stdout.take();
    let said = said.map(|said| BufReader::new(said.take(100)).read_line(&mut line));
    matches!(said, Some(Ok(_))) && line.trim() == READY
}

/// Stops the cluster of the state file, and waits until everything has ended. It is no error if no
/// cluster runs.
pub(crate) fn stop(file: &Path) -> Result<()> {
    let Some(state) = State::read(file)? else {
        return print("no cluster runs");
    };
    let ran = state.is_alive();
    let proxies = || state.proxy.iter().map(|proxy| proxy.process);
    let is_gone = || {
        let groups = proxies().chain([state.runner]).map(Process::group);
        groups.flatten().next().is_none()
            && !state.owner.is_alive()
            && !state.site.directory.exists()
    };
    state.owner.signal(Signal::TERM);
    if !poll(PATIENCE, is_gone) {
        // The supervisors were killed too.
        let groups = proxies().chain([state.runner]);
        groups.for_each(|leader| leader.signal_group(Signal::KILL));
        let _ = fs::remove_dir_all(&state.site.directory);
        ensure!(
            poll(PATIENCE, is_gone),
            "the cluster's processes {:?} do not end",
            state.runner.group()
        );
    }
    remove(file)?;
    print(match ran {
        true => "the cluster is stopped",
        false => "no cluster runs; its old state file is removed",
    })
}

/// Prints whether the cluster of the state file runs, and how to use it.
pub(crate) fn status(file: &Path) -> Result<()> {
    match State::read(file)? {
        None => print("not running"),
        Some(state) if state.is_alive() => {
            print("running")?;
            describe(&state)
        }
        Some(_) => print(
            "not running: it ended without being stopped; `cargo xtask cluster stop` removes its state file",
        ),
    }
}

/// Prints the addresses of the cluster, and the settings that reach it.
fn describe(state: &State) -> Result<()> {
    let site = &state.site;
    if let Some(proxy) = &state.proxy {
        let ended = match proxy.process.is_alive() {
            true => "",
            false => "   (it has ended)",
        };
        let port = proxy.port;
        print(&format!("  table           proxy:localhost:{port}{ended}"))?;
    }
    print(&format!(
        "  user            {}\n  \
         password        FLUO_PASSWORD={} in the environment\n  \
         zookeepers      {}\n  \
         instance        {}\n  \
         tablet servers  {} of {} live\n  \
         logs            {}",
        site.user,
        site.password,
        site.zookeepers,
        site.instance,
        state.tablet_servers().len(),
        site.tablet_servers,
        site.logs.display()
    ))
}

fn remove(file: &Path) -> Result<()> {
    fs::remove_file(file).with_context(|| format!("{} cannot be removed", file.display()))
}

fn print(line: &str) -> Result<()> {
    writeln!(stdout(), "{line}").context("standard output is closed")
}
