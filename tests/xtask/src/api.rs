//! The public API of each library: a list of its names in `tests/api`, and a limit of the names at
//! the root of `fluo-engine`.
//!
//! Every `pub` item of a library can be reached from outside, because the lint `unreachable_pub`
//! denies others. So a list has all of them, one per line, without signatures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use syn::{Field, ImplItem, Item, ItemImpl, TraitItem, Type, UseTree, Visibility};

use crate::cargo;
use crate::source::Crate;

const FOLDER: &str = "tests/api";
/// The kind of a name at the root that is no module.
const ROOT: &str = "root ";
const ROOT_MODULE: &str = "root-module ";
/// The maximum number of names at the root of a crate, without modules.
const MOST_NAMES: [(&str, usize); 1] = [("fluo-engine", 40)];

/// Compares the public names of each library with its list, or on request writes the lists.
///
/// # Errors
///
/// A list differs, or a root has too many names.
pub(crate) fn check(root: &Path, crates: &[Crate], accept: bool) -> Result<()> {
    cargo::say("\n> the public API");
    let mut findings = Vec::new();
    for one in crates
        .iter()
        .filter(|one| one.is_product() && one.is_library)
    {
        let names = names(one);
        findings.extend(excess(one, &names));
        let list = list(&one.name, &names);
        let file = format!("{FOLDER}/{}.txt", one.name);
        if accept {
            fs::create_dir_all(root.join(FOLDER))
                .and_then(|()| fs::write(root.join(&file), &list))
                .with_context(|| format!("`{file}` cannot be written"))?;
        }
        let stored = fs::read_to_string(root.join(&file)).unwrap_or_default();
        findings.extend(difference(&file, &stored, &list));
    }
    match findings.as_slice() {
        [] => Ok(()),
        _ => bail!("{}", findings.join("\n")),
    }
}

/// Returns the public names of a library, each with its kind. Modules and other names at the root
/// have kinds of their own.
fn names(one: &Crate) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in &one.files {
        add_items(&file.items, &mut names);
    }
    let root = one.files.first();
    let mut at_root = BTreeSet::new();
    for item in root.iter().flat_map(|file| &file.items) {
        match item {
            Item::Use(item) if is_public(&item.vis) => add_use(&item.tree, &mut at_root),
            _ => at_root.extend(public_module(item)),
        }
    }
    let modules: BTreeSet<_> = one
        .files
        .iter()
        .flat_map(|file| &file.items)
        .filter_map(public_module)
        .collect();
    let is_module = |name: &String| modules.contains(name);
    names.extend(at_root.iter().map(|name| match is_module(name) {
        true => format!("{ROOT_MODULE}{name}"),
        false => format!("{ROOT}{name}"),
    }));
    names
}

fn public_module(item: &Item) -> Option<String> {
    match item {
        Item::Mod(item) if is_public(&item.vis) => Some(item.ident.to_string()),
        _ => None,
    }
}

/// Returns the number of public names at the root of a library, without modules.
pub(crate) fn root_names(one: &Crate) -> usize {
    root_names_of(&names(one))
}

fn root_names_of(names: &BTreeSet<String>) -> usize {
    names.iter().filter(|name| name.starts_with(ROOT)).count()
}

/// Returns the finding for a root with too many names.
fn excess(one: &Crate, names: &BTreeSet<String>) -> Option<String> {
    let (_, most) = MOST_NAMES.iter().find(|(name, _)| *name == one.name)?;
    let count = root_names_of(names);
    (count > *most).then(|| {
        format!(
            "{}/src/lib.rs: the root of `{}` has {count} names, and at most {most} are allowed; \
             remove some, or move them into a module",
            one.folder, one.name
        )
    })
}

fn list(name: &str, names: &BTreeSet<String>) -> String {
    let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
    format!("# The public API of {name}. `cargo xtask tidy --accept` rewrites this file.\n{lines}")
}

/// Returns a finding for each line that differs.
fn difference(file: &str, stored: &str, list: &str) -> Vec<String> {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (stored, list) = (lines(stored), lines(list));
    let is_new = list
        .difference(&stored)
        .map(|line| format!("`{line}` is new"));
    let is_gone = stored
        .difference(&list)
        .map(|line| format!("`{line}` is gone"));
    let differences = is_new.chain(is_gone);
    differences
        .map(|what| format!("{file}: {what}; if you want this, run `cargo xtask tidy --accept`"))
        .collect()
}

fn add_items(items: &[Item], names: &mut BTreeSet<String>) {
    for item in items {
        let (kind, vis, name) = match item {
            Item::Const(item) => ("const", &item.vis, &item.ident),
            Item::Enum(item) => ("enum", &item.vis, &item.ident),
            Item::Fn(item) => ("fn", &item.vis, &item.sig.ident),
            Item::Static(item) => ("static", &item.vis, &item.ident),
            Item::Struct(item) => ("struct", &item.vis, &item.ident),
            Item::Trait(item) => ("trait", &item.vis, &item.ident),
            Item::Type(item) => ("type", &item.vis, &item.ident),
            Item::Mod(item) => {
                let inner = item.content.as_ref();
                inner.iter().for_each(|(_, items)| add_items(items, names));
                continue;
            }
            Item::Impl(item) => {
                add_impl(item, names);
                continue;
            }
            _ => continue,
        };
        if is_public(vis) {
            names.insert(format!("{kind} {name}"));
            let parts = parts(item).into_iter();
            names.extend(parts.map(|(kind, part)| format!("{kind} {name}::{part}")));
        }
    }
}

