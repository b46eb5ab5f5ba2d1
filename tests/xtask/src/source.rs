//! The source files of the crates, parsed, without their tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::{Attribute, Item, ItemMod, Meta};

use crate::cargo::workspace;
use crate::defined_options::expand;
use crate::metadata::{Metadata, Package};

/// A crate of the workspace.
pub(crate) struct Crate {
    pub(crate) name: String,
    /// The folder in the workspace.
    pub(crate) folder: PathBuf,
    pub(crate) is_product: bool,
    pub(crate) is_library: bool,
    /// The file of the crate root first, then those of its modules.
    pub(crate) files: Vec<SourceFile>,
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

/// Reads all crates of the workspace that have a library or a program.
///
/// # Errors
///
/// A source file cannot be read or parsed. The error names the file.
pub(crate) fn crates(metadata: &Metadata) -> Result<Vec<Crate>> {
    let own = metadata.packages.iter().filter(|it| it.source.is_none());
    own.filter_map(|package| of_package(package).transpose()).collect()
}

fn of_package(package: &Package) -> Result<Option<Crate>> {
    let target = |kind: &str| {
        let mut targets = package.targets.iter();
        targets.find(|target| target.kind.iter().any(|it| it == kind))
    };
    let library = target("lib");
    let Some(root) = library.or_else(|| target("bin")) else {
        return Ok(None);
    };
    let root = root.src_path.strip_prefix(workspace()).unwrap_or(&root.src_path);
    Ok(Some(Crate {
        name: package.name.clone(),
        folder: package.folder().to_owned(),
        is_product: package.is_product(),
        is_library: library.is_some(),
        files: modules(&workspace(), root)?,
    }))
}

/// Reads the file of a crate root, and those of the modules that it declares.
fn modules(root: &Path, file: &Path) -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    read(root, file, &[], &mut files)?;
    Ok(files)
}

/// Reads a file, and then the files of the modules that it declares.
fn read(root: &Path, file: &Path, module: &[String], files: &mut Vec<SourceFile>) -> Result<()> {
    let context = || format!("`{}` cannot be read", file.display());
    let text = fs::read_to_string(root.join(file)).with_context(context)?;
    let mut items = syn::parse_file(&text).with_context(context)?.items;
    remove_tests(&mut items);
    expand(&mut items).with_context(context)?;
    // A module with a path is a file of another crate.
    let is_path = |attribute: &Attribute| attribute.path().is_ident("path");
    let declared = |item: &Item| match item {
        Item::Mod(item) if item.content.is_none() && !item.attrs.iter().any(is_path) => {
            Some(item.ident.to_string())
        }
        _ => None,
    };
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

fn file_of(root: &Path, declaring: &Path, module: &str) -> Option<PathBuf> {
    let folder = match declaring.file_stem()?.to_str()? {
        "lib" | "main" | "mod" => declaring.parent()?.to_owned(),
        _ => declaring.with_extension(""),
    };
    let files = [format!("{module}.rs"), format!("{module}/mod.rs")];
    let mut files = files.into_iter().map(|file| folder.join(file));
    files.find(|file| root.join(file).is_file())
}

/// Removes the items that exist only in tests.
fn remove_tests(items: &mut Vec<Item>) {
    items.retain(|item| !attributes(item).iter().any(is_test));
    for item in items {
        if let Item::Mod(ItemMod { content: Some((_, items)), .. }) = item {
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

/// Checks for `#[cfg(test)]` and `#[cfg(simulated)]`.
fn is_test(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::List(list) => {
            let option = list.tokens.to_string();
            list.path.is_ident("cfg") && ["test", "simulated"].contains(&option.as_str())
        }
        _ => false,
    }
}

/// Returns the files of a folder with an extension, sorted by path, or the file itself.
pub(crate) fn files(path: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let context = || format!("`{}` cannot be read", path.display());
    let mut files = Vec::new();
    if path.is_dir() {
        for entry in fs::read_dir(path).with_context(context)? {
            let entry = entry.with_context(context)?.path();
            files.extend(self::files(&entry, extension)?);
        }
    } else if path.extension().is_some_and(|it| it == extension) {
        files.push(path.to_owned());
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
pub(crate) mod tests {
    use tempfile::TempDir;

    use super::*;

    /// Creates a folder with these files.
    pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    }

    /// Reads the library `fluo` with these files.
    pub(crate) fn library(files: &[(&str, &str)]) -> Result<Crate> {
        Ok(Crate {
            name: "fluo".to_owned(),
            folder: "one".into(),
            is_product: true,
            is_library: true,
            files: modules(folder(files).path(), Path::new("one/src/lib.rs"))?,
        })
    }

    #[test]
    fn reads_the_files_of_modules_without_tests() {
        let root = "mod a;\nmod b { fn f() {} }\n#[cfg(test)]\nmod tests;\n";
        let one = library(&[
            ("one/src/lib.rs", root),
            ("one/src/a/mod.rs", "mod c;\n"),
            ("one/src/a/c.rs", "mod d;\n#[cfg(test)]\nmod tests { use crate::b; }\n"),
            ("one/src/a/c/d.rs", "fn g() {}\n"),
            ("one/src/tests.rs", "not Rust"),
            ("one/src/other.rs", "not Rust"),
        ]);
        let files = one.unwrap().files;
        let files = files
            .iter()
            .map(|file| format!("{} {} {}", file.path, file.module.join("::"), file.items.len()));
        let expected = [
            "one/src/lib.rs  2",
            "one/src/a/mod.rs a 1",
            "one/src/a/c.rs a::c 1",
            "one/src/a/c/d.rs a::c::d 1",
        ];
        assert_eq!(files.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn names_a_module_without_a_file() {
        let error = library(&[("one/src/lib.rs", "mod a;\n")]).map(drop);
        let error = error.unwrap_err().to_string();
        assert_eq!(error, "module `a` of `one/src/lib.rs` has no file");
    }
}
