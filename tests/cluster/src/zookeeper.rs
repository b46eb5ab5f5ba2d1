//! A ZooKeeper without Accumulo. It is newer than that of a cluster, which cannot require SASL.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::folder;
use crate::jars;
use crate::java;
use crate::logs::Logs;
use crate::port;
use crate::supervisor::Supervisor;

/// The artifacts of the server.
const POM: &str = include_str!("../zookeeper.xml");
const START: Duration = Duration::from_secs(300);
/// The time of one answer of a server that starts.
const ANSWER: Duration = Duration::from_secs(10);
const OUTPUT: &str = "server.out";

/// A ZooKeeper with a plain port and one for TLS, in a folder of its own. It ends when it is
/// dropped, or when its owner ends.
#[derive(Debug)]
pub struct ZooKeeperServer {
    /// Removed at the end.
    folder: PathBuf,
    jars: PathBuf,
    options: Vec<String>,
    plain: u16,
    secure: u16,
    server: Option<Supervisor>,
}

impl ZooKeeperServer {
    /// Starts a server, and waits until it answers. `write` writes the files of its folder, and
    /// returns the options of Java, and the lines of `zoo.cfg` beside ports and data.
    ///
    /// # Errors
    ///
    /// Java or Maven is missing, the jars cannot be fetched, `write` fails, or the server does not
    /// answer within 300 s. The error shows the end of its log.
    pub fn start(
        write: impl Fn(&Path) -> std::io::Result<(Vec<String>, String)>,
    ) -> Result<ZooKeeperServer> {
        java::check()?;
        let jars = jars::fetched(POM)?;
        let mut more_tries = 1..port::TRIES;
        loop {
            let folder = folder::fresh_run()?;
            let [plain, secure] = port::free_ports()?;
            let (options, lines) = write(&folder).context("the files of a ZooKeeper")?;
            let configuration = format!(
                "{lines}\ndataDir={}\ntickTime=500\nmaxSessionTimeout=600000\nadmin.enableServer=false\n\
                 clientPort={plain}\nsecureClientPort={secure}\n",
                folder.join("data").display()
            );
            fs::write(folder.join("zoo.cfg"), configuration).context("zoo.cfg")?;
            let jars = jars.clone();
            let mut server = ZooKeeperServer { folder, jars, options, plain, secure, server: None };
            match server.restart() {
                Err(_) if server.logs().say_port_taken("") && more_tries.next().is_some() => {}
                started => return started.map(|()| server),
            }
        }
    }

    /// Returns the address of the plain port.
    #[must_use]
    pub fn plain(&self) -> String {
        format!("localhost:{}", self.plain)
    }

    /// Returns the address of the port for TLS.
    #[must_use]
    pub fn secure(&self) -> String {
        format!("localhost:{}", self.secure)
    }

    /// Returns the folder of its files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Kills the server with SIGKILL. Its data remains.
    pub fn kill(&mut self) {
        self.server = None;
    }

    /// Starts the server again on the same ports, after killing it if it runs, and waits until it
    /// answers.
    ///
    /// # Errors
    ///
    /// The server does not answer within 300 s. The error shows the end of its log.
    pub fn restart(&mut self) -> Result<()> {
        self.kill();
        let mut java =
            self.java(&self.options, "org.apache.zookeeper.server.ZooKeeperServerMain")?;
        java.arg(self.folder.join("zoo.cfg"));
        let logs = self.logs();
        let server = Supervisor::start(&java, None, None, &logs.file(OUTPUT))?;
        let process = server.process();
        self.server = Some(server);
        let answers = || {
            let listens = process.listens_on(self.plain) && process.listens_on(self.secure);
            ensure!(listens, "it does not listen");
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.plain))?;
            stream.set_read_timeout(Some(ANSWER))?;
            stream.write_all(b"srvr")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            ensure!(answer.starts_with("Zookeeper version"), "it answers: {answer}");
            Ok(())
        };
        java::wait("ZooKeeper", process, START, &logs, OUTPUT, answers)
    }

    /// Returns the command that runs a class of ZooKeeper with the options of Java.
    ///
    /// # Errors
    ///
    /// The jars cannot be listed.
    pub fn java(&self, options: &[String], class: &str) -> Result<Command> {
        let mut java = Command::new("java");
        java.arg("-Xmx128m").args(options).arg(class);
        java.env("CLASSPATH", jars::class_path(&self.jars)?);
        Ok(java)
    }

    fn logs(&self) -> Logs {
        Logs(self.folder.clone())
    }
}

impl Drop for ZooKeeperServer {
    fn drop(&mut self) {
        self.kill();
        // If that fails, the next start of a server removes it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
