//! The tools that parts of the tests need on the machine: the search for each, and its
//! installation.

use std::env;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::cargo::command;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Rustfmt,
    Clippy,
    Java,
    Maven,
    Browser,
}

/// The result of the search for a tool, with a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The tool is installed and can be used.
    Fit(String),
    /// The tool is installed but cannot be used.
    Unfit(String),
    Missing,
}

/// The installer of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A component of the Rust toolchain, by its name for `rustup`.
    Component(&'static str),
    /// Packages of Debian.
    Packages(&'static [&'static str]),
}

impl Tool {
    /// Returns the name for sentences, with the required version.
    pub(crate) fn name(self) -> String {
        match self {
            Tool::Rustfmt => "rustfmt".to_owned(),
            Tool::Clippy => "clippy".to_owned(),
            Tool::Java => format!("Java {OLDEST_JAVA} or later"),
            Tool::Maven => "Maven".to_owned(),
            Tool::Browser => "Chromium".to_owned(),
        }
    }

    /// Returns the installer, and the names that it installs.
    pub(crate) fn source(self) -> Source {
        match self {
            Tool::Rustfmt => Source::Component("rustfmt"),
            Tool::Clippy => Source::Component("clippy"),
            Tool::Java => Source::Packages(&["openjdk-17-jre-headless"]),
            Tool::Maven => Source::Packages(&["maven"]),
            Tool::Browser => Source::Packages(&["chromium-headless-shell", "fonts-dejavu-core"]),
        }
    }

    /// Looks for the tool on this machine.
    pub(crate) fn find(self) -> Found {
        match self {
            Tool::Rustfmt => has_component("fmt", self),
            Tool::Clippy => has_component("clippy", self),
            Tool::Java => output("java", "-version")
                .as_deref()
                .and_then(java_version)
                .map_or(Found::Missing, java),
            Tool::Maven => {
                output("mvn", "--version").map_or(Found::Missing, |_| Found::Fit(self.name()))
            }
            // The tests start the first browser that exists, so another one that works does not
            // help.
            Tool::Browser => BROWSERS
                .into_iter()
                .find(|name| is_in_path(name))
                .map_or(Found::Missing, browser),
        }
    }
}

/// Describes the tools that were found and those that are missing, with the commands that install
/// the latter. Returns `None` if no tool is missing.
pub(crate) fn lack(found: &[(Tool, Found)]) -> Option<String> {
    let lacking = lacking(found);
    if lacking.is_empty() {
        return None;
    }
    let words: Vec<_> = found
        .iter()
        .map(|(tool, found)| match found {
            Found::Fit(name) => format!("{name} is installed"),
            Found::Unfit(words) => words.clone(),
            Found::Missing => format!("{} is missing", tool.name()),
        })
        .collect();
    Some(format!("{}; {}", words.join(", "), remedy(&lacking)))
}

/// Returns the tools that are missing or cannot be used.
pub(crate) fn lacking(found: &[(Tool, Found)]) -> Vec<Tool> {
    let lacking = found
        .iter()
        .filter(|(_, found)| !matches!(found, Found::Fit(_)));
    lacking.map(|(tool, _)| *tool).collect()
}

/// Returns the commands that install some tools.
fn remedy(tools: &[Tool]) -> String {
    let mut commands = Vec::new();
    let (components, packages) = sources(tools);
    if !components.is_empty() {
        commands.push(format!(
            "run: rustup component add {}",
            components.join(" ")
        ));
    }
    if !packages.is_empty() {
        commands.push(format!("on Debian run: apt install {}", packages.join(" ")));
    }
    commands.join(", and ")
}

/// Returns the components and the packages of some tools.
pub(crate) fn sources(tools: &[Tool]) -> (Vec<&'static str>, Vec<&'static str>) {
    let (mut components, mut packages) = (Vec::new(), Vec::new());
    for tool in tools {
        match tool.source() {
            Source::Component(name) => components.push(name),
            Source::Packages(names) => packages.extend(names),
        }
    }
    (components, packages)
}

/// Fails unless all of these tools can be used.
pub(crate) fn require(tools: &[Tool]) -> Result<()> {
    let found: Vec<_> = tools.iter().map(|tool| (*tool, tool.find())).collect();
    match lack(&found) {
        Some(lack) => bail!("{lack}"),
        None => Ok(()),
    }
}

fn has_component(subcommand: &str, tool: Tool) -> Found {
    let ran = command(&[subcommand, "--version"], &[])
        .stdin(Stdio::null())
        .output();
    match ran {
        Ok(output) if output.status.success() => Found::Fit(tool.name()),
        _ => Found::Missing,
    }
}

fn java(version: u32) -> Found {
    match version >= OLDEST_JAVA {
        true => Found::Fit(format!("Java {version}")),
        false => Found::Unfit(format!("Java {version} is older than {OLDEST_JAVA}")),
    }
}

fn browser(name: &str) -> Found {
    match output(name, "--version") {
        Some(_) => Found::Fit(name.to_owned()),
        None => Found::Unfit(format!("`{name} --version` fails")),
    }
}

/// Checks whether a program is in a folder of `PATH`.
pub(crate) fn is_in_path(name: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

/// Returns the output of a command, if it succeeds.
pub(crate) fn output(command: &str, argument: &str) -> Option<String> {
    let output = Command::new(command).arg(argument).output().ok()?;
    // Java prints its version on standard error.
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
    use super::{Found, Tool, java_version, lack};

    #[test]
    fn reads_the_version_of_java() {
        for (said, version) in [
            (
                "openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime Environment (build 17)",
                17,
            ),
            (
                "Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version \"21\" 2023-09-19",
                21,
            ),
            (
                "java version \"1.8.0_292\"\nJava(TM) SE Runtime Environment",
                8,
            ),
            ("openjdk version \"25-ea\" 2025-09-16", 25),
            ("openjdk version \"11.0.2\" 2019-01-15", 11),
        ] {
            assert_eq!(java_version(said), Some(version), "{said}");
        }
    }

    #[test]
    fn finds_no_version_of_java_in_other_output() {
        for said in [
            "",
            "command not found",
            "openjdk version \"\"",
            "openjdk version \"x\"",
        ] {
            assert_eq!(java_version(said), None, "{said}");
        }
    }

    #[test]
    fn names_each_missing_tool_and_the_commands() {
        let found = [
            (Tool::Clippy, Found::Missing),
            (Tool::Java, Found::Fit("Java 21".to_owned())),
            (Tool::Maven, Found::Missing),
            (Tool::Browser, Found::Missing),
        ];
        assert_eq!(
            lack(&found).unwrap(),
            "clippy is missing, Java 21 is installed, Maven is missing, Chromium is missing; \
             run: rustup component add clippy, and on Debian run: apt install maven chromium-headless-shell \
             fonts-dejavu-core"
        );
        assert_eq!(lack(&found[1..2]), None);
    }
}
