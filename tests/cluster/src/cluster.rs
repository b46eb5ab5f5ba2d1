//! A cluster: its servers, and its first proxy.
//!
//! The runner, `org.apache.accumulo.minicluster.MiniAccumuloRunner`, starts ZooKeeper, the master,
//! the tablet servers and the garbage collector, and is the parent of all of them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;

use crate::folder;
use crate::jars;
use crate::java;
use crate::logs::Logs;
use crate::poll::poll;
use crate::port;
use crate::process::Process;
use crate::proxy::Proxy;
use crate::ready;
use crate::settings::{ProxySettings, Settings};
use crate::state::{Site, State};
use crate::supervisor::Supervisor;

/// The artifacts of a cluster.
const POM: &str = include_str!("../pom.xml");

/// The time that the servers may take to start, and then the proxy until a scan works.
const START: Duration = Duration::from_secs(300);

/// The time that a killed process may take to end.
const KILL: Duration = Duration::from_secs(10);

/// The log of the runner's output, and of the shell's error if Java is missing.
const OUTPUT: &str = "runner.out";

/// A cluster on this machine.
///
/// A cluster that this process started ends, with everything in it, when it is dropped or when the
/// process ends in any way. Dropping an attached cluster has no effect on it.
#[derive(Debug)]
pub struct Cluster {
    // Fields are dropped in this order: a proxy whose servers end first fills its log with errors.
    proxy: Option<Proxy>,
    /// The owner's end of the servers; `None` if another process owns them.
    servers: Option<Supervisor>,
    /// ZooKeeper, once it was restarted.
    zookeeper: Mutex<Option<Supervisor>>,
    /// The state without the proxy.
    state: State,
}

impl Cluster {
    /// Starts a cluster. Waits until a scan works, or, without a proxy, until its servers run.
    ///
    /// # Errors
    ///
    /// Java or Maven is missing, the jars cannot be fetched, or the cluster does not work within
    /// ten minutes. The error names the folder of the logs, which is kept, and shows the end of the
    /// relevant log.
    pub fn start(settings: &Settings) -> Result<Cluster> {
        ensure!(settings.tablet_servers > 0, "a cluster needs at least one tablet server");
        java::check()?;
        let jars = jars::fetched(POM)?;
        let mut more_tries = 1..port::TRIES;
        loop {
            let logs = Logs(folder::fresh(&folder::home().join("logs"))?);
            match Cluster::start_once(settings, &jars, &logs) {
                Err(_) if logs.say_port_taken("") && more_tries.next().is_some() => {
                    let _ = fs::remove_dir_all(&logs.0);
                }
                result => {
                    return result.with_context(|| {
                        format!(
                            "the cluster could not be started; its logs are in {}",
                            logs.0.display()
                        )
                    });
                }
            }
        }
    }

    /// Attaches to the cluster of a state file, which another process owns.
    ///
    /// # Errors
    ///
    /// There is no such file, or the cluster no longer runs.
    pub fn attach(file: &Path) -> Result<Cluster> {
        let state = State::read(file)?;
        let state = state.with_context(|| format!("there is no state file {}", file.display()))?;
        ensure!(
            state.is_alive(),
            "the cluster of the state file {} no longer runs; start it again",
            file.display()
        );
        Ok(Cluster {
            proxy: state.proxy.map(|proxy| Proxy::attach(&state.site, proxy)),
            servers: None,
            zookeeper: Mutex::default(),
            state,
        })
    }

    fn start_once(settings: &Settings, jars: &Path, logs: &Logs) -> Result<Cluster> {
        let [zookeeper, shutdown] = port::free_ports()?;
        let site = site(settings, jars, logs, zookeeper)?;
        java::configure_logs(&site)?;
        let runner = java::class(
            &site,
            "org.apache.accumulo.minicluster.MiniAccumuloRunner",
            "Runner",
            "128m",
            &configuration(&site, zookeeper, shutdown),
        )?;
        let (folder, log) = (Some(&*site.directory), logs.file(OUTPUT));
        let servers = Supervisor::start(&runner, folder, Some(&logs.0), &log)?;
        let mut cluster = Cluster {
            proxy: None,
            state: State {
                site,
                owner: Process::own().context("this process is not in /proc")?,
                runner: servers.process(),
                proxy: None,
            },
            servers: Some(servers),
            zookeeper: Mutex::default(),
        };
        let ready =
            cluster.wait_for_servers(zookeeper).and_then(|()| cluster.add_proxy(settings.proxy));
        if ready.is_err() {
            // Otherwise the supervisor would remove them.
            cluster.keep_logs();
        }
        ready.map(|()| cluster)
    }

