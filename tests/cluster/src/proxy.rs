//! A proxy: a separate process, which a test can stop and restart.

use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::Signal;

use crate::deadline::Deadline;
use crate::jars::Jars;
use crate::java::Class;
use crate::logs::Logs;
use crate::port;
use crate::process::Process;
use crate::ready;
use crate::runner;
use crate::settings::{Protocol, ProxySettings};
use crate::state::{ProxyState, Site};
use crate::supervisor::Supervisor;

/// The time that a proxy may take until it answers.
const START: Duration = Duration::from_secs(120);

/// Number of attempts with other ports, if another process has taken the port meanwhile.
const TRIES: u32 = 3;

/// A proxy of a cluster. It ends when it is dropped, if this process started it.
#[derive(Debug)]
pub struct Proxy {
    site: Arc<Site>,
    settings: ProxySettings,
    port: u16,
    running: Mutex<Running>,
}

#[derive(Debug)]
enum Running {
    /// The proxy was started by this process.
    Here(Supervisor),
    /// The proxy was started by another process, which alone may stop it.
    Elsewhere(Process),
    /// The proxy was killed.
    No,
}

impl Proxy {
    /// Starts a proxy and waits until it answers.
    pub(crate) fn start(site: &Arc<Site>, settings: ProxySettings) -> Result<Proxy> {
        for _ in 1..TRIES {
            match Proxy::start_once(site, settings) {
                Err((_, port)) if settings.port.is_none() && says_port_taken(site, port) => {}
                Err((error, _)) => return Err(error),
                Ok(proxy) => return Ok(proxy),
            }
        }
        Proxy::start_once(site, settings).map_err(|(error, _)| error)
    }

    /// Attaches to a proxy that another process started.
    pub(crate) fn attach(site: &Arc<Site>, state: ProxyState) -> Proxy {
        Proxy {
            site: Arc::clone(site),
            settings: state.settings,
            port: state.port,
            running: Mutex::new(Running::Elsewhere(state.process)),
        }
    }

    fn start_once(
        site: &Arc<Site>,
        settings: ProxySettings,
    ) -> Result<Proxy, (anyhow::Error, u16)> {
        let port = match settings.port {
            Some(port) => port,
            None => port::free_ports::<1>().map_err(|error| (error, 0))?[0],
        };
        let running = Mutex::new(Running::No);
        let proxy = Proxy {
            site: Arc::clone(site),
            settings,
            port,
            running,
        };
        proxy.restart().map_err(|error| (error, port))?;
        Ok(proxy)
    }

    /// Returns the address, as `localhost:port`. A restart does not change it.
    #[must_use]
    pub fn address(&self) -> String {
        format!("localhost:{}", self.port)
    }

