//! The source files of the crates, parsed, without their tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::{Attribute, Item, ItemMod, Meta};

/// A crate of the workspace.
pub(crate) struct Crate {
    pub(crate) name: String,
    /// The folder in the workspace.
    pub(crate) folder: String,
    pub(crate) is_library: bool,
    /// The file of the crate root first, then those of its modules.
    pub(crate) files: Vec<SourceFile>,
}

impl Crate {
    /// Checks whether users get the crate: it is no test, no example, and no tool of the project.
    pub(crate) fn is_product(&self) -> bool {
        is_product(&self.folder)
    }
}

/// A file of a crate.
pub(crate) struct SourceFile {
    /// The path in the workspace.
    pub(crate) path: String,
    /// The names of the modules from the crate root to that of the file.
    pub(crate) module: Vec<String>,
    /// The whole text, with tests.
    pub(crate) text: String,
    /// The items without tests.
    pub(crate) items: Vec<Item>,
}

/// Reads all crates of a workspace that have a library or a program, in the order of the manifest.
///
/// # Errors
///
/// A manifest or a source file cannot be read or parsed. The error names the file.
pub(crate) fn crates(root: &Path) -> Result<Vec<Crate>> {
    let folders = members(root)?;
    folders
        .iter()
        .filter_map(|folder| one(root, folder).transpose())
        .collect()
}

/// Returns the names of the crates that users get, in the order of the manifest.
///
/// # Errors
///
/// A manifest cannot be read.
pub(crate) fn product_names(root: &Path) -> Result<Vec<String>> {
    let folders = members(root)?;
    let product = folders.iter().filter(|folder| is_product(folder));
    product.map(|folder| package_name(root, folder)).collect()
}

/// Returns the oldest version of Rust that the workspace promises, as the name of a toolchain.
///
/// # Errors
///
/// The manifest cannot be read, or has no `rust-version`.
pub(crate) fn rust_version(root: &Path) -> Result<String> {
    let manifest = manifest(&root.join("Cargo.toml"))?;
    let package = manifest.get("workspace").and_then(|it| it.get("package"));
    let version = package.and_then(|it| it.get("rust-version"));
    let version = version.and_then(toml::Value::as_str);
    let version = version.context("the workspace has no `rust-version`")?;
    Ok(match version.split('.').count() {
        2 => format!("{version}.0"),
        _ => version.to_owned(),
    })
}

fn one(root: &Path, folder: &str) -> Result<Option<Crate>> {
    let has = |file: &str| root.join(folder).join(file).is_file();
    let is_library = has("src/lib.rs");
    if !is_library && !has("src/main.rs") {
        return Ok(None);
    }
    let mut files = Vec::new();
    let file = match is_library {
        true => "src/lib.rs",
        false => "src/main.rs",
    };
    read(root, &Path::new(folder).join(file), &[], &mut files)?;
    Ok(Some(Crate {
        name: package_name(root, folder)?,
        folder: folder.to_owned(),
        is_library,
        files,
    }))
}

/// Returns the folders of the packages. That of a package at the root is empty.
fn members(root: &Path) -> Result<Vec<String>> {
    let manifest = manifest(&root.join("Cargo.toml"))?;
    let at_root = manifest.get("package").map(|_| String::new());
    let members = manifest.get("workspace").and_then(|it| it.get("members"));
    let members = members.and_then(toml::Value::as_array);
    let folders = members.context("the workspace has no members")?;
    let folders = folders.iter().filter_map(toml::Value::as_str);
    Ok(at_root
        .into_iter()
        .chain(folders.map(str::to_owned))
        .collect())
}

fn is_product(folder: &str) -> bool {
    !folder.starts_with("tests") && folder != "examples"
}

fn package_name(root: &Path, folder: &str) -> Result<String> {
    let manifest = manifest(&root.join(folder).join("Cargo.toml"))?;
    let name = manifest.get("package").and_then(|it| it.get("name"));
    let name = name.and_then(toml::Value::as_str);
    Ok(name.unwrap_or(folder).to_owned())
}

fn manifest(file: &Path) -> Result<toml::Table> {
    let context = || format!("`{}` cannot be read", file.display());
    let text = fs::read_to_string(file).with_context(context)?;
    text.parse().with_context(context)
}

/// Returns the Rust files of a folder, or the file itself.
pub(crate) fn rust_files(path: &Path) -> Result<Vec<PathBuf>> {
    files(path, "rs")
}