    /// Waits until the runner reports that everything runs.
    fn wait_for_servers(&self, zookeeper: u16) -> Result<()> {
        let logs = self.logs();
        let started = || {
            self.adopt_logs();
            let said = fs::read_to_string(logs.file(OUTPUT)).unwrap_or_default();
            ensure!(said.contains("Successfully started"), "the servers start");
            Ok(())
        };
        let runner = self.state.runner;
        java::wait("the cluster's runner", runner, START, &logs, OUTPUT, started)?;
        // The runner accepts any ZooKeeper that answers on this port.
        let mut servers = runner.group().into_iter();
        ensure!(
            servers.any(|process| process.listens_on(zookeeper)),
            "the cluster's runner found another ZooKeeper on its port; {}",
            logs.tail(OUTPUT)
        );
        Ok(())
    }

    /// Starts the first proxy, and waits until a scan works.
    fn add_proxy(&mut self, settings: Option<ProxySettings>) -> Result<()> {
        let Some(settings) = settings else { return Ok(()) };
        let proxy = self.proxy.insert(Proxy::start(&self.state.site, settings)?);
        let Some(proxy) = proxy.state() else { return Ok(()) };
        let scans = || {
            self.adopt_logs();
            ready::serves(proxy.port, settings.protocol, &self.state.site)
        };
        java::wait("the cluster", self.state.runner, START, &self.logs(), OUTPUT, scans)
    }

    /// Returns the first proxy.
    ///
    /// # Errors
    ///
    /// The cluster was started without a proxy.
    pub fn proxy(&self) -> Result<&Proxy> {
        let proxy = self.proxy.as_ref();
        proxy.context("this cluster was started without a proxy")
    }

    /// Starts another proxy and waits until it answers. This process owns it, also on an attached
    /// cluster.
    ///
    /// # Errors
    ///
    /// The proxy does not answer within 300 s; the error shows the end of its log. The cluster is
    /// of Accumulo 2.x, whose proxy is not a published artifact.
    pub fn start_proxy(&self, settings: ProxySettings) -> Result<Proxy> {
        ensure!(
            self.secret().is_none(),
            "this test cannot run on a cluster of Accumulo 2.x, whose proxy is not a published artifact"
        );
        Proxy::start(&self.state.site, settings)
    }

    /// Kills one of the running tablet servers with SIGKILL, counted from 0, the oldest first. It
    /// has ended when this returns, and nothing restarts it. Accumulo moves its tablets after
    /// ZooKeeper has missed it for 30 s.
    ///
    /// # Errors
    ///
    /// There is no such server, or it does not end.
    pub fn kill_tablet_server(&self, index: usize) -> Result<()> {
        let servers = self.tablet_servers();
        let server = servers.get(index).with_context(|| {
            format!("there is no tablet server {index}: {} live, counted from 0", servers.len())
        })?;
        self.adopt_logs();
        server.signal(Signal::KILL);
        ensure!(
            poll(KILL, || !server.is_alive()),
            "the tablet server {index} (process {}) does not end",
            server.pid
        );
        Ok(())
    }

    /// Returns the running tablet servers, the oldest first.
    #[must_use]
    pub fn tablet_servers(&self) -> Vec<Process> {
        self.state.tablet_servers()
    }

