//! A cluster: its servers, and its first proxy.

use std::io::{Write, stderr};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::Signal;

use crate::deadline::Deadline;
use crate::folder;
use crate::jars::Jars;
use crate::java;
use crate::logs::Logs;
use crate::port;
use crate::process::Process;
use crate::proxy::Proxy;
use crate::ready;
use crate::runner::{self, Runner, RunnerPorts};
use crate::settings::{ProxySettings, Settings};
use crate::state::{Site, State};

/// The time that a cluster may take until a scan works.
const START: Duration = Duration::from_secs(120);

/// The time that a killed process may take to end.
const KILL: Duration = Duration::from_secs(10);

/// Number of attempts with other ports, if another process has taken a port meanwhile.
const TRIES: u32 = 3;

/// A cluster on this machine.
///
/// A cluster that this process started ends, with everything in it, when it is dropped or when the
/// process ends in any way. Dropping an attached cluster has no effect on it.
#[derive(Debug)]
pub struct Cluster {
    // Fields are dropped in this order: a proxy whose servers end first fills its log with errors.
    proxy: Option<Proxy>,
    runner: Servers,
    site: Arc<Site>,
}

#[derive(Debug)]
enum Servers {
    Here(Runner),
    Elsewhere(Box<State>),
}

impl Cluster {
    /// Starts a cluster. Waits until a scan works, or, without a proxy, until its servers run.
    ///
    /// # Errors
    ///
    /// Java or Maven is missing, the jars cannot be fetched, or the cluster does not work within
    /// 120 s. The error names the folder of the logs, which is kept, and shows the end of the
    /// relevant log.
    pub fn start(settings: &Settings) -> Result<Cluster> {
        if settings.tablet_servers == 0 {
            bail!("a cluster needs at least one tablet server");
        }
        java::check()?;
        let jars = Jars::of_cluster()?;
        for _ in 1..TRIES {
            let logs = Logs::fresh()?;
            match Cluster::start_once(settings, &jars, &logs) {
                Err(_) if logs.say_port_taken("") => logs.remove(),
                result => return result,
            }
        }
        Cluster::start_once(settings, &jars, &Logs::fresh()?)
    }

    /// Attaches to the cluster of a state file, which another process owns.
    ///
    /// # Errors
    ///
    /// There is no such file, or the cluster no longer runs.
    pub fn attach(file: &Path) -> Result<Cluster> {
        let state = State::read(file)?
            .with_context(|| format!("there is no state file {}", file.display()))?;
        if !state.is_alive() {
            bail!(
                "the cluster of the state file {} no longer runs; start it again",
                file.display()
            );
        }
        let site = Arc::new(state.site.clone());
        let proxy = state.proxy.map(|proxy| Proxy::attach(&site, proxy));
        Ok(Cluster {
            proxy,
            runner: Servers::Elsewhere(Box::new(state)),
            site,
        })
    }

    fn start_once(settings: &Settings, jars: &Jars, logs: &Logs) -> Result<Cluster> {
        let deadline = Deadline::after(START);
        let started = site(settings, jars, logs).and_then(|(site, ports)| {
            let runner = Runner::start(&site, ports, deadline)?;
            Cluster::with_proxy(runner, site, settings.proxy, deadline)
        });
        started.with_context(|| {
            format!(
                "the cluster could not be started; its logs are in {}",
                logs.folder().display()
            )
        })
    }

    fn with_proxy(
        runner: Runner,
        site: Site,
        proxy: Option<ProxySettings>,
        deadline: Deadline,
    ) -> Result<Cluster> {
        let site = Arc::new(site);
        let mut cluster = Cluster {
            proxy: None,
            runner: Servers::Here(runner),
            site,
        };
        let ready = cluster
            .add_proxy(proxy)
            .and_then(|()| cluster.wait(deadline));
        if ready.is_err() {
            cluster.keep_logs();
        }
        ready.map(|()| cluster)
    }

    fn add_proxy(&mut self, settings: Option<ProxySettings>) -> Result<()> {
        self.proxy = settings
            .map(|settings| self.start_proxy(settings))
            .transpose()?;
        Ok(())
    }

