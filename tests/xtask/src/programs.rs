//! The programs of the workspace: tests, examples and commands, built in one go.
//!
//! Cargo chooses the features of dependencies for the packages of one call. A second call for some
//! of the packages would compile most of them again, so later steps run these programs directly.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::cargo::{Environment, command, say, workspace};
use crate::source::files;

/// The environment variable that names the folder of built programs to tests that start some of
/// them. Without it, such a test calls cargo to build them.
pub(crate) const FOLDER: &str = "FLUO_PROGRAMS";

/// Test programs with their names.
pub(crate) type Tests = Vec<(String, Command)>;

/// Built programs.
#[derive(Debug)]
pub(crate) struct Programs(Vec<Program>);

/// A built program, as a message of cargo describes it.
#[derive(Debug, Deserialize)]
struct Program {
    target: Target,
    profile: Profile,
    manifest_path: PathBuf,
    executable: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
    src_path: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Profile {
    test: bool,
}

impl Programs {
    /// Builds the programs of all packages.
    pub(crate) fn build() -> Result<Programs> {
        let mut programs = built_by(&["test", "--workspace", "--no-run"], &[], &workspace())?;
        // The first call builds an example that has tests only as a test.
        let examples = ["build", "--workspace", "--examples"];
        programs.extend(built_by(&examples, &[], &workspace())?);
        Ok(Programs(programs))
    }

    /// Returns the test programs that need a real Accumulo, and all others: the sources of the
    /// former ask whether live tests are wanted. They are commands in the folders of their
    /// packages, as cargo runs tests; a name has the folder before the name of the program.
    ///
    /// # Errors
    ///
    /// There are no live tests or no others, or a source cannot be read.
    pub(crate) fn tests(&self) -> Result<(Tests, Tests)> {
        let (mut live, mut others) = (Tests::new(), Tests::new());
        for test in self.0.iter().filter(|program| program.profile.test) {
            let path = &test.target.src_path;
            let folder = path.parent().filter(|_| path.ends_with("main.rs"));
            let mut is_live = false;
            if test.target.kind.iter().any(|kind| kind == "test") {
                for file in files(folder.unwrap_or(path), "rs")? {
                    is_live |= fs::read_to_string(file)?.contains("wanted()");
                }
            }
            let package = test.manifest_path.parent().unwrap_or(Path::new("."));
            let mut command = Command::new(&test.executable);
            command.current_dir(package).env("CARGO_MANIFEST_DIR", package);
            let tests = if is_live { &mut live } else { &mut others };
            let folder = package.strip_prefix(workspace()).unwrap_or(package);
            tests.push((folder.join(&test.target.name).display().to_string(), command));
        }
        live.sort_by(|(one, _), (other, _)| one.cmp(other));
        ensure!(!live.is_empty(), "there are no live tests");
        ensure!(!others.is_empty(), "there are no tests but the live ones");
        Ok((live, others))
    }

    /// Returns the examples in the folder `examples` of the workspace, in the order of their names.
    ///
    /// # Errors
    ///
    /// There are none.
    pub(crate) fn examples(&self) -> Result<Vec<(&str, &Path)>> {
        let folder = workspace().join("examples");
        let examples = self.of_kind("example");
        let mut examples: Vec<_> = examples
            .filter(|example| example.target.src_path.starts_with(&folder))
            .map(|example| (example.target.name.as_str(), example.executable.as_path()))
            .collect();
        examples.sort_unstable();
        examples.dedup();
        ensure!(!examples.is_empty(), "there are no examples in `examples`");
        Ok(examples)
    }

    /// Returns the folder of the commands. Examples are in its folder `examples`.
    ///
    /// # Errors
    ///
    /// There is no command `fluo`.
    pub(crate) fn folder(&self) -> Result<&Path> {
        let mut commands = self.of_kind("bin");
        let fluo = commands.find(|command| command.target.name == "fluo");
        fluo.and_then(|fluo| fluo.executable.parent()).context("there is no command `fluo`")
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Program> {
        let is_wanted = move |program: &&Program| {
            !program.profile.test && program.target.kind.iter().any(|it| it == kind)
        };
        self.0.iter().filter(is_wanted)
    }
}

/// Builds a test program of a tree with these arguments of cargo, and returns its file.
pub(crate) fn test(
    name: &str,
    arguments: &[&str],
    environment: &Environment,
    tree: &Path,
) -> Result<PathBuf> {
    let mut built = built_by(arguments, environment, tree)?.into_iter();
    let test = built.find(|program| program.profile.test && program.target.name == name);
    test.map(|test| test.executable).with_context(|| format!("there is no test program `{name}`"))
}

/// Builds programs of a tree, and reads them from the messages of cargo: one JSON object a line.
/// Only those about programs have all fields.
fn built_by(arguments: &[&str], environment: &Environment, tree: &Path) -> Result<Vec<Program>> {
    let line = format!("cargo {}", arguments.join(" "));
    say(&format!("\n> {line}"));
    let format = ["--message-format=json-render-diagnostics"];
    let output = command(&[arguments, &format].concat(), environment)
        .current_dir(tree)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be run")?;
    if !output.status.success() {
        bail!("`{line}` failed");
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let programs = messages.lines().map(serde_json::from_str);
    Ok(programs.filter_map(Result::ok).collect())
}
