//! The packages of the workspace and their dependencies, as `cargo metadata` prints them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cargo::{command, output, workspace};

#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
}

/// A package of the workspace, or a dependency.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    /// The registry of a dependency; `None` for a package of the workspace.
    pub(crate) source: Option<String>,
    pub(crate) rust_version: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) readme: Option<PathBuf>,
    #[serde(default)]
    pub(crate) keywords: Vec<String>,
    #[serde(default)]
    pub(crate) categories: Vec<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) targets: Vec<Target>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) kind: Vec<String>,
    pub(crate) src_path: PathBuf,
}

/// Reads the packages of the workspace and all dependencies, also those of other platforms.
///
/// # Errors
///
/// A manifest is invalid, or does not fit Cargo.lock.
pub(crate) fn with_dependencies() -> Result<Metadata> {
    read(&["--locked"])
}

/// Reads the packages of the workspace.
///
/// # Errors
///
/// A manifest is invalid.
pub(crate) fn of_workspace() -> Result<Metadata> {
    read(&["--no-deps"])
}

fn read(options: &[&str]) -> Result<Metadata> {
    let arguments = [&["metadata", "--format-version", "1"], options].concat();
    let json = output("cargo metadata", &mut command(&arguments, &[]))?;
    serde_json::from_str(&json).context("the output of `cargo metadata` is no JSON")
}

impl Package {
    /// Returns the folder in the workspace.
    pub(crate) fn folder(&self) -> &Path {
        let folder = self.manifest_path.parent().unwrap_or(Path::new(""));
        folder.strip_prefix(workspace()).unwrap_or(folder)
    }

    /// Checks whether users get the package: it is no test, no example, and no tool of the project.
    pub(crate) fn is_product(&self) -> bool {
        let folder = self.folder();
        self.source.is_none() && !folder.starts_with("tests") && !folder.starts_with("examples")
    }

    /// Returns the minimum Rust version of the package, without its patch.
    pub(crate) fn rust_version(&self) -> Option<(u64, u64)> {
        let mut numbers = self.rust_version.as_ref()?.split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }
}
