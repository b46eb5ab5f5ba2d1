//! A proxy: a separate process, which a test can stop and restart.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;

use crate::java;
use crate::logs::Logs;
use crate::port;
use crate::process::Process;
use crate::ready;
use crate::settings::{Protocol, ProxySettings};
use crate::state::{ProxyState, Site};
use crate::supervisor::Supervisor;

/// The time that a proxy may take until it answers.
const START: Duration = Duration::from_secs(300);

/// A proxy of a cluster. It ends when it is dropped, if this process started it.
#[derive(Debug)]
pub struct Proxy {
    site: Site,
    settings: ProxySettings,
    port: u16,
    /// The process of a proxy that another process started, which alone may stop it.
    elsewhere: Option<Process>,
    /// The proxy, if this process started it and it was not killed.
    here: Mutex<Option<Supervisor>>,
}

impl Proxy {
    /// Starts a proxy and waits until it answers.
    pub(crate) fn start(site: &Site, settings: ProxySettings) -> Result<Proxy> {
        let mut more_tries = 1..port::TRIES;
        loop {
            let [free] = port::free_ports()?;
            let proxy = Proxy {
                site: site.clone(),
                settings,
                port: settings.port.unwrap_or(free),
                elsewhere: None,
                here: Mutex::default(),
            };
            let Err(error) = proxy.restart() else {
                return Ok(proxy);
            };
            let says_port_taken = || proxy.logs().say_port_taken(&format!("proxy-{}.", proxy.port));
            if settings.port.is_some() || !says_port_taken() || more_tries.next().is_none() {
                return Err(error);
            }
        }
    }

    /// Attaches to a proxy that another process started.
    pub(crate) fn attach(site: &Site, state: ProxyState) -> Proxy {
        Proxy {
            site: site.clone(),
            settings: state.settings,
            port: state.port,
            elsewhere: Some(state.process),
            here: Mutex::default(),
        }
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
        let here = || self.here().as_ref().map(Supervisor::process);
        let process = self.elsewhere.or_else(here)?;
        Some(ProxyState { port: self.port, settings: self.settings, process })
    }

    /// Kills the proxy with SIGKILL. Connections break, and calls in progress have an unknown
    /// outcome. The process has ended when this returns. Killing it again has no effect.
    ///
    /// # Errors
    ///
    /// The proxy belongs to another process.
    pub fn kill(&self) -> Result<()> {
        // A drop kills the proxy and waits for its end; then the port is free.
        *self.own("killed")? = None;
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
        *self.own("restarted")? = Some(supervisor);
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
        let here = self.own("suspended")?;
        self.running(&here)?.suspend()
    }

    /// Resumes the proxy after [`Proxy::suspend`].
    ///
    /// # Errors
    ///
    /// The proxy belongs to another process.
    pub fn resume(&self) -> Result<()> {
        let here = self.own("resumed")?;
        self.running(&here)?.process().signal_group(Signal::CONT);
        Ok(())
    }

    fn running<'a>(&self, here: &'a Option<Supervisor>) -> Result<&'a Supervisor> {
        let here = here.as_ref();
        here.with_context(|| format!("the proxy at {} does not run", self.address()))
    }

    /// Returns the proxy, unless it belongs to another process: faults in a shared proxy would
    /// affect all other tests.
    fn own(&self, done: &str) -> Result<MutexGuard<'_, Option<Supervisor>>> {
        ensure!(
            self.elsewhere.is_none(),
            "the proxy at {} belongs to another process and cannot be {done} here; start one with \
             Cluster::start_proxy",
            self.address()
        );
        Ok(self.here())
    }

    /// Returns the proxy. A panic elsewhere leaves it consistent.
    fn here(&self) -> MutexGuard<'_, Option<Supervisor>> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn launch(&self) -> Result<Supervisor> {
        let role = format!("proxy-{}", self.port);
        let class = "org.apache.accumulo.proxy.Proxy";
        let command = java::class(&self.site, class, &role, "512m", &self.configuration())?;
        Supervisor::start(&command, None, None, &self.logs().file(&self.output()))
    }

    /// Waits until the proxy answers. An answer counts only if its process listens on the port.
    fn wait(&self, process: Process) -> Result<()> {
        let answers = || {
            let port = self.port;
            ensure!(process.listens_on(port), "it does not listen on port {port}");
            ready::answers(port, self.settings.protocol, &self.site)
        };
        let logs = self.logs();
        let (address, folder) = (self.address(), logs.0.display());
        let name = format!("the proxy at {address}, whose log is in {folder},");
        java::wait(&name, process, START, &logs, &self.output(), answers)
    }

    fn logs(&self) -> Logs {
        Logs(self.site.logs.clone())
    }

    fn output(&self) -> String {
        format!("proxy-{}.out", self.port)
    }

    fn configuration(&self) -> String {
        format!(
            "useMockInstance=false\n\
             useMiniAccumulo=false\n\
             protocolFactory={}\n\
             tokenClass=org.apache.accumulo.core.client.security.tokens.PasswordToken\n\
             port={}\n\
             maxFrameSize=16M\n\
             numThreads={}\n\
             instance={}\n\
             zookeepers={}\n",
            self.settings.protocol.factory(),
            self.port,
            self.settings.threads,
            self.site.instance,
            self.site.zookeepers,
        )
    }
}
