//! The licenses, sources and minimum Rust versions of all dependencies.
//!
//! `cargo deny` checks more, but compiling it takes longer than all other checks together, and its
//! list of advisories needs the network.

use anyhow::{Context, Result};
use spdx::{Expression, ParseMode};

use crate::cargo::say;
use crate::metadata::{Metadata, Package};

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
/// Packages that must not become dependencies: TLS is that of rustls.
const BANNED: [&str; 2] = ["openssl-sys", "native-tls"];
const REMEDY: &str =
    "use another package, or accept the license in tests/xtask/src/dependencies.rs";

/// Checks all dependencies, including those of tests and of other platforms.
pub(crate) fn check(metadata: &Metadata) -> Result<Vec<String>> {
    say("> licenses, sources and Rust versions of the dependencies");
    let packages = metadata.packages.iter();
    let (own, others): (Vec<_>, Vec<_>) = packages.partition(|package| package.source.is_none());
    let ours = own.iter().filter_map(|package| package.rust_version()).max();
    let ours = ours.context("no package of the workspace has a `rust-version`")?;
    let own = own.into_iter().filter(|package| package.rust_version() != Some(ours));
    let mut findings: Vec<_> = own
        .map(|package| {
            format!("{}: its `rust-version` is not that of the workspace", name(package))
        })
        .collect();
    for package in others {
        let complaints = complaints(package, ours);
        findings.extend(complaints.iter().map(|why| format!("{}: {why}", name(package))));
    }
    Ok(findings)
}

fn complaints(package: &Package, ours: (u64, u64)) -> Vec<String> {
    let mut complaints = Vec::new();
    match &package.license {
        None => complaints.push(format!("the package states no license; {REMEDY}")),
        Some(license) if !is_accepted(license) => {
            complaints.push(format!("the license `{license}` is not accepted; {REMEDY}"));
        }
        Some(_) => {}
    }
    if let Some(source) = package.source.as_ref().filter(|source| *source != REGISTRY) {
        complaints.push(format!("it comes from `{source}`, not from crates.io"));
    }
    if let Some(theirs) = package.rust_version().filter(|theirs| *theirs > ours) {
        complaints.push(format!(
            "it requires Rust {}.{}, and this workspace promises {}.{}; use an older version of it",
            theirs.0, theirs.1, ours.0, ours.1
        ));
    }
    if BANNED.contains(&package.name.as_str()) {
        complaints.push("it must not become a dependency: TLS is that of rustls".to_owned());
    }
    complaints
}

fn is_accepted(license: &str) -> bool {
    Expression::parse_mode(license, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|required| LICENSES.contains(&required.to_string().as_str()))
    })
}

fn name(package: &Package) -> String {
    format!("{} {}", package.name, package.version)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    /// Returns the findings for a package that differs from an acceptable one in one field.
    fn found(field: &str, value: &Value) -> Vec<String> {
        let mut packages = json!([
            {
                "name": "fluo", "version": "0.1.0", "rust_version": "1.90", "manifest_path": "",
                "targets": [],
            },
            {
                "name": "a", "version": "1.0.0", "source": REGISTRY, "license": "MIT/Apache-2.0",
                "rust_version": "1.90.1", "manifest_path": "", "targets": [],
            },
        ]);
        packages[1][field] = value.clone();
        check(&serde_json::from_value(json!({ "packages": packages })).unwrap()).unwrap()
    }

    #[rstest]
    #[case("license", json!("MIT/Apache-2.0"))]
    #[case("license", json!("GPL-3.0 OR Zlib"))]
    #[case("license", json!("(MIT OR Apache-2.0) AND Unicode-3.0"))]
    #[case("rust_version", json!(null))]
    fn accepts_alternatives_of_which_one_is_accepted(#[case] field: &str, #[case] value: Value) {
        assert_eq!(found(field, &value), [""; 0]);
    }

    #[rstest]
    #[case("license", json!("MIT AND GPL-3.0"), "the license `MIT AND GPL-3.0` is not accepted; ")]
    #[case("license", json!(null), "the package states no license; ")]
    #[case("source", json!("git+b"), "it comes from `git+b`, not from crates.io")]
    #[case("rust_version", json!("1.91"), "it requires Rust 1.91, and this workspace promises 1.90; ")]
    #[case("name", json!("native-tls"), "it must not become a dependency: ")]
    fn reports_each_violation_with_its_package(
        #[case] field: &str,
        #[case] value: Value,
        #[case] complaint: &str,
    ) {
        let name = if field == "name" { "native-tls" } else { "a" };
        let [found] = found(field, &value).try_into().unwrap();
        assert!(found.starts_with(&format!("{name} 1.0.0: {complaint}")), "{found}");
    }
}