/// Returns the files of a folder with an extension, or the file itself.
pub(crate) fn files(path: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let context = || format!("`{}` cannot be read", path.display());
    let mut files = Vec::new();
    if path.is_dir() {
        for entry in fs::read_dir(path).with_context(context)? {
            files.extend(self::files(
                &entry.with_context(context)?.path(),
                extension,
            )?);
        }
    } else if path.extension().is_some_and(|it| it == extension) {
        files.push(path.to_owned());
    }
    Ok(files)
}

/// Reads a file, and then the files of the modules that it declares.
fn read(root: &Path, file: &Path, module: &[String], files: &mut Vec<SourceFile>) -> Result<()> {
    let context = || format!("`{}` cannot be read", file.display());
    let text = fs::read_to_string(root.join(file)).with_context(context)?;
    let mut items = syn::parse_file(&text).with_context(context)?.items;
    remove_tests(&mut items);
    let declared: Vec<_> = items.iter().filter_map(declared).collect();
    files.push(SourceFile {
        path: file.display().to_string(),
        module: module.to_vec(),
        text,
        items,
    });
    for name in declared {
        let file = file_of(root, file, &name)
            .with_context(|| format!("module `{name}` of `{}` has no file", file.display()))?;
        let module: Vec<_> = module.iter().cloned().chain([name]).collect();
        read(root, &file, &module, files)?;
    }
    Ok(())
}

/// Returns the name of a module with its own file.
fn declared(item: &Item) -> Option<String> {
    match item {
        Item::Mod(ItemMod {
            ident,
            content: None,
            ..
        }) => Some(ident.to_string()),
        _ => None,
    }
}

fn file_of(root: &Path, declaring: &Path, module: &str) -> Option<PathBuf> {
    let parent = declaring.parent()?;
    let folder = match declaring.file_stem()?.to_str()? {
        "lib" | "main" | "mod" => parent.to_owned(),
        stem => parent.join(stem),
    };
    let files = [format!("{module}.rs"), format!("{module}/mod.rs")];
    let mut files = files.into_iter().map(|file| folder.join(file));
    files.find(|file| root.join(file).is_file())
}

/// Removes the items that exist only in tests.
fn remove_tests(items: &mut Vec<Item>) {
    items.retain(|item| !attributes(item).iter().any(is_test));
    for item in items {
        if let Item::Mod(ItemMod {
            content: Some((_, items)),
            ..
        }) = item
        {
            remove_tests(items);
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Checks for `#[cfg(test)]`.
fn is_test(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A workspace with one library, `one`, of these files.
    pub(crate) fn workspace(files: &[(&str, &str)]) -> TempDir {
        let workspace = tempfile::tempdir().unwrap();
        let manifests = [
            ("Cargo.toml", "[workspace]\nmembers = [\"one\"]\n"),
            ("one/Cargo.toml", "[package]\nname = \"the-one\"\n"),
        ];
        for (file, text) in manifests.iter().chain(files) {
            let file = workspace.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        workspace
    }

    #[test]
    fn reads_the_files_of_modules_without_tests() {
        let workspace = workspace(&[
            (
                "one/src/lib.rs",
                "mod a;\nmod b { fn f() {} }\n#[cfg(test)]\nmod tests;\n",
            ),
            ("one/src/a/mod.rs", "mod c;\n"),
            (
                "one/src/a/c.rs",
                "mod d;\n#[cfg(test)]\nmod tests { use crate::b; }\n",
            ),
            ("one/src/a/c/d.rs", "fn g() {}\n"),
            ("one/src/tests.rs", "not Rust"),
            ("one/src/other.rs", "not Rust"),
        ]);
        let crates = crates(workspace.path()).unwrap();
        let [one] = crates.as_slice() else { panic!() };
        assert_eq!((one.name.as_str(), one.is_library), ("the-one", true));
        let files: Vec<_> = one
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.module.join("::"), file.items.len()))
            .collect();
        let expected = [
            ("one/src/lib.rs", "", 2),
            ("one/src/a/mod.rs", "a", 1),
            ("one/src/a/c.rs", "a::c", 1),
            ("one/src/a/c/d.rs", "a::c::d", 1),
        ];
        assert_eq!(
            files,
            expected.map(|(path, module, items)| (path, module.to_owned(), items))
        );
    }

    #[test]
    fn names_the_toolchain_of_the_promised_version() {
        let workspace = workspace(&[(
            "Cargo.toml",
            "[workspace.package]\nrust-version = \"1.90\"\n",
        )]);
        assert_eq!(rust_version(workspace.path()).unwrap(), "1.90.0");
    }

    #[test]
    fn names_a_module_without_a_file() {
        let workspace = workspace(&[("one/src/lib.rs", "mod a;\n")]);
        let error = crates(workspace.path()).map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "module `a` of `one/src/lib.rs` has no file"
        );
    }
}