    /// Returns the encoding of its calls.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.settings.protocol
    }

    /// Returns the state that another process needs to attach, or `None` if the proxy does not run.
    #[must_use]
    pub fn state(&self) -> Option<ProxyState> {
        let process = match &*self.running() {
            Running::Here(supervisor) => supervisor.process(),
            Running::Elsewhere(process) => *process,
            Running::No => return None,
        };
        Some(ProxyState {
            port: self.port,
            settings: self.settings,
            process,
        })
    }

    /// Kills the proxy with SIGKILL. Connections break, and calls in progress have an unknown
    /// outcome. The process has ended when this returns. Killing it again has no effect.
    ///
    /// # Errors
    ///
    /// The proxy belongs to another process.
    pub fn kill(&self) -> Result<()> {
        let mut running = self.own("killed")?;
        if let Running::Here(supervisor) = &*running {
            supervisor.signal(Signal::KILL);
        }
        // This waits for the end of the supervisor; then the port is free.
        *running = Running::No;
        Ok(())
    }

    /// Starts the proxy again on the same port, after killing it if it runs, and waits until it
    /// answers.
    ///
    /// # Errors
    ///
    /// The proxy belongs to another process, or does not answer in time; the error shows the end of
    /// its log.
    pub fn restart(&self) -> Result<()> {
        self.kill()?;
        let supervisor = self.launch()?;
        let process = supervisor.process();
        *self.own("restarted")? = Running::Here(supervisor);
        self.wait(process).inspect_err(|_| {
            let _ = self.kill();
        })
    }

    /// Suspends the proxy: connections stay open, but it does not answer.
    ///
    /// # Errors
    ///
    /// The proxy belongs to another process, or does not stop.
    pub fn suspend(&self) -> Result<()> {
        self.on_running("suspended", Supervisor::suspend)
    }

    /// Resumes the proxy after [`Proxy::suspend`].
    ///
    /// # Errors
    ///
    /// The proxy belongs to another process.
    pub fn resume(&self) -> Result<()> {
        let resume = |supervisor: &Supervisor| {
            supervisor.signal(Signal::CONT);
            Ok(())
        };
        self.on_running("resumed", resume)
    }

    /// Runs an operation on the proxy, if this process runs it.
    fn on_running(&self, done: &str, work: impl FnOnce(&Supervisor) -> Result<()>) -> Result<()> {
        match &*self.own(done)? {
            Running::Here(supervisor) => work(supervisor),
            Running::Elsewhere(_) | Running::No => {
                bail!(
                    "the proxy at {} does not run, so it cannot be {done}",
                    self.address()
                )
            }
        }
    }

    /// Returns the proxy, unless it belongs to another process: faults in a shared proxy would
    /// affect all other tests.
    fn own(&self, done: &str) -> Result<MutexGuard<'_, Running>> {
        let running = self.running();
        if matches!(*running, Running::Elsewhere(_)) {
            bail!(
                "the proxy at {} belongs to another process and cannot be {done} here; start one with \
                 Cluster::start_proxy",
                self.address()
            );
        }
        Ok(running)
    }

    /// Returns the state of the proxy. A panic elsewhere leaves it consistent.
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn launch(&self) -> Result<Supervisor> {
        let properties = self
            .site
            .directory
            .join(format!("proxy-{}.properties", self.port));
        fs::write(
            &properties,
            configuration(&self.site, self.settings, self.port),
        )
        .with_context(|| format!("{} cannot be written", properties.display()))?;
        let class = Class {
            name: "org.apache.accumulo.proxy.Proxy",
            role: &format!("proxy-{}", self.port),
            heap: "512m",
            properties: &properties,
        };
        let program = class.program(&Jars::at(&self.site.jars), &runner::log4j(&self.site))?;
        Supervisor::start(
            &program,
            &Logs::at(&self.site.logs).file(&output(self.port)),
        )
    }

    fn answers(&self, process: Process) -> Result<()> {
        if !process.listens_on(self.port) {
            bail!("it does not listen on port {}", self.port);
        }
        ready::answers(self.port, self.settings.protocol, &self.site)
    }

    fn wait(&self, process: Process) -> Result<()> {
        let mut last = None;
        let mut alive = true;
        let answers = Deadline::after(START).until(|| {
            alive = process.is_alive();
            last = self.answers(process).err();
            !alive || last.is_none()
        });
        let logs = Logs::at(&self.site.logs);
        let tail = logs.tail(&output(self.port));
        match last {
            _ if !alive => bail!(
                "the proxy at {} ended while it started; its log is in {}; {tail}",
                self.address(),
                logs.folder().display()
            ),
            Some(error) if !answers => Err(error).with_context(|| {
                format!(
                    "the proxy at {} did not answer within {} s; its log is in {}; {tail}",
                    self.address(),
                    START.as_secs(),
                    logs.folder().display()
                )
            }),
            _ => Ok(()),
        }
    }
}

fn output(port: u16) -> String {
    format!("proxy-{port}.out")
}

fn says_port_taken(site: &Site, port: u16) -> bool {
    Logs::at(&site.logs).say_port_taken(&format!("proxy-{port}."))
}

fn configuration(site: &Site, settings: ProxySettings, port: u16) -> String {
    format!(
        "useMockInstance=false\n\
         useMiniAccumulo=false\n\
         protocolFactory={}\n\
         tokenClass=org.apache.accumulo.core.client.security.tokens.PasswordToken\n\
         port={port}\n\
         maxFrameSize=16M\n\
         numThreads={}\n\
         instance={}\n\
         zookeepers={}\n",
        settings.protocol.factory(),
        settings.threads,
        site.instance,
        site.zookeepers,
    )
}
