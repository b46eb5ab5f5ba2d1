//! The parts of a test run that need tools beyond a Rust toolchain: the search for the tools, their
//! installation, and the decision to run a part, to install its tools first, or to skip it.

use std::env;
use std::ffi::OsString;
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

/// A part of the tests, with the name that the plan prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Formatting,
    Clippy,
    Browser,
    PowerLoss,
    Accumulo,
}

/// A program outside of this repository.
#[derive(Debug)]
struct Tool {
    name: &'static str,
    is_installed: fn() -> bool,
    /// The component of the Rust toolchain that contains the tool; otherwise `packages` do.
    component: Option<&'static str>,
    /// The packages of Debian that contain the tool.
    packages: &'static [&'static str],
}

const RUSTFMT: Tool = Tool {
    name: "rustfmt",
    is_installed: || has_component("fmt"),
    component: Some("rustfmt"),
    packages: &[],
};
const CLIPPY: Tool = Tool {
    name: "clippy",
    is_installed: || has_component("clippy"),
    component: Some("clippy"),
    packages: &[],
};
const BROWSER: Tool = Tool {
    name: "Chromium",
    is_installed: || browser().is_some(),
    component: None,
    packages: &["chromium-headless-shell", "fonts-dejavu-core"],
};
const STRACE: Tool = Tool {
    name: "strace",
    // It may be installed, and forbidden to trace.
    is_installed: || {
        let mut traced = Command::new("strace");
        let traced = traced.args(["-o", "/dev/null", "true"]).output();
        traced.is_ok_and(|traced| traced.status.success())
    },
    component: None,
    packages: &["strace"],
};
const JAVA: Tool = Tool {
    name: "Java 17 or later",
    is_installed: || {
        let said = output("java", "-version");
        said.as_deref().and_then(java_version) >= Some(OLDEST_JAVA)
    },
    component: None,
    packages: &["openjdk-17-jre-headless"],
};
const MAVEN: Tool = Tool {
    name: "Maven",
    is_installed: || output("mvn", "--version").is_some(),
    component: None,
    packages: &["maven"],
};

impl Part {
    const ALL: [Part; 5] =
        [Part::Formatting, Part::Clippy, Part::Browser, Part::PowerLoss, Part::Accumulo];

    fn name(self) -> &'static str {
        match self {
            Part::Formatting => "the check of the formatting",
            Part::Clippy => "clippy",
            Part::Browser => "the tests of reports in a browser",
            Part::PowerLoss => "the tests of a loss of power",
            Part::Accumulo => "the live tests on Accumulo",
        }
    }

    fn tools(self) -> &'static [Tool] {
        match self {
            Part::Formatting => &[RUSTFMT],
            Part::Clippy => &[CLIPPY],
            Part::Browser => &[BROWSER],
            Part::PowerLoss => &[STRACE],
            Part::Accumulo => &[JAVA, MAVEN],
        }
    }

    /// Returns the tools of a part that are missing on this machine.
    pub(crate) fn lack(self) -> Lack {
        let tools = self.tools().iter();
        Lack(tools.filter(|tool| !(tool.is_installed)()).collect())
    }
}

/// The requests of a caller.
#[derive(Debug)]
pub(crate) struct Wishes {
    /// Parts to skip, each with the flag or the environment variable that excludes it.
    pub(crate) excluded: Vec<(Part, &'static str)>,
    /// The reason for which no part may be skipped: a flag, or continuous integration.
    pub(crate) forbids_skipping: Option<&'static str>,
    /// The state file of a running cluster for the live tests, which then need no tools to start
    /// one.
    pub(crate) cluster: Option<OsString>,
}

/// The decisions about all parts.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    skipped: Vec<Part>,
    /// The tools to install first, if no part may be skipped.
    pub(crate) missing: Lack,
    /// A line for each part that is skipped or needs an installation.
    pub(crate) remarks: Vec<String>,
    /// A line for each part that runs without an installation.
    pub(crate) ready: Vec<String>,
}

