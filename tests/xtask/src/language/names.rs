//! The names in the sources of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};

use crate::defined_options::expand;
use crate::items::{self, RELATIVE};

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
        let mut file: syn::File = syn::parse2(tokens).with_context(context)?;
        expand(&mut file.items).with_context(context)?;
        for name in items::names(&file.items) {
            match name.of {
                Some(of) if name.kind == RELATIVE => {
                    self.relatives.entry(of).or_default().insert(name.name);
                }
                Some(of) => {
                    self.members.entry(of).or_default().insert(name.name);
                }
                None if ["struct", "enum", "trait"].contains(&name.kind) => {
                    self.types.insert(name.name);
                }
                None => {}
            }
        }
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
        let own = self.members.get(of);
        let mut relatives = self.relatives.get(of).into_iter().flatten();
        own.is_some_and(|own| own.contains(member))
            || relatives.any(|it| seen.insert(it) && self.has_member(it, member, seen))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const SOURCE: &str = "
        use std::sync::Arc; // Mutex
        mod inner {
            struct Pair { left: u8 }
            impl Pair { const ZERO: u8 = 0; fn sum() {} }
            enum Side { Left }
            trait Add { fn add(); }
            impl Add for Pair {}
        }
        fn gone() -> Vec<u8> { vec![Cow::from(\"Rc\")].len() }
        trait Read {}
        impl Read for Vec<u8> {}
        struct Reader;
        impl Reader { fn get() {} }
        struct Writer;
        impl Deref for Writer { type Target = Reader; }
        type Both = Writer;
        struct Round;
        impl Deref for Round { type Target = Round; }
    ";

    #[rstest]
    #[case::a_field("Pair::left", true)]
    #[case::a_constant("Pair::ZERO", true)]
    #[case::a_method("Pair::sum", true)]
    #[case::a_method_of_a_trait("Pair::add", true)]
    #[case::a_variant_in_a_module("inner::Side::Left", true)]
    #[case::a_function("gone", true)]
    #[case::a_function_elsewhere("Pair::gone", false)]
    #[case::no_variant("Side::Right", false)]
    #[case::no_type("Pears", false)]
    #[case::any_member_of_a_foreign_type("Vec::len", true)]
    #[case::no_member("Read::len", false)]
    #[case::a_method_through_deref("Writer::get", true)]
    #[case::a_method_through_an_alias("Both::get", true)]
    #[case::a_deref_without_end("Round::get", false)]
    #[case::a_used_name("Arc", true)]
    #[case::a_name_in_a_macro("Cow::from", true)]
    #[case::a_word_of_a_comment("Mutex", false)]
    #[case::a_word_of_a_string("Rc", false)]
    #[case::a_word_of_another_language("Observers", true)]
    fn contain_what_the_code_defines_or_uses(#[case] path: &str, #[case] expected: bool) {
        let mut names = Names::default();
        names.add("a.rs", SOURCE).unwrap();
        names.add("A.java", "class Observers {}").unwrap();
        assert_eq!(names.contain(&path.split("::").collect::<Vec<_>>()), expected);
    }
}
