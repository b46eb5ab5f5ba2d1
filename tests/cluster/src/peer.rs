//! A process of Apache Fluo, for tests of Rust and Java together.
//!
//! The program is in `tests/interop`. It is compiled once, by a compiler that is one of the fetched
//! jars, so a Java runtime suffices.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use rustix::process::Signal;

use crate::cluster::Cluster;
use crate::folder;
use crate::jars::{self, made_once};
use crate::java;
use crate::logs::Logs;
use crate::poll::poll;
use crate::process::Process;

const POM: &str = include_str!("../../interop/pom.xml");
const SOURCES: [(&str, &str); 4] = [
    ("Bench.java", include_str!("../../interop/Bench.java")),
    ("Peer.java", include_str!("../../interop/Peer.java")),
    ("Shop.java", include_str!("../../interop/Shop.java")),
    ("Observers.java", include_str!("../../interop/Observers.java")),
];
const COMPILER: &str = "org.eclipse.jdt.internal.compiler.batch.Main";

/// The time that an answer may take.
const ANSWER: Duration = Duration::from_secs(180);
/// The time that a Java process may take to write the stacks of its threads.
const STACKS: Duration = Duration::from_secs(20);

/// A process of Apache Fluo 1.2.0 that reads commands and answers them. Dropping it kills it. It
/// also ends when its owner does.
#[derive(Debug)]
pub struct JavaPeer {
    process: Child,
    commands: ChildStdin,
    answers: Receiver<String>,
    logs: Logs,
    /// The name of its files in the folder of logs.
    name: String,
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
        static NEXT: AtomicU32 = AtomicU32::new(0);
        java::check()?;
        let jars = jars::fetched(POM)?;
        let sources = SOURCES.map(|(_, text)| text).concat() + POM;
        let mut class_path = made_once("peer", &sources, |it| compile(&jars, it))?.into_os_string();
        class_path.push(":");
        class_path.push(jars::class_path(&jars)?);
        let logs = Logs(cluster.site().logs.clone());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("peer-{}-{number}", std::process::id());
        let file = logs.file(&format!("{name}.properties"));
        let text = properties(cluster, zookeepers, application, settings);
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        let log = File::create(logs.file(&format!("{name}.out")));
        let mut exported = OsString::from("-Dpeer.exported=");
        exported.push(logs.file(&format!("{name}.exported")));
        let mut process = Command::new("java")
            .args(["-Xmx256m", "-XX:+DisplayVMOutputToStderr"])
            .arg("-Dorg.slf4j.simpleLogger.showDateTime=true")
            .arg("-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS")
            .args([exported.as_os_str(), "Peer".as_ref()])
            .arg(&file)
            .env("CLASSPATH", class_path)
            .env("JAVA_TOOL_OPTIONS", java::OPTIONS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log.context("the log of a Java peer")?)
            .spawn()
            .context("`java` cannot be run")?;
        let commands = process.stdin.take().context("the Java peer has no pipe")?;
        let output = process.stdout.take().context("the Java peer has no pipe")?;
        let (sender, answers) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // The peer of a failed test may still answer.
            lines.take_while(|line| sender.send(line.clone()).is_ok()).count();
        });
        Ok(JavaPeer { process, commands, answers, logs, name })
    }

    /// Sends a command, waits for the answer, and returns its words after `ok`.
    ///
    /// # Errors
    ///
    /// The peer answers with an error, ends, or does not answer within 180 s. The error shows the
    /// end of its log, and the threads of Fluo in a peer that does not answer.
    pub fn ask(&mut self, command: &str) -> Result<String> {
        // A broken pipe shows as a missing answer, with the log.
        let _ = writeln!(self.commands, "{command}");
        let answer = match self.answers.recv_timeout(ANSWER) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                format!("no answer in time; the threads of Fluo:\n{}", self.stacks())
            }
            Err(RecvTimeoutError::Disconnected) => "the process ended".to_owned(),
        };
        let result = answer.strip_prefix("ok").map(|result| result.trim().to_owned());
        result.ok_or_else(|| {
            anyhow!("the Java peer failed at `{command}`: {answer}; {}", self.tail())
        })
    }

    /// Returns the end of the log of the peer, and the stacks of the threads that run code of Fluo.
    #[must_use]
    pub fn report(&self) -> String {
        let tail = self.tail();
        format!("{tail}\nthe threads of Fluo:\n{}", self.stacks())
    }

    fn tail(&self) -> String {
        self.logs.tail(&format!("{}.out", self.name))
    }

    fn stacks(&self) -> String {
        if let Ok(process) = self.process() {
            process.signal(Signal::QUIT);
        }
        let log = self.logs.file(&format!("{}.out", self.name));
        let read = || fs::read_to_string(&log).unwrap_or_default();
        poll(STACKS, || read().contains("JNI global refs"));
        let text = read();
        let stacks = text.split("\n\n").filter(|stack| stack.contains("at org.apache.fluo"));
        stacks.collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the file to which the exporter of this peer appends a line `KEY SEQUENCE VALUE` for
    /// each entry.
    #[must_use]
    pub fn exported(&self) -> PathBuf {
        self.logs.file(&format!("{}.exported", self.name))
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
    // Two lines of one name would be a list.
    let is_replaced = |name: &str| settings.iter().any(|(other, _)| *other == name);
    let kept = of_cluster.iter().filter(|(name, _)| !is_replaced(name));
    let lines = kept.chain(settings);
    lines.map(|(name, value)| format!("{name}={value}\n")).collect()
}

/// Compiles the peer in a temporary folder, which is renamed when it is complete.
fn compile(jars: &Path, complete: &Path) -> Result<()> {
    let partial = folder::fresh_run()?;
    let classes = partial.join("classes");
    let class_path = jars::class_path(jars)?;
    let mut compiler = Command::new("java");
    compiler.env("CLASSPATH", &class_path).arg(COMPILER);
    compiler.args(["-source", "11", "-target", "11", "-proc:none", "-nowarn"]);
    compiler.arg("-classpath").arg(class_path);
    compiler.arg("-d").arg(&classes);
    for (name, text) in SOURCES {
        let file = partial.join(name);
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        compiler.arg(file);
    }
    let output = compiler.output().context("`java` cannot be run")?;
    ensure!(
        output.status.success(),
        "the Java peer cannot be compiled:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::rename(&classes, complete).context("the classes cannot be moved into place")?;
    // A folder that is left is removed by a later run.
    let _ = fs::remove_dir_all(partial);
    Ok(())
}
