//! The public API of each library: a list of its names in `tests/api`, and a limit of the names at
//! the root of `fluo`.
//!
//! Every `pub` item of a library can be reached from outside, because the lint `unreachable_pub`
//! denies others. So a list has all of them, one per line, without signatures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use syn::Item;

use crate::cargo::say;
use crate::items::{self, Name, is_public};
use crate::source::Crate;

const FOLDER: &str = "tests/api";
/// The kinds of names at the root.
const ROOT: &str = "root ";
const ROOT_MODULE: &str = "root-module ";
/// The maximum number of names at the root of a crate, without modules.
const MAX_NAMES: [(&str, usize); 1] = [("fluo-rs", 60)];

/// Compares the public names of each library with its list, or on request writes the lists. Returns
/// each difference, and each root with too many names.
pub(crate) fn check(root: &Path, crates: &[Crate], accept: bool) -> Result<Vec<String>> {
    say("> the public API");
    let mut findings = Vec::new();
    for one in crates.iter().filter(|one| one.is_product && one.is_library) {
        let names = names(one);
        findings.extend(excess(one));
        let file = format!("{FOLDER}/{}.txt", one.name);
        if accept {
            fs::create_dir_all(root.join(FOLDER))
                .and_then(|()| fs::write(root.join(&file), list(&one.name, &names)))
                .with_context(|| format!("`{file}` cannot be written"))?;
        }
        let stored = fs::read_to_string(root.join(&file)).unwrap_or_default();
        let stored = stored.lines().filter(|line| !line.starts_with('#'));
        findings.extend(difference(&file, &stored.map(str::to_owned).collect(), &names));
    }
    Ok(findings)
}

/// Returns the public names of a library, each with its kind. Modules and other names at the root
/// have kinds of their own.
fn names(one: &Crate) -> BTreeSet<String> {
    let all = one.files.iter().flat_map(|file| items::names(&file.items));
    let (modules, others): (Vec<_>, Vec<_>) =
        all.filter(|name| name.is_public).partition(|name| name.kind == "mod");
    let modules: BTreeSet<_> = modules.into_iter().map(|module| module.name).collect();
    let name = |Name { kind, of, name, .. }| match of {
        Some(of) => format!("{kind} {of}::{name}"),
        None => format!("{kind} {name}"),
    };
    let mut names: BTreeSet<_> = others.into_iter().map(name).collect();
    names.extend(at_root(one).into_iter().map(|name| match modules.contains(&name) {
        true => format!("{ROOT_MODULE}{name}"),
        false => format!("{ROOT}{name}"),
    }));
    names
}

/// Returns the names that the root re-exports, and its public modules.
fn at_root(one: &Crate) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in one.files.first().iter().flat_map(|file| &file.items) {
        match item {
            Item::Use(item) if is_public(&item.vis) => {
                names.extend(items::imports(item).into_iter().map(|(name, _)| name));
            }
            Item::Mod(item) if is_public(&item.vis) => {
                names.insert(item.ident.to_string());
            }
            _ => {}
        }
    }
    names
}

/// Returns the number of public names at the root of a library, without modules.
pub(crate) fn root_names(one: &Crate) -> usize {
    names(one).iter().filter(|name| name.starts_with(ROOT)).count()
}

/// Returns the finding for a root with too many names.
fn excess(one: &Crate) -> Option<String> {
    let (_, most) = MAX_NAMES.iter().find(|(name, _)| *name == one.name)?;
    let count = root_names(one);
    (count > *most).then(|| {
        format!(
            "the root of `{}` has {count} names, and at most {most} are allowed; move some into a \
             module",
            one.name
        )
    })
}

fn list(name: &str, names: &BTreeSet<String>) -> String {
    let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
    format!("# The public API of {name}. `cargo xtask tidy --accept` rewrites this file.\n{lines}")
}

/// Returns a finding for each line that differs.
fn difference(file: &str, stored: &BTreeSet<String>, names: &BTreeSet<String>) -> Vec<String> {
    let is_new = names.difference(stored).map(|line| (line, "new"));
    let is_gone = stored.difference(names).map(|line| (line, "gone"));
    let remedy = "if you want this, run `cargo xtask tidy --accept`";
    let finding = |(line, state)| format!("{file}: `{line}` is {state}; {remedy}");
    is_new.chain(is_gone).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::library;

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

    fn checked(root: &Path, text: &str, accept: bool) -> Vec<String> {
        let one = library(&[
            ("one/src/lib.rs", text),
            ("one/src/own.rs", OWN),
            ("one/src/part.rs", "pub fn f() {}\n"),
        ]);
        check(root, &[one.unwrap()], accept).unwrap()
    }

    #[test]
    fn lists_every_public_name_and_reports_each_difference() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(checked(root.path(), ROOT, true), [""; 0]);
        let list = fs::read_to_string(root.path().join("tests/api/fluo.txt")).unwrap();
        let expected = "\
# The public API of fluo. `cargo xtask tidy --accept` rewrites this file.
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
        assert_eq!(checked(root.path(), ROOT, false), [""; 0]);
        let remedy = "if you want this, run `cargo xtask tidy --accept`";
        assert_eq!(
            checked(root.path(), &ROOT.replace("D", "E"), false),
            [
                format!("tests/api/fluo.txt: `const E` is new; {remedy}"),
                format!("tests/api/fluo.txt: `const D` is gone; {remedy}"),
            ]
        );
    }

    #[test]
    fn limits_the_names_at_the_root() {
        let of = |count: usize| {
            let names = (0..count).map(|number| format!("pub use a::B{number};"));
            let root = names.collect::<String>() + "mod a;";
            let mut one = library(&[("one/src/lib.rs", &root), ("one/src/a.rs", "")]).unwrap();
            one.name = "fluo-rs".to_owned();
            one
        };
        assert_eq!(excess(&of(60)), None);
        assert_eq!(
            excess(&of(61)).unwrap(),
            "the root of `fluo-rs` has 61 names, and at most 60 are allowed; move some into a module"
        );
    }
}