    /// Returns the process of ZooKeeper, which a test may suspend for a moment.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn zookeeper(&self) -> Result<Process> {
        let restarted = self.zookeeper.lock().unwrap_or_else(PoisonError::into_inner);
        let restarted = restarted.as_ref().map(Supervisor::process);
        let first = || self.state.runner.servers("ZooKeeperServerMain").first().copied();
        restarted.or_else(first).context("ZooKeeper does not run")
    }

    /// Kills ZooKeeper with SIGKILL, and starts it again after a pause, with its data and on its
    /// port. It counts the timeouts of all sessions from its start.
    ///
    /// # Errors
    ///
    /// It has ended, does not end now, or does not start within 300 s.
    pub fn restart_zookeeper(&self, pause: Duration) -> Result<()> {
        let before = self.zookeeper()?;
        let command = command_of(before)?;
        before.signal(Signal::KILL);
        ensure!(poll(KILL, || !before.is_alive()), "ZooKeeper does not end");
        thread::sleep(pause);
        let log = self.logs().file("zookeeper.out");
        let zookeeper = Supervisor::start(&command, None, None, &log)?;
        let (_, port) = self.site().zookeepers.rsplit_once(':').context("a port")?;
        let (port, process) = (port.parse()?, zookeeper.process());
        *self.zookeeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(zookeeper);
        ensure!(
            poll(START, || process.listens_on(port)),
            "ZooKeeper does not start again; {}",
            self.logs().tail("zookeeper.out")
        );
        Ok(())
    }

    /// Returns the user, who has all permissions: `root`.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.state.site.user
    }

    /// Returns the password of the user: `secret`.
    #[must_use]
    pub fn password(&self) -> &str {
        &self.state.site.password
    }

    /// Returns the shared secret of the proxies, if they are those of Accumulo 2.x.
    #[must_use]
    pub fn secret(&self) -> Option<&str> {
        self.state.site.secret.as_deref()
    }

    /// Returns the location of the cluster: its instance, its ZooKeeper, its folders.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.state.site
    }

    /// Returns the state that another process needs to attach.
    #[must_use]
    pub fn state(&self) -> State {
        State { proxy: self.proxy.as_ref().and_then(Proxy::state), ..self.state.clone() }
    }

    /// Keeps the logs when the cluster ends. A panic does that too.
    pub fn keep_logs(&self) {
        if let Some(servers) = &self.servers {
            self.adopt_logs();
            servers.keep_logs();
        }
    }

    fn logs(&self) -> Logs {
        Logs(self.state.site.logs.clone())
    }

    /// Links new logs of the servers into the folder of logs.
    fn adopt_logs(&self) {
        let runner = self.state.site.directory.join("mini").join("logs");
        self.logs().adopt(&runner);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if thread::panicking() && self.servers.is_some() {
            self.keep_logs();
            self.logs().say_where();
        }
    }
}

/// Returns the command that a process runs, with its environment.
fn command_of(process: Process) -> Result<Command> {
    let read = |file: &str| fs::read(format!("/proc/{}/{file}", process.pid));
    let (words, variables) = (read("cmdline")?, read("environ")?);
    let parts = |text: &[u8]| {
        let parts = text.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        parts.map(|part| OsStr::from_bytes(part).to_owned()).collect::<Vec<_>>()
    };
    let mut words = parts(&words).into_iter();
    let mut command = Command::new(words.next().context("the process has ended")?);
    command.args(words).env_clear();
    for variable in parts(&variables) {
        let mut parts = variable.as_bytes().splitn(2, |byte| *byte == b'=').map(OsStr::from_bytes);
        if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            command.env(name, value);
        }
    }
    Ok(command)
}

/// Returns the location of a new cluster.
fn site(settings: &Settings, jars: &Path, logs: &Logs, zookeeper: u16) -> Result<Site> {
    let name = logs.0.file_name().unwrap_or_default();
    Ok(Site {
        // A unique name: if ZooKeepers are mixed up, no process uses the tables of another
        // instance.
        instance: format!("fluo-{}", name.to_string_lossy()),
        zookeepers: format!("localhost:{zookeeper}"),
        user: "root".to_owned(),
        password: "secret".to_owned(),
        secret: None,
        tablet_servers: settings.tablet_servers,
        directory: folder::fresh_run()?,
        logs: logs.0.clone(),
        jars: jars.to_owned(),
    })
}

/// Returns the properties of the runner.
fn configuration(site: &Site, zookeeper: u16, shutdown: u16) -> String {
    format!(
        "instanceName={}\n\
         rootPassword={}\n\
         directory={}\n\
         numTServers={}\n\
         zooKeeperPort={zookeeper}\n\
         zooKeeperStartupTime=20000\n\
         masterMemory=256M\n\
         tserverMemory=768M\n\
         shutdownPort={shutdown}\n",
        site.instance,
        site.password,
        site.directory.join("mini").display(),
        site.tablet_servers,
    )
}
