//! The start of a class of Accumulo 1.10 on a newer Java.

use std::ffi::OsString;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::jars;
use crate::logs::Logs;
use crate::poll::poll;
use crate::process::Process;
use crate::state::Site;

/// Options of all processes, also of those that the runner starts: they inherit the environment.
pub(crate) const OPTIONS: &str = concat!(
    // The runner passes -XX:+UseConcMarkSweepGC to its children, which does not exist since Java
    // 14.
    "-XX:+IgnoreUnrecognizedVMOptions",
    " -Dzookeeper.sasl.client=false",
    // The runner sends `ruok` to ZooKeeper, and 3.5 answers it only with this option.
    " -Dzookeeper.4lw.commands.whitelist=*",
    // Another process may use port 8080.
    " -Dzookeeper.admin.enableServer=false",
    // Accumulo and Hadoop use reflection on these packages.
    " --add-opens=java.base/java.lang=ALL-UNNAMED",
    " --add-opens=java.base/java.util=ALL-UNNAMED",
    " --add-opens=java.base/java.net=ALL-UNNAMED",
    " --add-opens=java.base/java.nio=ALL-UNNAMED",
    " --add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
);

/// Returns the command that runs a class with a heap and a file of properties. The role is the name
/// of its log.
///
/// # Errors
///
/// The properties cannot be written, or the jars cannot be listed.
pub(crate) fn class(
    site: &Site,
    name: &str,
    role: &str,
    heap: &str,
    properties: &str,
) -> Result<Command> {
    let file = site.directory.join(format!("{role}.properties"));
    fs::write(&file, properties)
        .with_context(|| format!("{} cannot be written", file.display()))?;
    let mut options = OsString::from(OPTIONS);
    options.push(" -Dlog4j.configuration=file:");
    options.push(site.directory.join("log4j.properties"));
    let mut java = Command::new("java");
    java.args([&format!("-Xmx{heap}"), &format!("-Dproc={role}"), name, "-p"]);
    java.arg(file);
    java.env("CLASSPATH", jars::class_path(&site.jars)?);
    java.env("JAVA_TOOL_OPTIONS", options);
    Ok(java)
}

/// Writes the configuration of the logs: one file per role in the folder of logs. All tablet
/// servers share one.
pub(crate) fn configure_logs(site: &Site) -> Result<()> {
    let file = site.directory.join("log4j.properties");
    let text = format!(
        "log4j.rootLogger=INFO, file\n\
         log4j.appender.file=org.apache.log4j.FileAppender\n\
         log4j.appender.file.File={}/${{proc}}.log\n\
         log4j.appender.file.layout=org.apache.log4j.PatternLayout\n\
         log4j.appender.file.layout.ConversionPattern=%d{{ISO8601}} %-5p [%t] %c{{2}}: %m%n\n\
         log4j.logger.org.apache.zookeeper=WARN\n\
         log4j.logger.org.apache.hadoop=WARN\n",
        site.logs.display()
    );
    fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))
}

/// Waits until a server is ready. `output` is the log of its outputs.
///
/// # Errors
///
/// The process ends, or the server is not ready in time. The error shows the end of the log.
pub(crate) fn wait(
    server: &str,
    process: Process,
    within: Duration,
    logs: &Logs,
    output: &str,
    mut check: impl FnMut() -> Result<()>,
) -> Result<()> {
    let (mut is_alive, mut last) = (true, Ok(()));
    poll(within, || {
        is_alive = process.is_alive();
        last = check();
        !is_alive || last.is_ok()
    });
    let problem = match last {
        _ if !is_alive => "ended while it started".to_owned(),
        Ok(()) => return Ok(()),
        Err(error) => format!("is not ready within {} s: {error:#}", within.as_secs()),
    };
    bail!("{server} {problem}; {}", logs.tail(output))
}

/// Fails with an installation hint if Java is missing.
pub(crate) fn check() -> Result<()> {
    let mut java = Command::new("java");
    let java = java.arg("-version").stdout(Stdio::null()).stderr(Stdio::null());
    java.status().context(
        "Java 17 is needed for the test cluster: install it (Debian: apt install openjdk-17-jre-headless)",
    )?;
    Ok(())
}
