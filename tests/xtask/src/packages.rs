//! The packages that users get: each has the fields that crates.io shows, and can be packaged.

use anyhow::Result;

use crate::cargo::{cargo, say};
use crate::metadata::{self, Metadata};

/// Returns the fields that packages of the product lack, and READMEs that do not exist.
pub(crate) fn check(metadata: &Metadata) -> Vec<String> {
    say("> the fields of the packages");
    let mut findings = Vec::new();
    for package in metadata.packages.iter().filter(|it| it.is_product()) {
        let folder = package.manifest_path.parent();
        let readme = package.readme.as_ref().zip(folder);
        let has_readme = readme.is_some_and(|(file, folder)| folder.join(file).is_file());
        for (field, is_there) in [
            ("description", package.description.is_some()),
            ("license", package.license.is_some()),
            ("readme", has_readme),
            ("keywords", !package.keywords.is_empty()),
            ("categories", !package.categories.is_empty()),
        ] {
            if !is_there {
                let name = &package.name;
                findings.push(format!("{name}: the manifest has no valid `{field}`"));
            }
        }
    }
    findings
}

/// Makes the package of each crate of the product, without compiling it. The lock file is left out,
/// because it would need the published packages of the other crates.
pub(crate) fn package() -> Result<()> {
    let metadata = metadata::of_workspace()?;
    let mut arguments = vec!["package", "--workspace", "--quiet", "--offline", "--allow-dirty"];
    arguments.extend(["--no-verify", "--no-metadata", "--exclude-lockfile"]);
    for package in metadata.packages.iter().filter(|it| !it.is_product()) {
        arguments.extend(["--exclude", &package.name]);
    }
    cargo(&arguments, &[])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cargo::workspace;

    #[test]
    fn names_each_field_that_a_package_lacks() {
        let package = json!({
            "name": "fluo-a", "version": "0.1.0", "readme": "GONE.md", "keywords": ["a"],
            "manifest_path": workspace().join("src/a/Cargo.toml"), "targets": [],
        });
        let metadata = serde_json::from_value(json!({ "packages": [package] })).unwrap();
        let lacks = ["description", "license", "readme", "categories"];
        let expected = lacks.map(|it| format!("fluo-a: the manifest has no valid `{it}`"));
        assert_eq!(check(&metadata), expected);
    }
}
