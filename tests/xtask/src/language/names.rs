//! The names in the sources of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Field, Fields, ImplItem, ItemEnum, ItemImpl, ItemStruct, ItemTrait, ItemType};
use syn::{TraitItem, Type};

/// The names in source files.
///
/// A name that the code uses counts, not only one that it defines: so the pages can name types of
/// the standard library, and the program needs no list of them.
#[derive(Debug, Default)]
pub(super) struct Names {
    words: BTreeSet<String>,
    /// The types and traits that the sources define.
    types: BTreeSet<String>,
    /// The methods, fields and variants of each type and trait.
    members: BTreeMap<String, BTreeSet<String>>,
    /// The traits that a type implements, the type that it dereferences to, or its alias.
    relatives: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    /// Adds the names of a file. A file that is not Rust has words, but no types.
    ///
    /// # Errors
    ///
    /// A Rust file cannot be parsed.
    pub(super) fn add(&mut self, file: &str, text: &str) -> Result<()> {
        if !file.ends_with(".rs") {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let words = text.split(|c| !is_word(c)).map(str::to_owned);
            self.words.extend(words);
            return Ok(());
        }
        let context = || format!("`{file}` cannot be parsed");
        let tokens = TokenStream::from_str(text).map_err(syn::Error::from);
        let tokens = tokens.with_context(context)?;
        self.add_words(tokens.clone());
        self.visit_file(&syn::parse2(tokens).with_context(context)?);
        Ok(())
    }

    fn add_words(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(word) => {
                    self.words.insert(word.to_string());
                }
                TokenTree::Group(group) => self.add_words(group.stream()),
                _ => {}
            }
        }
    }

    /// Checks whether the sources contain all parts of a path, and each type of theirs the part
    /// that follows it.
    pub(super) fn contain(&self, path: &[&str]) -> bool {
        let mut pairs = path.iter().zip(path.iter().skip(1));
        path.iter().all(|part| self.words.contains(*part))
            && pairs.all(|(of, member)| {
                !self.types.contains(*of) || self.has_member(of, member, &mut BTreeSet::new())
            })
    }

    fn has_member<'a>(&'a self, of: &'a str, member: &str, seen: &mut BTreeSet<&'a str>) -> bool {
        let is_own = |own: &BTreeSet<String>| own.contains(member);
        self.members.get(of).is_some_and(is_own)
            || self
                .relatives
                .get(of)
                .into_iter()
                .flatten()
                .any(|relative| seen.insert(relative) && self.has_member(relative, member, seen))
    }

    fn add_type(&mut self, name: &str, members: impl IntoIterator<Item = String>) {
        self.types.insert(name.to_owned());
        self.add_members(name, members);
    }

    fn add_members(&mut self, of: &str, members: impl IntoIterator<Item = String>) {
        let of = self.members.entry(of.to_owned()).or_default();
        of.extend(members);
    }

    fn add_relative(&mut self, of: &str, relative: Option<String>) {
        let of = self.relatives.entry(of.to_owned()).or_default();
        of.extend(relative);
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_item_struct(&mut self, item: &'a ItemStruct) {
        self.add_type(&item.ident.to_string(), fields(&item.fields));
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'a ItemEnum) {
        let variants = item.variants.iter().map(|it| it.ident.to_string());
        self.add_type(&item.ident.to_string(), variants);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_type(&mut self, item: &'a ItemType) {
        self.add_relative(&item.ident.to_string(), name(&item.ty));
        visit::visit_item_type(self, item);
    }

    fn visit_item_trait(&mut self, item: &'a ItemTrait) {
        let members = item.items.iter().filter_map(|item| match item {
            TraitItem::Const(item) => Some(item.ident.to_string()),
            TraitItem::Fn(item) => Some(item.sig.ident.to_string()),
            TraitItem::Type(item) => Some(item.ident.to_string()),
            _ => None,
        });
        self.add_type(&item.ident.to_string(), members);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        if let Some(of) = name(&item.self_ty) {
            for item in &item.items {
                match item {
                    ImplItem::Const(item) => self.add_members(&of, [item.ident.to_string()]),
                    ImplItem::Fn(item) => self.add_members(&of, [item.sig.ident.to_string()]),
                    ImplItem::Type(item) if item.ident == "Target" => {
                        self.add_relative(&of, name(&item.ty));
                    }
                    _ => {}
                }
            }
            let trait_name = item.trait_.as_ref().and_then(|it| it.0.segments.last());
            self.add_relative(&of, trait_name.map(|it| it.ident.to_string()));
        }
        visit::visit_item_impl(self, item);
    }
}

fn fields(fields: &Fields) -> impl Iterator<Item = String> {
    let name = |field: &Field| field.ident.as_ref().map(ToString::to_string);
    fields.iter().filter_map(name)
}

/// Returns the last part of the path of a type.
fn name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|it| it.ident.to_string()),
        Type::Reference(reference) => name(&reference.elem),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Names {
        let mut names = Names::default();
        names.add("a.rs", text).unwrap();
        names
    }

    #[test]
    fn contain_the_parts_of_types() {
        let names = names(
            "mod inner {
                struct Pair { left: u8 }
                impl Pair { const ZERO: u8 = 0; fn sum() {} }
                enum Side { Left }
                trait Add { fn add(); }
                impl Add for Pair {}
            }
            fn gone() {}",
        );
        for path in ["left", "ZERO", "sum", "add"] {
            assert!(names.contain(&["Pair", path]), "{path}");
        }
        assert!(names.contain(&["inner", "Side", "Left"]));
        assert!(names.contain(&["gone"]));
        assert!(
            !names.contain(&["Pair", "gone"]),
            "a function of another place"
        );
        assert!(!names.contain(&["Side", "Right"]));
        assert!(!names.contain(&["Pears"]));
    }

    #[test]
    fn contain_all_members_of_the_types_of_others() {
        let names = names("trait Read {} impl Read for Vec<u8> {} fn f() -> Vec<u8> { f.len() }");
        assert!(names.contain(&["Vec", "len"]));
        assert!(!names.contain(&["Read", "len"]));
    }

    #[test]
    fn contain_the_members_that_a_type_gets_from_another() {
        let names = names(
            "struct Reader; impl Reader { fn get() {} }
            struct Writer;
            impl Deref for Writer { type Target = Reader; }
            type Both = Writer;
            struct Round; impl Deref for Round { type Target = Round; }",
        );
        assert!(names.contain(&["Writer", "get"]));
        assert!(names.contain(&["Both", "get"]));
        assert!(!names.contain(&["Round", "get"]));
    }

    #[test]
    fn contain_the_words_of_code_and_not_those_of_comments() {
        let mut names = names("use std::sync::Arc; // Mutex\nfn f() { vec![Cow::from(\"Rc\")] }");
        assert!(names.contain(&["Arc"]) && names.contain(&["Cow", "from"]));
        assert!(!names.contain(&["Mutex"]) && !names.contain(&["Rc"]));
        names.add("A.java", "class Observers {}").unwrap();
        assert!(names.contain(&["Observers"]));
    }
}
