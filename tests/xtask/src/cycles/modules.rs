//! The modules of a crate, and the search for the file that defines a name.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, ItemUse, UseTree, Visibility};

use crate::items;
use crate::source::Crate;

/// The maximum number of imports that a name is followed through.
const MOST_IMPORTS: usize = 16;

/// A path of names.
pub(super) type Names = Vec<String>;

/// A module of a crate.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The module of the file that contains it.
    pub(super) file: Names,
    /// The items that it defines.
    items: BTreeSet<String>,
    /// The names that it imports, each with its path.
    imports: BTreeMap<String, Names>,
}

/// The modules of a crate, by their paths.
#[derive(Debug, Default)]
pub(super) struct Modules(pub(super) BTreeMap<Names, Module>);

/// The thing that a path leads to.
enum Target {
    Module(Names),
    /// An item, by the file that defines it.
    Item(Names),
}

impl Modules {
    pub(super) fn new(one: &Crate) -> Modules {
        let mut modules = Modules::default();
        for file in &one.files {
            modules.add(&file.module, &file.module, &file.items);
        }
        modules
    }

    fn add(&mut self, path: &[String], file: &[String], items: &[Item]) {
        let module = self.0.entry(path.to_owned()).or_default();
        file.clone_into(&mut module.file);
        for item in items {
            match item {
                Item::Use(item) => module.imports.extend(imports(item)),
                Item::Macro(item) => module
                    .items
                    .extend(item.ident.as_ref().map(ToString::to_string)),
                _ => {}
            }
        }
        let outer = items.iter().filter(|item| !matches!(item, Item::Mod(_)));
        let outer: Vec<_> = outer.cloned().collect();
        let names = items::names(&outer)
            .into_iter()
            .filter(|name| name.of.is_none());
        module.items.extend(names.map(|name| name.name));
        for item in items {
            if let Item::Mod(item) = item
                && let Some((_, items)) = &item.content
            {
                let inner = [path, &[item.ident.to_string()]].concat();
                self.add(&inner, file, items);
            }
        }
    }

    /// Returns the file that defines the item of a path in a module, or `None` if the path leads to
    /// a module or into another crate.
    pub(super) fn file_of(&self, module: &[String], path: &[String]) -> Option<Names> {
        match self.target(module, path, MOST_IMPORTS)? {
            Target::Item(file) => Some(file),
            Target::Module(_) => None,
        }
    }

    fn target(&self, module: &[String], path: &[String], most: usize) -> Option<Target> {
        let most = most.checked_sub(1)?;
        let mut at = module.to_owned();
        for (number, name) in (1..).zip(path) {
            match name.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()?),
                _ => {
                    let inner = [&at[..], std::slice::from_ref(name)].concat();
                    let here = self.0.get(&at)?;
                    let is_module = self.0.contains_key(&inner);
                    // A function may have the name of a module.
                    if here.items.contains(name) && (!is_module || number == path.len()) {
                        return Some(Target::Item(here.file.clone()));
                    } else if is_module {
                        at = inner;
                    } else {
                        match self.target(&at, here.imports.get(name)?, most)? {
                            Target::Module(module) => at = module,
                            item @ Target::Item(_) => return Some(item),
                        }
                    }
                }
            }
        }
        Some(Target::Module(at))
    }

    /// Checks whether a module re-exports a name: its import alone is then no use.
    pub(super) fn is_re_export(item: &ItemUse) -> bool {
        !matches!(item.vis, Visibility::Inherited)
    }
}

/// Returns the names that a `use` imports, each with its path.
pub(super) fn imports(item: &ItemUse) -> Vec<(String, Names)> {
    let mut imports = Vec::new();
    add_imports(&item.tree, &[], &mut imports);
    imports
}

fn add_imports(tree: &UseTree, path: &[String], imports: &mut Vec<(String, Names)>) {
    let (name, alias) = match tree {
        UseTree::Path(tree) => {
            let path = [path, &[tree.ident.to_string()]].concat();
            return add_imports(&tree.tree, &path, imports);
        }
        UseTree::Group(group) => {
            return group
                .items
                .iter()
                .for_each(|tree| add_imports(tree, path, imports));
        }
        UseTree::Name(tree) => (&tree.ident, &tree.ident),
        UseTree::Rename(tree) => (&tree.ident, &tree.rename),
        // The lint `wildcard_imports` denies others than those of variants.
        _ => {
            imports.push(("*".to_owned(), path.to_owned()));
            return;
        }
    };
    let path = match name == "self" {
        true => path.to_owned(),
        false => [path, &[name.to_string()]].concat(),
    };
    // The alias of `a::{self}` is the last part of its path.
    let alias = match alias == "self" {
        true => path.last().cloned().unwrap_or_default(),
        false => alias.to_string(),
    };
    imports.push((alias, path));
}
