//! What the live tests need from the machine, asked before anything is compiled.

use std::process::Command;

use anyhow::{Context, Result, bail};

const JAVA: u32 = 17;

/// What a browser that the tests can drive may be called; the tests know the same names.
const BROWSERS: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Fails unless there is a browser.
pub(crate) fn check_browser() -> Result<()> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there =
        |name: &str| std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    match BROWSERS.into_iter().find(|name| is_there(name)) {
        Some(_) => Ok(()),
        None => bail!(
            "the tests of reports open them in a browser: install Chromium (Debian: apt install \
             chromium-headless-shell), or run `cargo xtask test --without-browser` for the rest"
        ),
    }
}

/// Fails unless Java and Maven are there.
pub(crate) fn check_accumulo() -> Result<()> {
    let java = output("java", "-version");
    match java.as_deref().and_then(java_version) {
        Some(version) if version >= JAVA => {}
        Some(version) => bail!(
            "Java {version} is too old for the live tests: install Java {JAVA} or later (Debian: apt install \
             openjdk-17-jre-headless), or run `cargo xtask test --without-accumulo` for the rest"
        ),
        None => bail!(
            "the live tests need Java {JAVA} or later: install it (Debian: apt install openjdk-17-jre-headless), \
             or run `cargo xtask test --without-accumulo` for the rest"
        ),
    }
    output("mvn", "--version").map(drop).context(
        "the live tests need Maven: install it (Debian: apt install maven), or run \
         `cargo xtask test --without-accumulo` for the rest",
    )
}

/// What a command prints when it works.
pub(crate) fn output(command: &str, argument: &str) -> Option<String> {
    let output = Command::new(command).arg(argument).output().ok()?;
    // Java says its version on standard error.
    let said = [output.stdout, output.stderr].concat();
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&said).into_owned())
}

/// The major version in what `java -version` prints: `"17.0.15"` is 17, and `"1.8.0_292"` is 8.
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
    fn the_version_of_java_is_read() {
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
    fn what_is_no_java_has_no_version() {
        for said in [
            "",
            "command not found",
            "openjdk version \"\"",
            "openjdk version \"x\"",
        ] {
            assert_eq!(java_version(said), None, "{said}");
        }
    }
}