/// Returns the public parts of an item, each with its kind.
fn parts(item: &Item) -> Vec<(&'static str, String)> {
    let field = |field: &Field| {
        let name = field.ident.as_ref().filter(|_| is_public(&field.vis))?;
        Some(("field", name.to_string()))
    };
    match item {
        Item::Struct(item) => item.fields.iter().filter_map(field).collect(),
        Item::Enum(item) => {
            let variant = |variant: &syn::Variant| ("variant", variant.ident.to_string());
            item.variants.iter().map(variant).collect()
        }
        Item::Trait(item) => {
            let part = |item: &TraitItem| match item {
                TraitItem::Const(item) => Some(("const", item.ident.to_string())),
                TraitItem::Fn(item) => Some(("fn", item.sig.ident.to_string())),
                TraitItem::Type(item) => Some(("type", item.ident.to_string())),
                _ => None,
            };
            item.items.iter().filter_map(part).collect()
        }
        _ => Vec::new(),
    }
}

/// Adds the public parts of an inherent `impl`.
fn add_impl(item: &ItemImpl, names: &mut BTreeSet<String>) {
    let Type::Path(path) = &*item.self_ty else {
        return;
    };
    let Some(of) = path.path.segments.last().filter(|_| item.trait_.is_none()) else {
        return;
    };
    for part in &item.items {
        let (kind, vis, name) = match part {
            ImplItem::Const(part) => ("const", &part.vis, &part.ident),
            ImplItem::Fn(part) => ("fn", &part.vis, &part.sig.ident),
            _ => continue,
        };
        if is_public(vis) {
            names.insert(format!("{kind} {}::{name}", of.ident));
        }
    }
}

fn add_use(tree: &UseTree, names: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => add_use(&path.tree, names),
        UseTree::Group(group) => group.items.iter().for_each(|tree| add_use(tree, names)),
        UseTree::Name(name) => {
            names.insert(name.ident.to_string());
        }
        UseTree::Rename(name) => {
            names.insert(name.rename.to_string());
        }
        _ => {
            names.insert("*".to_owned());
        }
    }
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{crates, tests::workspace};

    const ROOT: &str =
        "pub mod part;\nmod own;\npub use own::{A, inner::B as C};\npub const D: u8 = 1;\n";
    const OWN: &str = "\
pub struct A { pub x: u8, y: u8 }
impl A { pub fn new() -> Self { todo!() } fn own() {} pub(crate) fn shared() {} }
impl Clone for A { fn clone(&self) -> Self { todo!() } }
pub mod inner { pub enum B { One, Two(u8) } }
pub(crate) struct Hidden { pub x: u8 }
pub trait T { const N: u8; fn f(&self); }
";

    fn checked(root: &str, accept: bool) -> (tempfile::TempDir, Result<()>) {
        let workspace = workspace(&[
            ("one/src/lib.rs", root),
            ("one/src/own.rs", OWN),
            ("one/src/part.rs", "pub fn f() {}\n"),
        ]);
        let crates = crates(workspace.path()).unwrap();
        let result = check(workspace.path(), &crates, accept);
        (workspace, result)
    }

    #[test]
    fn lists_every_public_name() {
        let (workspace, result) = checked(ROOT, true);
        result.unwrap();
        let list = fs::read_to_string(workspace.path().join("tests/api/the-one.txt")).unwrap();
        let expected = "\
# The public API of the-one. `cargo xtask tidy --accept` rewrites this file.
const D
const T::N
enum B
field A::x
fn A::new
fn T::f
fn f
root A
root C
root-module part
struct A
trait T
variant B::One
variant B::Two
";
        assert_eq!(list, expected);
    }

    #[test]
    fn reports_each_difference() {
        let (workspace, _) = checked(ROOT, true);
        fs::write(workspace.path().join("one/src/part.rs"), "pub fn g() {}\n").unwrap();
        let crates = crates(workspace.path()).unwrap();
        let error = check(workspace.path(), &crates, false).unwrap_err();
        let remedy = "if you want this, run `cargo xtask tidy --accept`";
        assert_eq!(
            error.to_string(),
            format!(
                "tests/api/the-one.txt: `fn g` is new; {remedy}\n\
                 tests/api/the-one.txt: `fn f` is gone; {remedy}"
            )
        );
    }

    #[test]
    fn limits_the_names_at_the_root() {
        let one = |count: usize| Crate {
            name: "fluo-engine".to_owned(),
            folder: "src/engine".to_owned(),
            is_library: true,
            files: vec![crate::source::SourceFile {
                path: String::new(),
                module: Vec::new(),
                text: String::new(),
                items: (0..count)
                    .map(|number| syn::parse_str(&format!("pub use a::B{number};")).unwrap())
                    .collect(),
            }],
        };
        assert_eq!(excess(&one(40), &names(&one(40))), None);
        assert_eq!(
            excess(&one(41), &names(&one(41))).unwrap(),
            "src/engine/src/lib.rs: the root of `fluo-engine` has 41 names, and at most 40 are allowed; remove some, or \
             move them into a module"
        );
    }
}
