//! Cycles among the top-level modules of a crate.
//!
//! A module uses another one if a path in it begins with `crate::` or `super::` and leads there.
//! Names that the crate root imports lead to the module that they come from. Tests may use any
//! module.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::Result;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, UseTree};

use crate::cargo;
use crate::source::{Crate, SourceFile};

/// The place of the first use of each module by each other: file and line.
type Uses = BTreeMap<(String, String), String>;

/// Fails if modules of a crate form a cycle.
pub(crate) fn check(crates: &[Crate]) -> Result<()> {
    cargo::say("\n> cycles of modules");
    let findings = findings(crates);
    cargo::none_of(&findings)
}

fn findings(crates: &[Crate]) -> Vec<String> {
    let mut findings = Vec::new();
    for one in crates {
        let uses = uses(one);
        let cycles = cycles(&uses);
        findings.extend(cycles.iter().map(|cycle| describe(&one.name, cycle, &uses)));
    }
    findings
}

fn describe(name: &str, cycle: &[String], uses: &Uses) -> String {
    let mut text = format!("{name}: modules form a cycle: {}", cycle.join(" -> "));
    for (from, to) in cycle.iter().zip(cycle.iter().skip(1)) {
        let place = uses.get(&(from.clone(), to.clone()));
        text += &format!(
            "\n  `{from}` uses `{to}` at {}",
            place.map_or("", String::as_str)
        );
    }
    text
}

/// Returns the shortest cycle through each use, each cycle once, beginning with its first module in
/// alphabetical order.
fn cycles(uses: &Uses) -> BTreeSet<Vec<String>> {
    let cycle = |(from, to): &(String, String)| {
        let mut cycle = path(uses, to, from)?;
        let first = cycle.iter().enumerate().min_by_key(|(_, module)| *module);
        let first = first.map_or(0, |(index, _)| index);
        cycle.rotate_left(first);
        cycle.extend(cycle.first().cloned());
        Some(cycle)
    };
    uses.keys().filter_map(cycle).collect()
}

/// Returns the modules on the shortest path between two modules, with both.
fn path(uses: &Uses, from: &str, to: &str) -> Option<Vec<String>> {
    let mut paths = VecDeque::from([vec![from.to_owned()]]);
    let mut seen = BTreeSet::from([from.to_owned()]);
    while let Some(path) = paths.pop_front() {
        let last = path.last()?;
        if last == to {
            return Some(path);
        }
        for (_, next) in uses.keys().filter(|(from, _)| from == last) {
            if seen.insert(next.clone()) {
                paths.push_back(path.iter().chain([next]).cloned().collect());
            }
        }
    }
    None
}

fn uses(one: &Crate) -> Uses {
    let Some((root, files)) = one.files.split_first() else {
        return Uses::new();
    };
    let mut finder = Finder {
        modules: root.items.iter().filter_map(module).collect(),
        names: names_of_root(root),
        uses: Uses::new(),
        place: String::new(),
    };
    for file in [root].into_iter().chain(files) {
        finder.place.clone_from(&file.path);
        let tokens = file.items.iter().map(ToTokens::to_token_stream).collect();
        finder.walk(tokens, &file.module);
    }
    finder.uses
}

fn module(item: &Item) -> Option<String> {
    match item {
        Item::Mod(module) => Some(module.ident.to_string()),
        _ => None,
    }
}

/// Returns the names that the crate root imports, each with the first segment of its path.
fn names_of_root(root: &SourceFile) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for item in &root.items {
        if let Item::Use(item) = item {
            names_of_use(&item.tree, None, &mut names);
        }
    }
    names
}

fn names_of_use(tree: &UseTree, first: Option<&str>, names: &mut BTreeMap<String, String>) {
    let mut add = |name: &Ident| {
        if let Some(first) = first {
            names.insert(name.to_string(), first.to_owned());
        }
    };
    match tree {
        UseTree::Path(path) => {
            let segment = path.ident.to_string();
            let is_root = first.is_none() && (segment == "crate" || segment == "self");
            let first = first.or(Some(segment.as_str()).filter(|_| !is_root));
            names_of_use(&path.tree, first, names);
        }
        UseTree::Name(name) => add(&name.ident),
        UseTree::Rename(name) => add(&name.rename),
        UseTree::Group(group) => group
            .items
            .iter()
            .for_each(|tree| names_of_use(tree, first, names)),
        _ => {}
    }
}

/// The search for uses in the tokens of a crate, which include those of macros.
struct Finder {
    /// The top-level modules.
    modules: BTreeSet<String>,
    /// The names of the crate root, each with the module that it comes from.
    names: BTreeMap<String, String>,
    uses: Uses,
    /// The file that is searched.
    place: String,
}

