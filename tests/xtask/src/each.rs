//! `cargo xtask each`: each crate of the product by itself, with the oldest Rust that it promises.
//!
//! In a build of the workspace a crate also gets the features of dependencies that only other
//! crates enable. Here it gets only its own.

use std::env;
use std::process::Command;

use anyhow::Result;

use crate::cargo::{cargo, run, say, workspace};
use crate::source;

/// Checks each crate. Without the oldest Rust, checks with the present one; in continuous
/// integration installs the oldest one.
pub(crate) fn each() -> Result<()> {
    let root = workspace();
    let crates = source::crates(&root)?;
    let version = source::rust_version(&root)?;
    let mut has_oldest = is_installed(&version);
    if !has_oldest && env::var("CI").is_ok_and(|ci| ci == "true") {
        // Without it, the present toolchain checks the crates.
        has_oldest = run(&[
            "rustup",
            "toolchain",
            "install",
            &version,
            "--profile",
            "minimal",
        ])
        .is_ok();
    }
    for one in crates.iter().filter(|one| one.is_product()) {
        let check = ["check", "--package", &one.name];
        match has_oldest {
            true => run(&[&["rustup", "run", &version, "cargo"][..], &check].concat())?,
            false => cargo(&check, &[])?,
        }
    }
    if !has_oldest {
        say(&format!(
            "skipped: the check with Rust {version}: it is not installed; run: rustup toolchain install \
             {version} --profile minimal"
        ));
    }
    Ok(())
}

fn is_installed(version: &str) -> bool {
    let list = Command::new("rustup").args(["toolchain", "list"]).output();
    let prefix = format!("{version}-");
    list.is_ok_and(|list| {
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        list.lines().any(|name| name.starts_with(&prefix))
    })
}
