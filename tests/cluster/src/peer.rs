//! A process of Apache Fluo, for tests of Rust and Java together.
//!
//! The program is in `tests/interop`. It is compiled once, by a compiler that is one of the fetched
//! jars, so a Java runtime suffices.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::cluster::Cluster;
use crate::folder;
use crate::jars::{Jars, made_once};
use crate::java;
use crate::logs::Logs;
use crate::process::Process;
use anyhow::{Context, Result, anyhow, bail};

const POM: &str = include_str!("../../interop/pom.xml");
const SOURCES: [(&str, &str); 3] = [
    ("Bench.java", include_str!("../../interop/Bench.java")),
    ("Peer.java", include_str!("../../interop/Peer.java")),
    (
        "Observers.java",
        include_str!("../../interop/Observers.java"),
    ),
];
const COMPILER: &str = "org.eclipse.jdt.internal.compiler.batch.Main";

/// The time that an answer may take.
const ANSWER: Duration = Duration::from_secs(180);

/// A process of Apache Fluo 1.2.0 that reads commands and answers them. Dropping it kills it. It
/// also ends when its owner does.
#[derive(Debug)]
pub struct JavaPeer {
    process: Child,
    commands: ChildStdin,
    answers: Receiver<String>,
    logs: Logs,
    log: String,
}

impl JavaPeer {
    /// Starts a peer of an application. `zookeepers` is the address of the applications,
    /// `HOST:PORT/PATH`. Later
    /// settings replace those of the cluster. The first start fetches Apache Fluo and compiles the
    /// peer.
    ///
    /// # Errors
    ///
    /// Java or Maven is missing, Maven cannot fetch the jars, or the peer cannot be compiled.
    pub fn start(
        cluster: &Cluster,
        zookeepers: &str,
        application: &str,
        settings: &[(&str, &str)],
    ) -> Result<JavaPeer> {
        java::check()?;
        let jars = Jars::of(POM)?;
        let sources = SOURCES.map(|(_, text)| text).concat() + POM;
        let classes = made_once("peer", &sources, |folder| compile(&jars, folder))?;
        let logs = Logs::at(&cluster.site().logs);
        let name = fresh_name();
        let file = logs.file(&format!("{name}.properties"));
        let text = properties(cluster, zookeepers, application, settings);
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        let log = format!("{name}.out");
        let exported = logs.file(&format!("{name}.exported"));
        let mut process = Command::new("java")
            .arg("-Xmx256m")
            .arg(property("peer.exported", &exported))
            .arg("Peer")
            .arg(&file)
            .env("CLASSPATH", class_path(&jars, &classes)?)
            .env("JAVA_TOOL_OPTIONS", java::options())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(logs.file(&log)).context("the log of a Java peer")?)
            .spawn()
            .context("`java` cannot be run")?;
        let pipes = (process.stdin.take(), process.stdout.take());
        let (Some(commands), Some(output)) = pipes else {
            bail!("the Java peer has no pipes");
        };
        let (sender, answers) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // The peer of a failed test may still answer.
            lines
                .take_while(|line| sender.send(line.clone()).is_ok())
                .count();
        });
        Ok(JavaPeer {
            process,
            commands,
            answers,
            logs,
            log,
        })
    }

    /// Sends a command, waits for the answer, and returns its words after `ok`.
    ///
    /// # Errors
    ///
    /// The peer answers with an error, ends, or does not answer within 180 s. The error shows the
    /// end of its log.
    pub fn ask(&mut self, command: &str) -> Result<String> {
        // A broken pipe shows as a missing answer, with the log.
        let _ = writeln!(self.commands, "{command}");
        let answer = match self.answers.recv_timeout(ANSWER) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => "no answer in time".to_owned(),
            Err(RecvTimeoutError::Disconnected) => "the process ended".to_owned(),
        };
        match answer.strip_prefix("ok") {
            Some(result) => Ok(result.trim().to_owned()),
            None => Err(anyhow!(
                "the Java peer failed at `{command}`: {answer}; {}",
                self.logs.tail(&self.log)
            )),
        }
    }

    /// Returns the file to which the exporter of this peer appends a line `KEY SEQUENCE VALUE` for
    /// each entry.
    #[must_use]
    pub fn exported(&self) -> PathBuf {
        self.logs.file(&self.log).with_extension("exported")
    }

    /// Returns the process, which a test may suspend.
    ///
    /// # Errors
    ///
    /// The process has ended.
    pub fn process(&self) -> Result<Process> {
        let pid = i32::try_from(self.process.id()).ok();
        pid.and_then(Process::of).context("the Java peer has ended")
    }
}

impl Drop for JavaPeer {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn fresh_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("peer-{}-{number}", std::process::id())
}

/// Returns the properties of an application of this cluster.
fn properties(
    cluster: &Cluster,
    zookeepers: &str,
    application: &str,
    settings: &[(&str, &str)],
) -> String {
    let site = cluster.site();
    let of_cluster = [
        ("fluo.connection.application.name", application),
        ("fluo.connection.zookeepers", zookeepers),
        ("fluo.accumulo.instance", &site.instance),
        ("fluo.accumulo.zookeepers", &site.zookeepers),
        ("fluo.accumulo.user", &site.user),
        ("fluo.accumulo.password", &site.password),
        ("fluo.accumulo.table", application),
    ];
    let mut text = String::new();
    // Two lines of one name would be a list.
    let is_replaced = |name: &str| settings.iter().any(|(other, _)| *other == name);
    let kept = of_cluster.iter().filter(|(name, _)| !is_replaced(name));
    for (name, value) in kept.chain(settings) {
        let _ = writeln!(text, "{name}={value}");
    }
    text
}

fn property(name: &str, value: &Path) -> OsString {
    let mut option = OsString::from(format!("-D{name}="));
    option.push(value);
    option
}

fn class_path(jars: &Jars, classes: &Path) -> Result<OsString> {
    let mut path = classes.as_os_str().to_owned();
    path.push(":");
    path.push(jars.class_path()?);
    Ok(path)
}

/// Compiles the peer in a temporary folder, which is renamed when it is complete.
fn compile(jars: &Jars, complete: &Path) -> Result<()> {
    let partial = folder::fresh_run()?;
    let classes = partial.join("classes");
    let mut compiler = Command::new("java");
    compiler.env("CLASSPATH", jars.class_path()?).arg(COMPILER);
    compiler.args(["-source", "11", "-target", "11", "-proc:none", "-nowarn"]);
    compiler.arg("-classpath").arg(jars.class_path()?);
    compiler.arg("-d").arg(&classes);
    for (name, text) in SOURCES {
        let file = partial.join(name);
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        compiler.arg(file);
    }
    let output = compiler.output().context("`java` cannot be run")?;
    if !output.status.success() {
        bail!(
            "the Java peer cannot be compiled:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::rename(&classes, complete).context("the classes cannot be moved into place")?;
    // A folder that is left is removed by a later run.
    let _ = fs::remove_dir_all(partial);
    Ok(())
}
