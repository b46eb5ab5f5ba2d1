//! Cycles among the files of a crate.
//!
//! A file uses another one if a path in it leads to an item of that file, also through imports and
//! re-exports. A re-export alone is no use. Tests may use any file.

mod modules;
mod paths;

use std::collections::{BTreeSet, VecDeque};

use self::paths::Uses;
use crate::cargo::say;
use crate::source::Crate;

/// Returns the cycles of files of each crate.
pub(crate) fn check(crates: &[Crate]) -> Vec<String> {
    say("> cycles of files");
    let of_crate = |one: &Crate| {
        let uses = paths::uses(one);
        cycles(&uses).iter().map(|cycle| describe(&one.name, cycle, &uses)).collect::<Vec<_>>()
    };
    crates.iter().flat_map(of_crate).collect()
}

fn describe(name: &str, cycle: &[String], uses: &Uses) -> String {
    let mut text = format!("{name}: files form a cycle: {}", cycle.join(" -> "));
    for (from, to) in cycle.iter().zip(cycle.iter().skip(1)) {
        let place = uses.get(&(from.clone(), to.clone()));
        let place = place.map_or("", String::as_str);
        text += &format!("\n  `{from}` uses `{to}` at {place}");
    }
    text
}

/// Returns the shortest cycle through each use, each cycle once, beginning with its first file in
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

/// Returns the files on the shortest path between two files, with both.
fn path(uses: &Uses, from: &str, to: &str) -> Option<Vec<String>> {
    let mut paths = VecDeque::from([vec![from.to_owned()]]);
    let mut seen = BTreeSet::from([from.to_owned()]);
    while let Some(path) = paths.pop_front() {
        let last = path.last()?;
        if last == to {
            return Some(path);
        }
        let first = (last.clone(), String::new());
        let next = uses.range(first..).take_while(|((from, _), _)| from == last);
        for ((_, next), _) in next {
            if seen.insert(next.clone()) {
                paths.push_back(path.iter().chain([next]).cloned().collect());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::source::tests::library;

    const ROOT: &str = "mod a;\nmod b;\nmod c;\npub use b::{B, inner::C as D};\n";
    const B: &str = "mod inner;\npub(crate) use inner::{C, f};\npub struct B;\n";

    fn of(a: &str, b: &str, inner: &str, c: &str) -> Crate {
        library(&[
            ("one/src/lib.rs", ROOT),
            ("one/src/a.rs", &format!("pub struct A;\n{a}")),
            ("one/src/b/mod.rs", &format!("{B}{b}")),
            ("one/src/b/inner.rs", &format!("pub struct C;\npub fn f() {{}}\n{inner}")),
            ("one/src/c.rs", &format!("pub fn g() {{}}\n{c}")),
        ])
        .unwrap()
    }

    fn uses(one: &Crate) -> Vec<String> {
        let uses = paths::uses(one);
        uses.keys().map(|(from, to)| format!("{from} -> {to}")).collect()
    }

    #[rstest]
    #[case::an_import("use crate::b::B;", &["a -> b"])]
    #[case::an_import_from_the_root("use crate::{B, D};", &["a -> b", "a -> b::inner"])]
    #[case::an_import_through_a_module("use super::b::C;", &["a -> b::inner"])]
    #[case::a_path("fn h() { crate::c::g() }", &["a -> c"])]
    #[case::a_path_in_a_macro("fn h() { vec![crate::D] }", &["a -> b::inner"])]
    #[case::a_path_from_a_module("use crate::{b, c}; fn h() { b::f(); c::g() }", &["a -> b::inner", "a -> c"])]
    #[case::an_import_in_a_function("fn h() { use crate::{b::C, c::g}; }", &["a -> b::inner", "a -> c"])]
    #[case::an_inner_module("mod d { fn h() { super::super::c::g() } }", &["a -> c"])]
    #[case::a_module_alone("use crate::b;", &[])]
    #[case::a_re_export("pub use crate::b::B;", &[])]
    #[case::a_use_of_a_re_export("pub use crate::b::B; fn h(_: B) {}", &["a -> b"])]
    #[case::a_call_of_a_re_export("pub use crate::c::g; fn h() { g() }", &["a -> c"])]
    #[case::another_field("pub use crate::c::g; fn h() { self.g(); self.g }", &[])]
    #[case::itself("fn h(_: A, _: crate::a::A, _: self::A) {}", &[])]
    #[case::another_crate("use std::fmt; fn h() { fmt::b::B; }", &[])]
    #[case::a_test("#[cfg(test)]\nmod tests { use crate::b::B; }", &[])]
    fn follows_paths_imports_and_re_exports(#[case] a: &str, #[case] expected: &[&str]) {
        assert_eq!(uses(&of(a, "", "", "")), expected);
    }

    #[test]
    fn reports_each_use_of_a_cycle() {
        let one = of("use crate::c::g;", "", "use crate::a::A;", "use crate::b::f;");
        let cycle = "fluo: files form a cycle: a -> c -> b::inner -> a\n  \
                     `a` uses `c` at one/src/a.rs:2\n  \
                     `c` uses `b::inner` at one/src/c.rs:2\n  \
                     `b::inner` uses `a` at one/src/b/inner.rs:3";
        assert_eq!(check(&[one]), [cycle]);
    }

    #[test]
    fn a_part_may_use_its_module_if_the_module_only_re_exports_it() {
        let one = of("", "", "use super::B;", "");
        assert_eq!(uses(&one), ["b::inner -> b"]);
        let one = of("", "fn h(_: C) {}", "use super::B;", "");
        assert_eq!(cycles(&paths::uses(&one)).len(), 1);
    }
}