impl Plan {
    /// Decides about each part, from the requests and the tools of this machine.
    ///
    /// # Errors
    ///
    /// A part is excluded although no part may be skipped.
    pub(crate) fn new(wishes: &Wishes) -> Result<Plan> {
        let mut plan = Plan::default();
        for part in Part::ALL {
            let name = part.name();
            let exclusion = wishes.excluded.iter().find(|(this, _)| *this == part);
            let lack = match part {
                Part::Accumulo if wishes.cluster.is_some() => Lack::default(),
                _ => part.lack(),
            };
            let reason = match (exclusion, wishes.forbids_skipping) {
                (Some((_, flag)), Some(cause)) => bail!(
                    "`{flag}` contradicts `{cause}`, which forbids skipping: leave one of them out"
                ),
                (Some((_, flag)), None) => format!("`{flag}` was given"),
                (None, _) if lack.is_empty() => {
                    plan.ready.push(format!("runs: {name}"));
                    continue;
                }
                (None, Some(_)) => {
                    plan.remarks.push(format!("to install for {name}: {}", lack.remedy()));
                    plan.missing.0.extend(lack.0);
                    continue;
                }
                (None, None) => lack.remedy(),
            };
            plan.remarks.push(format!("skipped: {name}: {reason}"));
            plan.skipped.push(part);
        }
        Ok(plan)
    }

    pub(crate) fn runs(&self, part: Part) -> bool {
        !self.skipped.contains(&part)
    }
}

/// Tools that are missing.
#[derive(Debug, Default)]
pub(crate) struct Lack(Vec<&'static Tool>);

impl Lack {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn components(&self) -> Vec<&'static str> {
        self.0.iter().filter_map(|tool| tool.component).collect()
    }

    fn packages(&self) -> Vec<&'static str> {
        self.0.iter().flat_map(|tool| tool.packages).copied().collect()
    }

    /// Returns the names of the tools, with the commands that install them.
    pub(crate) fn remedy(&self) -> String {
        let names: Vec<_> = self.0.iter().map(|tool| tool.name).collect();
        let mut text = format!("missing: {}", names.join(", "));
        for (command, what) in
            [("rustup component add", self.components()), ("apt install", self.packages())]
        {
            if !what.is_empty() {
                text += &format!("; run: {command} {}", what.join(" "));
            }
        }
        text
    }

    /// Installs the tools: components of the toolchain with `rustup`, all others with `apt-get`, as
    /// root or with `sudo`.
    ///
    /// # Errors
    ///
    /// An installer is missing or fails.
    pub(crate) fn install(&self) -> Result<()> {
        let (components, packages) = (self.components(), self.packages());
        if !components.is_empty() {
            words(&[&["rustup", "component", "add"][..], &components].concat())?;
        }
        if packages.is_empty() {
            return Ok(());
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
        apt(&[&install[..], &packages].concat())
    }
}

/// Runs a program without standard input. The first word is its name.
pub(crate) fn words(words: &[&str]) -> Result<()> {
    let (name, arguments) = words.split_first().unwrap_or((&"true", &[]));
    let mut command = Command::new(name);
    command.current_dir(workspace()).args(arguments);
    run(&words.join(" "), command.stdin(Stdio::null()))
}

fn has_component(subcommand: &str) -> bool {
    let mut version = command(&[subcommand, "--version"], &[]);
    let output = version.stdin(Stdio::null()).output();
    output.is_ok_and(|output| output.status.success())
}

/// Returns the name of the first browser that exists, if it runs. The tests start the same one, so
/// another one that works does not help.
pub(crate) fn browser() -> Option<&'static str> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&str| env::split_paths(&folders).any(|it| it.join(name).is_file());
    let name = BROWSERS.into_iter().find(is_there);
    name.filter(|name| output(name, "--version").is_some())
}

/// Returns both outputs of a command that succeeds: Java prints its version on standard error.
fn output(command: &str, argument: &str) -> Option<String> {
    let output = Command::new(command).arg(argument).output().ok()?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    output.status.success().then_some(said)
}

/// Parses the major version from the output of `java -version`: `"17.0.15"` is 17, `"1.8.0_292"` is
/// 1.
fn java_version(said: &str) -> Option<u32> {
    let line = said.lines().find(|line| line.contains(" version \""))?;
    let version = line.split('"').nth(1)?;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::java_version;

    #[test]
    fn reads_the_version_of_java() {
        for (said, version) in [
            ("Picked up X: -Xmx1g\nopenjdk version \"21\" 2023", Some(21)),
            ("java version \"1.8.0_292\"\nJava(TM) SE", Some(1)),
            ("openjdk version \"25-ea\" 2025-09-16", Some(25)),
            ("command not found", None),
        ] {
            assert_eq!(java_version(said), version, "{said}");
        }
    }
}
