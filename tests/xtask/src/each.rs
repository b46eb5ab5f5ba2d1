//! `cargo xtask each`: each crate of the product by itself, with the oldest Rust that it promises.
//!
//! In a build of the workspace a crate also gets the features of dependencies that only other
//! crates enable. Here it gets only its own.

use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::{command, run, say, workspace};
use crate::metadata;
use crate::parts::words;
use crate::test::is_in_integration;
use crate::turn::turn;

/// The folder of what these checks build. Another compiler shares nothing with the other builds,
/// and in a folder of its own it does not wait for them.
const TARGET: &str = "target/each";

/// Checks each crate, or those whose turn it is. Without the oldest Rust, checks with the present
/// one; in continuous integration installs the oldest one.
pub(crate) fn each(rotate: Option<usize>) -> Result<()> {
    let metadata = metadata::of_workspace()?;
    let product = metadata.packages.iter().filter(|it| it.is_product());
    let product: Vec<_> = product.collect();
    let version = product.first().and_then(|package| package.rust_version());
    let (major, minor) = version.context("the workspace has no `rust-version`")?;
    let version = format!("{major}.{minor}.0");
    let mut has_oldest = is_installed(&version);
    if !has_oldest && is_in_integration() {
        // Without it, the present toolchain checks the crates.
        let install = ["rustup", "toolchain", "install", &version];
        has_oldest = words(&[&install[..], &["--profile", "minimal"]].concat()).is_ok();
    }
    let turn = turn(product.len(), rotate.unwrap_or(product.len()))?;
    for package in turn.into_iter().filter_map(|index| product.get(index)) {
        let mut check = match has_oldest {
            true => {
                let mut rustup = Command::new("rustup");
                rustup.args(["run", &version, "cargo"]).current_dir(workspace());
                rustup
            }
            false => command(&[], &[]),
        };
        let arguments = ["check", "--package", &package.name];
        check.env("CARGO_TARGET_DIR", workspace().join(TARGET));
        run(&format!("cargo {}", arguments.join(" ")), check.args(arguments))?;
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
