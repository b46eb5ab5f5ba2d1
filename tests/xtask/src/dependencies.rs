//! The licenses, sources and minimum Rust versions of all dependencies.
//!
//! `cargo deny` checks more, but compiling it takes longer than all other checks together, and its
//! list of advisories needs the network.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use spdx::{Expression, ParseMode};

use crate::cargo::{command, say};

/// Accepted licenses: those that allow the use in programs under any license.
const LICENSES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];
/// The registry from which all dependencies come.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// Packages that must not become dependencies, each with the reason.
const BANNED: [(&str, &str); 2] = [
    (
        "openssl-sys",
        "TLS is that of rustls, which needs no library of the system",
    ),
    (
        "native-tls",
        "TLS is that of rustls, which needs no library of the system",
    ),
];

/// Checks all dependencies, including those of tests and of other platforms.
pub(crate) fn check() -> Result<()> {
    say("\n> licenses, sources and Rust versions of the dependencies");
    let output = command(&["metadata", "--format-version", "1", "--locked"], &[])
        .output()
        .context("cargo cannot be run")?;
    if !output.status.success() {
        bail!(
            "`cargo metadata` failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .context("the output of `cargo metadata` is no JSON")?;
    let findings = findings(&metadata)?;
    match findings.as_slice() {
        [] => Ok(()),
        _ => bail!("{}", findings.join("\n")),
    }
}

fn findings(metadata: &Value) -> Result<Vec<String>> {
    let packages = metadata.get("packages").and_then(Value::as_array);
    let packages = packages.context("`cargo metadata` lists no packages")?;
    let (own, others): (Vec<_>, Vec<_>) = packages
        .iter()
        .partition(|package| text(package, "source").is_none());
    let ours = own.iter().filter_map(|package| rust_version(package)).max();
    let ours = ours.context("no package of the workspace has a `rust-version`")?;
    let mut findings = Vec::new();
    for package in own {
        if rust_version(package) != Some(ours) {
            findings.push(format!(
                "{}: its `rust-version` is not that of the workspace",
                name(package)
            ));
        }
    }
    for package in others {
        let complaints = [
            license_complaint(package),
            source_complaint(package),
            version_complaint(package, ours),
            banned_complaint(package),
        ];
        let name = name(package);
        findings.extend(
            complaints
                .into_iter()
                .flatten()
                .map(|why| format!("{name}: {why}")),
        );
    }
    Ok(findings)
}

fn license_complaint(package: &Value) -> Option<String> {
    let remedy = "use another package, or accept the license in tests/xtask/src/dependencies.rs";
    let Some(license) = text(package, "license") else {
        return Some(format!("the package states no license; {remedy}"));
    };
    let is_accepted = Expression::parse_mode(license, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|required| LICENSES.contains(&required.to_string().as_str()))
    });
    (!is_accepted).then(|| format!("the license `{license}` is not accepted; {remedy}"))
}

fn source_complaint(package: &Value) -> Option<String> {
    let source = text(package, "source")?;
    (source != REGISTRY).then(|| format!("it comes from `{source}`, not from crates.io"))
}

fn version_complaint(package: &Value, ours: (u64, u64)) -> Option<String> {
    let theirs = rust_version(package).filter(|theirs| *theirs > ours)?;
    Some(format!(
        "it requires Rust {}.{}, and this workspace promises {}.{}; use an older version of it, or raise \
         `rust-version` in Cargo.toml",
        theirs.0, theirs.1, ours.0, ours.1
    ))
}

fn banned_complaint(package: &Value) -> Option<String> {
    let own = text(package, "name")?;
    let (_, why) = BANNED.iter().find(|(name, _)| *name == own)?;
    Some(format!("it must not become a dependency: {why}"))
}

/// Returns the minimum Rust version of a package, without its patch.
fn rust_version(package: &Value) -> Option<(u64, u64)> {
    let mut numbers = text(package, "rust_version")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn name(package: &Value) -> String {
    let [name, version] = ["name", "version"].map(|field| text(package, field).unwrap_or_default());
    format!("{name} {version}")
}

fn text<'a>(package: &'a Value, field: &str) -> Option<&'a str> {
    package.get(field)?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(change: &Value) -> Vec<String> {
        let mut package = json!({
            "name": "a", "version": "1.0.0", "source": REGISTRY, "license": "MIT/Apache-2.0",
            "rust_version": "1.90.1",
        });
        let fields = package.as_object_mut().unwrap();
        fields.extend(change.as_object().unwrap().clone());
        let own =
            json!({ "name": "fluo", "version": "0.1.0", "source": null, "rust_version": "1.90" });
        findings(&json!({ "packages": [own, package] })).unwrap()
    }

    #[test]
    fn accepts_alternatives_of_which_one_is_accepted() {
        for license in [
            "MIT/Apache-2.0",
            "GPL-3.0 OR Zlib",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
        ] {
            assert_eq!(found(&json!({ "license": license })), [""; 0], "{license}");
        }
        assert_eq!(found(&json!({ "rust_version": null })), [""; 0]);
    }

    #[test]
    fn reports_each_violation_with_its_package() {
        let remedy =
            "use another package, or accept the license in tests/xtask/src/dependencies.rs";
        for (change, complaint) in [
            (
                json!({ "license": "MIT AND GPL-3.0" }),
                format!("the license `MIT AND GPL-3.0` is not accepted; {remedy}"),
            ),
            (
                json!({ "license": null }),
                format!("the package states no license; {remedy}"),
            ),
            (
                json!({ "source": "git+https://example.org/a" }),
                "it comes from `git+https://example.org/a`, not from crates.io".to_owned(),
            ),
            (
                json!({ "rust_version": "1.91" }),
                "it requires Rust 1.91, and this workspace promises 1.90; use an older version of it, or raise \
                 `rust-version` in Cargo.toml"
                    .to_owned(),
            ),
            (
                json!({ "name": "openssl-sys" }),
                "it must not become a dependency: TLS is that of rustls, which needs no library of the system"
                    .to_owned(),
            ),
        ] {
            let name = change.get("name").and_then(Value::as_str).unwrap_or("a").to_owned();
            assert_eq!(found(&change), [format!("{name} 1.0.0: {complaint}")]);
        }
    }
}
