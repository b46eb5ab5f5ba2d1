//! The installation of missing tools, for runs that must not skip a part.

use anyhow::{Result, bail};

use crate::cargo::run;
use crate::tool::{Tool, is_in_path, output, sources};

/// Installs tools: components of the toolchain with `rustup`, all others with `apt-get`, as root or
/// with `sudo`.
///
/// # Errors
///
/// An installer is missing or fails.
pub(crate) fn install(tools: &[Tool]) -> Result<()> {
    let (components, packages) = sources(tools);
    if !components.is_empty() {
        run(&[&["rustup", "component", "add"][..], &components].concat())?;
    }
    if packages.is_empty() {
        return Ok(());
    }
    if !is_in_path("apt-get") {
        bail!("`apt-get` is missing; no other installer of packages is supported");
    }
    // Old package lists may name versions that no longer exist. An update may fail for an unneeded
    // source.
    let _ = apt(&["update", "-q"]);
    apt(&[
        &["install", "-q", "-y", "--no-install-recommends"][..],
        &packages,
    ]
    .concat())
}

fn apt(arguments: &[&str]) -> Result<()> {
    let as_root: &[&str] = match output("id", "-u").as_deref().map(str::trim) {
        Some("0") => &[],
        // Without a prompt for a password, which would never be answered.
        _ => &["sudo", "-n"],
    };
    let quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    run(&[as_root, &quiet, arguments].concat())
}
