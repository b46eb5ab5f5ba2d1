//! The names that source files define, each with its kind and the type that it belongs to.

use syn::{
    Fields, ImplItem, Item, ItemImpl, ItemUse, TraitItem, Type, TypeParamBound, UseTree, Visibility,
};

/// The parts of a path.
pub(crate) type Names = Vec<String>;

/// A name that a file defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    /// The keyword of the item, or `field`, `variant`; [`RELATIVE`] for a relation of types.
    pub(crate) kind: &'static str,
    /// The type or trait that the name is a part of.
    pub(crate) of: Option<String>,
    pub(crate) name: String,
    pub(crate) is_public: bool,
}

/// The kind of a trait that a type implements, of the type that it dereferences to, and of the type
/// behind an alias: their parts are also parts of the type.
pub(crate) const RELATIVE: &str = "relative";

/// Returns the names of items, also of those in inner modules.
pub(crate) fn names(items: &[Item]) -> Vec<Name> {
    let mut names = Vec::new();
    for item in items {
        let (kind, vis, name) = match item {
            Item::Const(item) => ("const", &item.vis, &item.ident),
            Item::Enum(item) => ("enum", &item.vis, &item.ident),
            Item::Fn(item) => ("fn", &item.vis, &item.sig.ident),
            Item::Static(item) => ("static", &item.vis, &item.ident),
            Item::Struct(item) => ("struct", &item.vis, &item.ident),
            Item::Trait(item) => ("trait", &item.vis, &item.ident),
            Item::Type(item) => ("type", &item.vis, &item.ident),
            Item::Mod(item) => ("mod", &item.vis, &item.ident),
            Item::Impl(item) => {
                names.extend(of_impl(item));
                continue;
            }
            _ => continue,
        };
        let (name, is_public) = (name.to_string(), is_public(vis));
        let parts = parts(item).into_iter().map(|(kind, part, is_part_public)| Name {
            kind,
            of: Some(name.clone()),
            name: part,
            is_public: is_public && is_part_public,
        });
        names.extend(parts);
        names.push(Name { kind, of: None, name, is_public });
        if let Item::Mod(item) = item {
            let inner = item.content.as_ref();
            names.extend(inner.into_iter().flat_map(|(_, items)| self::names(items)));
        }
    }
    names
}

/// The kind and name of a part, and whether it is as public as its type.
type Part = (&'static str, String, bool);

/// Returns the parts of an item.
fn parts(item: &Item) -> Vec<Part> {
    match item {
        Item::Struct(item) => fields(&item.fields),
        Item::Enum(item) => {
            let variants = item.variants.iter();
            variants.map(|it| ("variant", it.ident.to_string(), true)).collect()
        }
        Item::Trait(item) => item.items.iter().filter_map(part_of_trait).collect(),
        Item::Type(item) => relative(&item.ty).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn fields(fields: &Fields) -> Vec<Part> {
    let fields = fields.iter();
    let fields =
        fields.filter_map(|it| Some(("field", it.ident.as_ref()?.to_string(), is_public(&it.vis))));
    fields.collect()
}

fn part_of_trait(item: &TraitItem) -> Option<Part> {
    match item {
        TraitItem::Const(item) => Some(("const", item.ident.to_string(), true)),
        TraitItem::Fn(item) => Some(("fn", item.sig.ident.to_string(), true)),
        TraitItem::Type(item) => Some(("type", item.ident.to_string(), true)),
        _ => None,
    }
}

/// Returns the parts of an `impl`. Those of a trait are public with the trait, not here.
fn of_impl(item: &ItemImpl) -> Vec<Name> {
    let Some((_, of, _)) = relative(&item.self_ty) else {
        return Vec::new();
    };
    let of_trait = item.trait_.as_ref().and_then(|it| it.0.segments.last());
    let of_trait = of_trait.map(|it| (RELATIVE, it.ident.to_string(), false));
    let part = |part: &ImplItem| match part {
        ImplItem::Const(part) => Some(("const", part.ident.to_string(), is_public(&part.vis))),
        ImplItem::Fn(part) => Some(("fn", part.sig.ident.to_string(), is_public(&part.vis))),
        ImplItem::Type(part) if part.ident == "Target" => relative(&part.ty),
        _ => None,
    };
    let parts = item.items.iter().filter_map(part).chain(of_trait);
    let name = |(kind, name, is_public)| Name { kind, of: Some(of.clone()), name, is_public };
    parts.map(name).collect()
}

/// Returns the last part of the path of a type.
fn relative(of: &Type) -> Option<Part> {
    match of {
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            Some((RELATIVE, last.ident.to_string(), false))
        }
        Type::Reference(reference) => relative(&reference.elem),
        Type::TraitObject(object) => object.bounds.iter().find_map(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                let last = bound.path.segments.last()?;
                Some((RELATIVE, last.ident.to_string(), false))
            }
            _ => None,
        }),
        _ => None,
    }
}

pub(crate) fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

/// Returns the names that a `use` imports, each with its path.
pub(crate) fn imports(item: &ItemUse) -> Vec<(String, Names)> {
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
            return group.items.iter().for_each(|tree| add_imports(tree, path, imports));
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
