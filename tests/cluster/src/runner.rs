//! The process that starts ZooKeeper, the master, the tablet servers and the garbage collector, and
//! is the parent of all of them: `org.apache.accumulo.minicluster.MiniAccumuloRunner`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::deadline::Deadline;
use crate::jars::Jars;
use crate::java::{self, Class};
use crate::logs::Logs;
use crate::process::Process;
use crate::state::Site;
use crate::supervisor::Supervisor;

/// The log of the runner's output, and of the shell's error if Java is missing.
const OUTPUT: &str = "runner.out";
const STARTED: &str = "Successfully started";

/// The runner and its children. Dropping it ends them and removes the directory.
#[derive(Debug)]
pub(crate) struct Runner {
    supervisor: Supervisor,
}

/// The ports that the runner needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunnerPorts {
    pub(crate) zookeeper: u16,
    pub(crate) shutdown: u16,
}

impl Runner {
    /// Starts the runner and waits until it reports that everything runs.
    pub(crate) fn start(site: &Site, ports: RunnerPorts, deadline: Deadline) -> Result<Runner> {
        let properties = site.directory.join("mini.properties");
        fs::write(&properties, configuration(site, ports))
            .with_context(|| format!("{} cannot be written", properties.display()))?;
        java::configure_logs(&log4j(site), &site.logs)?;
        let class = Class {
            name: "org.apache.accumulo.minicluster.MiniAccumuloRunner",
            role: "Runner",
            heap: "128m",
            properties: &properties,
        };
        let mut program = class.program(&Jars::at(&site.jars), &log4j(site))?;
        program.folder = Some(site.directory.clone());
        program.logs = Some(site.logs.clone());
        let logs = Logs::at(&site.logs);
        let runner = Runner {
            supervisor: Supervisor::start(&program, &logs.file(OUTPUT))?,
        };
        runner.wait(site, ports.zookeeper, deadline)?;
        Ok(runner)
    }

    /// Returns the runner, which leads the group of all the servers.
    pub(crate) fn process(&self) -> Process {
        self.supervisor.process()
    }

    /// Keeps the logs when the runner ends.
    pub(crate) fn keep_logs(&self) {
        self.supervisor.keep_logs();
    }

    fn wait(&self, site: &Site, zookeeper: u16, deadline: Deadline) -> Result<()> {
        let logs = Logs::at(&site.logs);
        let mut alive = true;
        let started = deadline.until(|| {
            alive = self.process().is_alive();
            adopt(site);
            !alive || says_started(&logs.file(OUTPUT))
        });
        let problem = if !alive {
            "ended while it started"
        } else if !started {
            "has not started in time"
        } else if !self.has_zookeeper(zookeeper) {
            // The runner accepts any ZooKeeper that answers on this port.
            "found another ZooKeeper on its port"
        } else {
            return Ok(());
        };
        // Otherwise the supervisor would remove the logs.
        self.keep_logs();
        bail!("the cluster's runner {problem}; {}", logs.tail(OUTPUT))
    }

    fn has_zookeeper(&self, port: u16) -> bool {
        self.process()
            .group()
            .iter()
            .any(|process| process.listens_on(port))
    }
}

/// Links new logs of the servers into the folder of logs.
pub(crate) fn adopt(site: &Site) {
    Logs::at(&site.logs).adopt(&site.directory.join("mini").join("logs"));
}

/// Returns the file that configures the logs of all processes of a cluster.
pub(crate) fn log4j(site: &Site) -> PathBuf {
    site.directory.join("log4j.properties")
}

fn says_started(output: &Path) -> bool {
    fs::read_to_string(output).is_ok_and(|text| text.contains(STARTED))
}

fn configuration(site: &Site, ports: RunnerPorts) -> String {
    format!(
        "instanceName={}\n\
         rootPassword={}\n\
         directory={}\n\
         numTServers={}\n\
         zooKeeperPort={}\n\
         zooKeeperStartupTime=20000\n\
         masterMemory=256M\n\
         tserverMemory=768M\n\
         shutdownPort={}\n",
        site.instance,
        site.password,
        site.directory.join("mini").display(),
        site.tablet_servers,
        ports.zookeeper,
        ports.shutdown,
    )
}