impl Finder {
    /// Searches tokens of a module.
    fn walk(&mut self, tokens: TokenStream, module: &[String]) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            match (token, after) {
                (
                    TokenTree::Ident(word),
                    [TokenTree::Ident(name), TokenTree::Group(body), after @ ..],
                ) if word == "mod" => {
                    let inner: Vec<_> = module.iter().cloned().chain([name.to_string()]).collect();
                    self.walk(body.stream(), &inner);
                    rest = after;
                }
                (TokenTree::Ident(word), _) => {
                    if let Some(base) = base(word, module) {
                        self.add_path(base, after, module);
                    }
                }
                (TokenTree::Group(group), _) => self.walk(group.stream(), module),
                _ => {}
            }
        }
    }

    /// Adds the uses of a path, or of a group of paths, that begins at the module `base`.
    fn add_path(&mut self, base: &[String], mut rest: &[TokenTree], module: &[String]) {
        let Some(after) = after_colons(rest) else {
            return;
        };
        rest = after;
        match rest.first() {
            Some(TokenTree::Ident(word)) if word == "super" => {
                let base = base.split_last().map_or(base, |(_, parents)| parents);
                self.add_path(base, rest.get(1..).unwrap_or_default(), module);
            }
            Some(TokenTree::Ident(word)) => self.add(base, word, module),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let mut is_first = true;
                for token in group.stream() {
                    match &token {
                        TokenTree::Ident(word) if is_first => self.add(base, word, module),
                        _ => {}
                    }
                    is_first = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',');
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, base: &[String], word: &Ident, module: &[String]) {
        let Some(from) = module.first() else { return };
        let name = base.first().cloned().unwrap_or_else(|| word.to_string());
        let to = match self.modules.contains(&name) {
            true => Some(&name),
            false => self
                .names
                .get(&name)
                .filter(|to| self.modules.contains(*to)),
        };
        if let Some(to) = to.filter(|to| *to != from) {
            let place = format!("{}:{}", self.place, word.span().start().line);
            self.uses.entry((from.clone(), to.clone())).or_insert(place);
        }
    }
}

/// Returns the module at which a path with this first word begins, if the word is a keyword.
fn base<'m>(word: &Ident, module: &'m [String]) -> Option<&'m [String]> {
    match word.to_string().as_str() {
        "crate" => Some(&[]),
        "self" => Some(module),
        "super" => module.split_last().map(|(_, parents)| parents),
        _ => None,
    }
}

fn after_colons(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    match tokens {
        [TokenTree::Punct(a), TokenTree::Punct(b), rest @ ..]
            if a.as_char() == ':' && b.as_char() == ':' =>
        {
            Some(rest)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::library;

    const ROOT: (&str, &str) = (
        "one/src/lib.rs",
        "mod a;\nmod b;\nmod c;\npub use b::{B, inner::C as D};\n",
    );

    fn found([a, b, c]: [&str; 3]) -> Vec<String> {
        let files = [
            ROOT,
            ("one/src/a.rs", a),
            ("one/src/b.rs", b),
            ("one/src/c.rs", c),
        ];
        findings(&[library(&files).unwrap()])
    }

    #[test]
    fn reports_a_cycle_with_the_place_of_each_use() {
        let a = "fn f() {\n    crate::c::g()\n}";
        let b = "mod inner {\n    use super::super::a::f;\n}";
        let c = "use crate::{\n    b::B,\n};";
        let expected = "fluo-rs: modules form a cycle: a -> c -> b -> a\n  \
                        `a` uses `c` at one/src/a.rs:2\n  \
                        `c` uses `b` at one/src/c.rs:2\n  \
                        `b` uses `a` at one/src/b.rs:2";
        assert_eq!(found([a, b, c]), [expected]);
    }

    #[test]
    fn follows_the_names_of_the_crate_root_and_the_tokens_of_macros() {
        for a in [
            "use crate::B;",
            "use crate::D;",
            "fn f() { vec![crate::B] }",
            "use super::B;",
        ] {
            let found = found([a, "use crate::a;", ""]);
            assert_eq!(found.len(), 1, "{a}");
            assert!(found[0].contains("cycle: a -> b -> a"), "{a}: {found:?}");
        }
    }

    #[test]
    fn accepts_uses_in_one_direction_and_those_of_tests() {
        let b = "mod inner { use super::x; use self::y; use crate::b::z; }\n\
                 #[cfg(test)]\nmod tests { use crate::a; }";
        assert!(found(["use crate::{B, c::{self, b}};", b, ""]).is_empty());
    }
}
