//! The tools that parts of the tests need on the machine: the search for each, and its
//! installation.

use std::env;
use std::fmt;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::cargo::{command, run, workspace};

const OLDEST_JAVA: u32 = 17;
/// Browsers that the tests can use. The tests contain the same list.
const BROWSERS: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// A program outside of this repository.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Searches the tool. Returns a description of the installed tool, or of the problem.
    find: fn() -> Result<String, String>,
    /// The components of the Rust toolchain that contain the tool.
    components: &'static [&'static str],
    /// The packages of Debian that contain the tool.
    packages: &'static [&'static str],
}

pub(crate) const RUSTFMT: Tool = Tool {
    find: || component("fmt", "rustfmt"),
    components: &["rustfmt"],
    packages: &[],
};
pub(crate) const CLIPPY: Tool = Tool {
    find: || component("clippy", "clippy"),
    components: &["clippy"],
    packages: &[],
};
pub(crate) const BROWSER: Tool = Tool {
    find: browser,
    components: &[],
    packages: &["chromium-headless-shell", "fonts-dejavu-core"],
};
pub(crate) const JAVA: Tool = Tool {
    find: java,
    components: &[],
    packages: &["openjdk-17-jre-headless"],
};
pub(crate) const MAVEN: Tool = Tool {
    find: || match output("mvn", "--version") {
        Some(_) => Ok("Maven".to_owned()),
        None => Err("Maven is missing".to_owned()),
    },
    components: &[],
    packages: &["maven"],
};

/// The tools that are missing, or cannot be used, and the descriptions of all tools of a part.
#[derive(Debug, Default)]
pub(crate) struct Lack {
    descriptions: Vec<String>,
    components: Vec<&'static str>,
    packages: Vec<&'static str>,
}

impl Lack {
    /// Looks for some tools on this machine. Returns `None` if all of them can be used.
    pub(crate) fn of(tools: &[Tool]) -> Option<Lack> {
        let mut lack = Lack::default();
        for tool in tools {
            lack.descriptions.push(match (tool.find)() {
                Ok(name) => format!("{name} is installed"),
                Err(problem) => {
                    lack.components.extend(tool.components);
                    lack.packages.extend(tool.packages);
                    problem
                }
            });
        }
        (!lack.is_empty()).then_some(lack)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.components.is_empty() && self.packages.is_empty()
    }

    pub(crate) fn add(&mut self, other: Lack) {
        self.components.extend(other.components);
        self.packages.extend(other.packages);
    }

    /// Installs the missing tools: components of the toolchain with `rustup`, all others with
    /// `apt-get`, as root or with `sudo`.
    ///
    /// # Errors
    ///
    /// An installer is missing or fails.
    pub(crate) fn install(&self) -> Result<()> {
        if !self.components.is_empty() {
            words(&[&["rustup", "component", "add"][..], &self.components].concat())?;
        }
        if self.packages.is_empty() {
            return Ok(());
        }
        if !is_in_path("apt-get") {
            bail!("`apt-get` is missing; no other installer of packages is supported");
        }
        let as_root: &[&str] = match output("id", "-u").as_deref().map(str::trim) {
            Some("0") => &[],
            // Without a prompt for a password, which would never be answered.
            _ => &["sudo", "-n"],
        };
        let quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
        let apt = |arguments: &[&str]| words(&[as_root, &quiet, arguments].concat());
        // Old package lists may name versions that no longer exist. An update may fail for an
        // unneeded source.
        let _ = apt(&["update", "-q"]);
        let install = ["install", "-q", "-y", "--no-install-recommends"];
        apt(&[&install[..], &self.packages].concat())
    }
}

/// Describes all tools, with the commands that install the missing ones.
impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut remedies = Vec::new();
        if !self.components.is_empty() {
            let components = self.components.join(" ");
            remedies.push(format!("run: rustup component add {components}"));
        }
        if !self.packages.is_empty() {
            let packages = self.packages.join(" ");
            remedies.push(format!("on Debian run: apt install {packages}"));
        }
        let (descriptions, remedies) = (self.descriptions.join(", "), remedies.join(", and "));
        write!(f, "{descriptions}; {remedies}")
    }
}

/// Runs a program without standard input. The first word is its name.
pub(crate) fn words(words: &[&str]) -> Result<()> {
    let (name, arguments) = words.split_first().unwrap_or((&"true", &[]));
    let mut command = Command::new(name);
    command.current_dir(workspace()).args(arguments);
    run(&words.join(" "), command.stdin(Stdio::null()))
}

fn component(subcommand: &str, name: &str) -> Result<String, String> {
    let mut version = command(&[subcommand, "--version"], &[]);
    match version.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(name.to_owned()),
        _ => Err(format!("{name} is missing")),
    }
}

fn java() -> Result<String, String> {
    let said = output("java", "-version");
    match said.as_deref().and_then(java_version) {
        Some(version) if version >= OLDEST_JAVA => Ok(format!("Java {version}")),
        Some(version) => Err(format!("Java {version} is older than {OLDEST_JAVA}")),
        None => Err(format!("Java {OLDEST_JAVA} or later is missing")),
    }
}

/// Tries the first browser that exists. The tests start the same one, so another one that works
/// does not help.
fn browser() -> Result<String, String> {
    let name = BROWSERS.into_iter().find(|name| is_in_path(name));
    let name = name.ok_or("Chromium is missing")?;
    match output(name, "--version") {
        Some(_) => Ok(name.to_owned()),
        None => Err(format!("`{name} --version` fails")),
    }
}

fn is_in_path(name: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

/// Returns both outputs of a command that succeeds: Java prints its version on standard error.
fn output(command: &str, argument: &str) -> Option<String> {
    let output = Command::new(command).arg(argument).output().ok()?;
    let said = [output.stdout, output.stderr].concat();
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&said).into_owned())
}

/// Parses the major version from the output of `java -version`: `"17.0.15"` is 17, `"1.8.0_292"` is
/// 8.
fn java_version(said: &str) -> Option<u32> {
    let line = said.lines().find(|line| line.contains(" version \""))?;
    let version = line.split('"').nth(1)?;
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match parts.next()?.ok()? {
        1 => parts.next()?.ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    use super::java_version;

    #[test]
    fn reads_the_version_of_java() {
        for (said, version) in [
            ("openjdk version \"17.0.15\" 2025-04-15\nOpenJDK", Some(17)),
            ("Picked up X: -Xmx1g\nopenjdk version \"21\" 2023", Some(21)),
            ("java version \"1.8.0_292\"\nJava(TM) SE", Some(8)),
            ("openjdk version \"25-ea\" 2025-09-16", Some(25)),
            ("command not found", None),
            ("openjdk version \"x\"", None),
        ] {
            assert_eq!(java_version(said), version, "{said}");
        }
    }
}
