//! The modules of a crate, and the search for the file that defines a name.

use std::collections::{BTreeMap, BTreeSet};

use syn::Item;

use crate::items::{self, Names};
use crate::source::Crate;

/// The maximum number of imports that a name is followed through.
const MAX_IMPORTS: usize = 16;

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
                Item::Use(item) => module.imports.extend(items::imports(item)),
                Item::Macro(item) => {
                    module.items.extend(item.ident.as_ref().map(ToString::to_string));
                }
                _ => {}
            }
        }
        let outer = items.iter().filter(|item| !matches!(item, Item::Mod(_)));
        let outer: Vec<_> = outer.cloned().collect();
        let names = items::names(&outer).into_iter().filter(|name| name.of.is_none());
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
        match self.target(module, path, MAX_IMPORTS)? {
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
}
