//! The paths in the files of a crate.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, ItemUse, Visibility};

use super::modules::Modules;
use crate::items::{Names, imports};
use crate::source::Crate;

/// The place of the first use of each file by each other. A file is the path of its module.
pub(super) type Uses = BTreeMap<(String, String), String>;

/// Returns the uses of files by each other.
pub(super) fn uses(one: &Crate) -> Uses {
    let mut finder = Finder { modules: Modules::new(one), uses: Uses::new(), file: "" };
    for file in &one.files {
        finder.file = &file.path;
        finder.read(&file.module, &file.items);
    }
    finder.uses
}

/// The search for uses in the tokens of a crate, which include those of macros.
struct Finder<'a> {
    modules: Modules,
    uses: Uses,
    /// The file that is searched.
    file: &'a str,
}

impl Finder<'_> {
    fn read(&mut self, module: &[String], items: &[Item]) {
        for item in items {
            match item {
                // A re-export alone is no use.
                Item::Use(item) if !matches!(item.vis, Visibility::Inherited) => {}
                Item::Use(item) => self.add_imports(module, item),
                Item::Mod(item) => {
                    let inner = [module, &[item.ident.to_string()]].concat();
                    let items = item.content.as_ref().map(|(_, items)| items);
                    items.into_iter().for_each(|items| self.read(&inner, items));
                }
                _ => self.walk(module, item.to_token_stream()),
            }
        }
    }

    fn add_imports(&mut self, module: &[String], item: &ItemUse) {
        let line = item.use_token.span.start().line;
        for (_, path) in imports(item) {
            self.add(module, &path, line);
        }
    }

    /// Searches the tokens of an item of a module.
    fn walk(&mut self, module: &[String], tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        let mut follows_dot = false;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            match token {
                TokenTree::Group(group) => self.walk(module, group.stream()),
                TokenTree::Ident(word) if word == "use" => {
                    let end = |token: &TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ';');
                    let length = rest.iter().position(end).map_or(rest.len(), |end| end + 1);
                    let (item, after) = rest.split_at(length);
                    let item = [token.clone()].into_iter().chain(item.iter().cloned());
                    if let Ok(item) = syn::parse2::<ItemUse>(item.collect()) {
                        self.add_imports(module, &item);
                    }
                    rest = after;
                }
                TokenTree::Ident(word) => {
                    let (path, after) = path(word.to_string(), rest);
                    let is_call = matches!(
                        after.first(),
                        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis
                    );
                    let is_type = word.to_string().starts_with(char::is_uppercase);
                    if !follows_dot && (path.len() > 1 || is_type || is_call) {
                        self.add(module, &path, word.span().start().line);
                    }
                    rest = after;
                }
                _ => {}
            }
            follows_dot = matches!(token, TokenTree::Punct(punct) if punct.as_char() == '.');
        }
    }

    fn add(&mut self, module: &[String], path: &[String], line: usize) {
        let from = self.modules.0.get(module).map(|module| &module.file);
        let to = self.modules.file_of(module, path);
        if let (Some(from), Some(to)) = (from, to)
            && *from != to
        {
            let place = format!("{}:{line}", self.file);
            self.uses.entry((name(from), name(&to))).or_insert(place);
        }
    }
}

/// Returns the path that begins with a word, and the tokens after it.
fn path(word: String, mut rest: &[TokenTree]) -> (Names, &[TokenTree]) {
    let mut path = vec![word];
    while let [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(next), after @ ..] = rest
        && a.as_char() == ':'
        && b.as_char() == ':'
    {
        path.push(next.to_string());
        rest = after;
    }
    (path, rest)
}

fn name(module: &[String]) -> String {
    match module {
        [] => "crate".to_owned(),
        _ => module.join("::"),
    }
}
