//! The programs of the workspace: tests, examples and commands, built in one go.
//!
//! Cargo chooses the features of dependencies for the packages of one call. A second call for some
//! of the packages would compile most of them again, so later steps run these programs directly.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo::{command, say, workspace};

/// The environment variable that names the folder of built programs to tests that start some of
/// them. Without it, such a test calls cargo to build them.
pub(crate) const FOLDER: &str = "FLUO_PROGRAMS";

/// Built programs.
#[derive(Debug)]
pub(crate) struct Programs {
    all: Vec<Program>,
}

/// A built program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    kind: String,
    name: String,
    is_test: bool,
    package: PathBuf,
    executable: PathBuf,
}

impl Programs {
    /// Builds the programs of all packages.
    pub(crate) fn build() -> Result<Programs> {
        let mut programs = Programs::built_by(&["test", "--workspace", "--no-run"])?;
        // The first call builds an example that has tests only as a test.
        let examples = Programs::built_by(&["build", "--workspace", "--examples"])?;
        for example in examples.all {
            if !programs.all.contains(&example) {
                programs.all.push(example);
            }
        }
        Ok(programs)
    }

    fn built_by(arguments: &[&str]) -> Result<Programs> {
        say(&format!("\n> cargo {}", arguments.join(" ")));
        let format = "--message-format=json-render-diagnostics";
        let output = command(&[arguments, &[format]].concat(), &[])
            .stderr(Stdio::inherit())
            .output()
            .context("cargo cannot be run")?;
        if !output.status.success() {
            bail!("`cargo {}` failed", arguments.join(" "));
        }
        Programs::from_messages(&String::from_utf8_lossy(&output.stdout))
    }

    /// Reads the messages of cargo, one JSON object a line.
    fn from_messages(messages: &str) -> Result<Programs> {
        let mut all = Vec::new();
        for line in messages.lines() {
            let message: Value = serde_json::from_str(line)
                .with_context(|| format!("cargo printed a line that is not JSON: {line}"))?;
            all.extend(Program::from_message(&message));
        }
        Ok(Programs { all })
    }

    /// Returns the test programs with these names.
    ///
    /// # Errors
    ///
    /// There is no test program of a name.
    pub(crate) fn tests(&self, names: &[&str]) -> Result<Vec<Program>> {
        let find = |name: &&str| {
            let mut all = self.all.iter();
            let found = all.find(|one| one.kind == "test" && one.name == *name);
            found
                .cloned()
                .with_context(|| format!("there is no test program `{name}`"))
        };
        names.iter().map(find).collect()
    }

    /// Returns the examples of a package that lies in a folder of the workspace, in the order of
    /// their names.
    ///
    /// # Errors
    ///
    /// There are none.
    pub(crate) fn examples(&self, folder: &str) -> Result<Vec<Program>> {
        let package = workspace().join(folder);
        let is_wanted =
            |one: &&Program| one.kind == "example" && !one.is_test && one.package == package;
        let mut examples: Vec<_> = self.all.iter().filter(is_wanted).cloned().collect();
        examples.sort_by(|one, other| one.name.cmp(&other.name));
        if examples.is_empty() {
            bail!("there are no examples in {folder}");
        }
        Ok(examples)
    }

    /// Returns the folder of the commands. Examples lie in its folder `examples`.
    ///
    /// # Errors
    ///
    /// There is no command `fluo`.
    pub(crate) fn folder(&self) -> Result<&Path> {
        let mut all = self.all.iter();
        let fluo = all.find(|one| one.kind == "bin" && one.name == "fluo" && !one.is_test);
        fluo.and_then(|one| one.executable.parent())
            .context("there is no command `fluo`")
    }
}

impl Program {
    /// Reads a message of cargo. Returns `None` if it does not name a program.
    fn from_message(message: &Value) -> Option<Program> {
        let at = |pointer| message.pointer(pointer);
        let text = |pointer| at(pointer).and_then(Value::as_str);
        Some(Program {
            kind: text("/target/kind/0")?.to_owned(),
            name: text("/target/name")?.to_owned(),
            is_test: at("/profile/test")?.as_bool()?,
            package: Path::new(text("/manifest_path")?).parent()?.to_owned(),
            executable: PathBuf::from(text("/executable")?),
        })
    }

    /// Returns the name of the program.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the program as a command, in the folder of its package, as cargo runs tests.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.current_dir(&self.package);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_programs_in_the_messages_of_cargo() {
        let root = workspace();
        let root = root.display();
        let artifact = |kind: &str, name: &str, is_test: bool, folder: &str, file: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"{root}/{folder}/Cargo.toml\",\
                 \"target\":{{\"kind\":[\"{kind}\"],\"name\":\"{name}\"}},\"profile\":{{\"test\":{is_test}}},\
                 \"executable\":{file}}}\n"
            )
        };
        let messages = [
            artifact("lib", "fluo", false, "src/engine", "null"),
            artifact("bin", "fluo", true, "src/cli", "\"/b/deps/fluo-1\""),
            artifact("bin", "fluo", false, "src/cli", "\"/b/fluo\""),
            artifact("test", "live", true, "tests", "\"/b/deps/live-2\""),
            artifact("example", "02_b", false, "examples", "\"/b/examples/02_b\""),
            artifact("example", "01_a", false, "examples", "\"/b/examples/01_a\""),
            artifact(
                "example",
                "01_a",
                true,
                "examples",
                "\"/b/examples/01_a-3\"",
            ),
            artifact("example", "scan", false, "src/x", "\"/b/examples/scan\""),
            "{\"reason\":\"build-finished\",\"success\":true}\n".to_owned(),
        ]
        .concat();
        let programs = Programs::from_messages(&messages).unwrap();

        let live = &programs.tests(&["live"]).unwrap()[0];
        assert_eq!(live.command().get_program(), "/b/deps/live-2");
        assert_eq!(
            live.command().get_current_dir(),
            Some(&*workspace().join("tests"))
        );
        let examples = programs.examples("examples").unwrap();
        let names: Vec<_> = examples.iter().map(Program::name).collect();
        assert_eq!(names, ["01_a", "02_b"]);
        assert_eq!(examples[0].command().get_program(), "/b/examples/01_a");
        assert_eq!(programs.folder().unwrap(), Path::new("/b"));

        let error = |result: Result<Vec<Program>>| result.unwrap_err().to_string();
        assert_eq!(
            error(programs.tests(&["live", "dead"])),
            "there is no test program `dead`"
        );
        assert_eq!(
            error(programs.examples("none")),
            "there are no examples in none"
        );
    }

    #[test]
    fn reports_a_line_that_is_not_json() {
        let error = Programs::from_messages("oops").unwrap_err().to_string();
        assert_eq!(error, "cargo printed a line that is not JSON: oops");
    }
}