    fn wait(&self, deadline: Deadline) -> Result<()> {
        let Some(state) = self.proxy.as_ref().and_then(Proxy::state) else {
            return Ok(());
        };
        let mut last = None;
        let ready = deadline.until(|| {
            runner::adopt(&self.site);
            last = ready::serves(state.port, state.settings.protocol, &self.site).err();
            last.is_none()
        });
        match last {
            Some(error) if !ready => {
                Err(error).with_context(|| format!("no scan worked within {} s", START.as_secs()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the first proxy.
    ///
    /// # Errors
    ///
    /// The cluster was started without a proxy.
    pub fn proxy(&self) -> Result<&Proxy> {
        self.proxy
            .as_ref()
            .context("this cluster was started without a proxy")
    }

    /// Starts another proxy and waits until it answers. This process owns it, also on an attached
    /// cluster.
    ///
    /// # Errors
    ///
    /// The proxy does not answer within 120 s; the error shows the end of its log. The cluster is
    /// of Accumulo 2.x, whose proxy is not a published artifact.
    pub fn start_proxy(&self, settings: ProxySettings) -> Result<Proxy> {
        if self.secret().is_some() {
            bail!(
                "this test cannot run on a cluster of Accumulo 2.x: it starts a proxy, and the proxy of \
                 Accumulo 2.x is not a published artifact"
            );
        }
        Proxy::start(&self.site, settings)
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
            format!(
                "there is no tablet server {index}: {} live, counted from 0",
                servers.len()
            )
        })?;
        runner::adopt(&self.site);
        server.signal(Signal::KILL);
        if !Deadline::after(KILL).until(|| !server.is_alive()) {
            bail!(
                "the tablet server {index} (process {}) does not end",
                server.pid
            );
        }
        Ok(())
    }

    /// Returns the running tablet servers, the oldest first.
    #[must_use]
    pub fn tablet_servers(&self) -> Vec<Process> {
        self.process().servers("TabletServer")
    }

    /// Returns the process of ZooKeeper, which a test may suspend for a moment.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn zookeeper(&self) -> Result<Process> {
        let servers = self.process().servers("ZooKeeperServerMain");
        servers.first().copied().context("ZooKeeper does not run")
    }

    /// Returns the user, who has all permissions: `root`.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.site.user
    }

    /// Returns the password of the user: `secret`.
    #[must_use]
    pub fn password(&self) -> &str {
        &self.site.password
    }

    /// Returns the shared secret of the proxies, if they are those of Accumulo 2.x.
    #[must_use]
    pub fn secret(&self) -> Option<&str> {
        self.site.secret.as_deref()
    }

    /// Returns the location of the cluster: its instance, its ZooKeeper, its folders.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the state that another process needs to attach.
    ///
    /// # Errors
    ///
    /// This system has no `/proc`.
    pub fn state(&self) -> Result<State> {
        let own = i32::try_from(std::process::id()).ok().and_then(Process::of);
        let owner = match &self.runner {
            Servers::Here(_) => own.context("this process is not in /proc")?,
            Servers::Elsewhere(state) => state.owner,
        };
        let proxy = self.proxy.as_ref().and_then(Proxy::state);
        Ok(State {
            site: Site::clone(&self.site),
            owner,
            runner: self.process(),
            proxy,
        })
    }

    /// Keeps the logs when the cluster ends. A panic does that too.
    pub fn keep_logs(&self) {
        if let Servers::Here(runner) = &self.runner {
            runner::adopt(&self.site);
            runner.keep_logs();
        }
    }

    fn process(&self) -> Process {
        match &self.runner {
            Servers::Here(runner) => runner.process(),
            Servers::Elsewhere(state) => state.runner,
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if thread::panicking() && matches!(self.runner, Servers::Here(_)) {
            self.keep_logs();
            // The reader may have ended, so errors are ignored.
            let _ = writeln!(
                stderr(),
                "the cluster's logs are in {}",
                self.site.logs.display()
            );
        }
    }
}

/// Returns the location of a new cluster, and the ports of its runner.
fn site(settings: &Settings, jars: &Jars, logs: &Logs) -> Result<(Site, RunnerPorts)> {
    let directory = match &settings.directory {
        Some(directory) => folder::take(directory)?,
        None => folder::fresh_run()?,
    };
    let [zookeeper, shutdown] = port::free_ports()?;
    let name = logs
        .folder()
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let site = Site {
        // A unique name: if ZooKeepers are mixed up, no process uses the tables of another
        // instance.
        instance: format!("fluo-{name}"),
        zookeepers: format!("localhost:{zookeeper}"),
        user: "root".to_owned(),
        password: "secret".to_owned(),
        secret: None,
        tablet_servers: settings.tablet_servers,
        directory,
        logs: logs.folder().to_owned(),
        jars: jars.folder().to_owned(),
    };
    Ok((
        site,
        RunnerPorts {
            zookeeper,
            shutdown,
        },
    ))
}
