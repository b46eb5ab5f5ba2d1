//! How a class of Accumulo 1.10 is started on a Java that is newer than it.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::jars::Jars;
use crate::supervisor::Program;

/// For every process, those that the runner starts too: they inherit the environment.
const OPTIONS: [&str; 9] = [
    // The runner gives its children -XX:+UseConcMarkSweepGC, which is gone since Java 14.
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-Dzookeeper.sasl.client=false",
    // The runner asks ZooKeeper `ruok`, which 3.5 answers only when told to.
    "-Dzookeeper.4lw.commands.whitelist=*",
    // Port 8080 is somebody else's.
    "-Dzookeeper.admin.enableServer=false",
    // Accumulo and Hadoop reflect into these.
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.net=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
];

/// A class to run.
#[derive(Debug)]
pub(crate) struct Class<'a> {
    /// With its package.
    pub(crate) name: &'a str,
    /// What its log is called.
    pub(crate) role: &'a str,
    pub(crate) heap: &'a str,
    /// The file that follows `-p`.
    pub(crate) properties: &'a Path,
}

impl Class<'_> {
    /// The command that runs it. The file `log4j` configures its log and those of its children.
    pub(crate) fn program(&self, jars: &Jars, log4j: &Path) -> Result<Program> {
        let mut options = OsString::from(OPTIONS.join(" "));
        options.push(" -Dlog4j.configuration=file:");
        options.push(log4j);
        let words = [
            "java",
            &format!("-Xmx{}", self.heap),
            &format!("-Dproc={}", self.role),
        ];
        let mut words: Vec<OsString> = words.iter().map(Into::into).collect();
        words.extend([self.name.into(), "-p".into(), self.properties.into()]);
        let environment = vec![
            ("CLASSPATH".into(), jars.class_path()?),
            ("JAVA_TOOL_OPTIONS".into(), options),
        ];
        Ok(Program {
            words,
            environment,
            ..Program::default()
        })
    }
}

/// Writes the configuration of the logs: one file per role in this folder. Two tablet servers share theirs.
pub(crate) fn configure_logs(file: &Path, logs: &Path) -> Result<()> {
    let text = format!(
        "log4j.rootLogger=INFO, file\n\
         log4j.appender.file=org.apache.log4j.FileAppender\n\
         log4j.appender.file.File={}/${{proc}}.log\n\
         log4j.appender.file.layout=org.apache.log4j.PatternLayout\n\
         log4j.appender.file.layout.ConversionPattern=%d{{ISO8601}} %-5p [%t] %c{{2}}: %m%n\n\
         log4j.logger.org.apache.zookeeper=WARN\n\
         log4j.logger.org.apache.hadoop=WARN\n",
        logs.display()
    );
    fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}

/// Whether there is a Java at all; its absence deserves a better sentence than the shell's.
pub(crate) fn check() -> Result<()> {
    Command::new("java")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("Java 17 is needed for the test cluster: install it (Debian: apt install openjdk-17-jre-headless)")?;
    Ok(())
}
