//! The command that starts a class of Accumulo 1.10 on a newer Java.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::jars::Jars;
use crate::supervisor::Program;

/// Options of all processes, also of those that the runner starts: they inherit the environment.
const OPTIONS: [&str; 9] = [
    // The runner passes -XX:+UseConcMarkSweepGC to its children, which does not exist since Java
    // 14.
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-Dzookeeper.sasl.client=false",
    // The runner sends `ruok` to ZooKeeper, and 3.5 answers it only with this option.
    "-Dzookeeper.4lw.commands.whitelist=*",
    // Another process may use port 8080.
    "-Dzookeeper.admin.enableServer=false",
    // Accumulo and Hadoop use reflection on these packages.
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.net=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
];

/// A class to run.
#[derive(Debug)]
pub(crate) struct Class<'a> {
    /// The name with its package.
    pub(crate) name: &'a str,
    /// The name of its log.
    pub(crate) role: &'a str,
    pub(crate) heap: &'a str,
    /// The file that follows `-p`.
    pub(crate) properties: &'a Path,
}

impl Class<'_> {
    /// Returns the command that runs the class. The file `log4j` configures the logs of the process
    /// and its children.
    pub(crate) fn program(&self, jars: &Jars, log4j: &Path) -> Result<Program> {
        let mut options = options();
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

/// Returns the options of all processes, for `JAVA_TOOL_OPTIONS`.
pub(crate) fn options() -> OsString {
    OsString::from(OPTIONS.join(" "))
}

/// Writes the configuration of the logs: one file per role in this folder. All tablet servers share
/// one.
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

/// Fails with an installation hint if Java is missing.
pub(crate) fn check() -> Result<()> {
    Command::new("java")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("Java 17 is needed for the test cluster: install it (Debian: apt install openjdk-17-jre-headless)")?;
    Ok(())
}
