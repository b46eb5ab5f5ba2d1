//! `cargo xtask each`: each crate of the product by itself, with the oldest Rust that it promises.
//!
//! In a build of the workspace a crate also gets the features of dependencies that only other
//! crates enable. Here it gets only its own.

use std::env;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::{command, run, run_program, say, workspace};
use crate::source;

/// The folder of what these checks build. Another compiler shares nothing with the other builds,
/// and in a folder of its own it does not wait for them.
const TARGET: &str = "target/each";

/// Checks each crate. Without the oldest Rust, checks with the present one; in continuous
/// integration installs the oldest one.
pub(crate) fn each() -> Result<()> {
    let root = workspace();
    let names = source::product_names(&root)?;
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
    for name in &names {
        let target = root.join(TARGET).into_os_string();
        let mut check = match has_oldest {
            true => {
                let mut rustup = Command::new("rustup");
                rustup.args(["run", &version, "cargo"]).current_dir(&root);
                rustup
            }
            false => command(&[], &[]),
        };
        check.args(["check", "--package", name]);
        check.env("CARGO_TARGET_DIR", target);
        run_program(&format!("cargo check --package {name}"), &mut check)?;
    }
    if !has_oldest {
        say(&format!(
            "skipped: the check with Rust {version}: it is not installed; run: rustup toolchain install \
             {version} --profile minimal"
        ));
    }
    Ok(())
}

/// Returns the command of the same checks, to run it beside others. A build may replace the file of
/// this program, which then has no path any more. So it is found before a build.
pub(crate) fn program() -> Result<Command> {
    let this = env::current_exe().context("this program is not found")?;
    let mut each = Command::new(this);
    each.arg("each").current_dir(workspace());
    Ok(each)
}

fn is_installed(version: &str) -> bool {
    let list = Command::new("rustup").args(["toolchain", "list"]).output();
    let prefix = format!("{version}-");
    list.is_ok_and(|list| {
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        list.lines().any(|name| name.starts_with(&prefix))
    })
}
