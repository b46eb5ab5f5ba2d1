//! The first words of doc comments.

use std::collections::BTreeMap;

use crate::ratchet::folder;

/// First words that make a clause the subject of a sentence.
const QUESTION_WORDS: [&str; 9] =
    ["What", "How", "Where", "Which", "Who", "Whose", "Whoever", "Whether", "That"];
/// Words that end in `s` but are no verbs, at the beginning of doc comments of functions.
const NO_VERBS: [&str; 7] = ["This", "Its", "As", "Always", "Less", "Cells", "Rows"];
/// Maximum share of doc comments that begin with a question word, in percent.
const MAX_QUESTION_WORDS: usize = 2;
/// Minimum share of doc comments of functions that begin with a verb, in percent.
const MIN_VERBS: usize = 35;

/// The first words of the doc comments of each folder.
#[derive(Debug, Default)]
pub(super) struct Docs(BTreeMap<String, Counts>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    docs: usize,
    question_words: usize,
    functions: usize,
    verbs: usize,
}

impl Docs {
    /// Adds the doc comments of a Rust file.
    pub(super) fn add(&mut self, file: &str, text: &str) {
        let counts = self.0.entry(folder(file)).or_default();
        for (word, is_of_function) in first_words(text) {
            counts.docs += 1;
            counts.question_words += usize::from(QUESTION_WORDS.contains(&word));
            counts.functions += usize::from(is_of_function);
            counts.verbs += usize::from(is_of_function && is_third_person(word));
        }
    }

    /// Returns a sentence for each share that exceeds its limit.
    pub(super) fn findings(&self) -> Vec<String> {
        let mut findings = Vec::new();
        for (folder, counts) in &self.0 {
            if counts.question_words * 100 > counts.docs * MAX_QUESTION_WORDS {
                findings.push(format!(
                    "{folder}: {} of {} doc comments begin with What, How, Which or the like; \
                     begin with a verb or a noun",
                    counts.question_words, counts.docs
                ));
            }
            if counts.verbs * 100 < counts.functions * MIN_VERBS {
                findings.push(format!(
                    "{folder}: {} of {} doc comments of functions begin with a verb, such as \
                     Returns; at least {MIN_VERBS} % should",
                    counts.verbs, counts.functions
                ));
            }
        }
        findings
    }
}

/// Returns the first words of the doc comments of a file, and whether each describes a function.
fn first_words(text: &str) -> Vec<(&str, bool)> {
    let mut words = Vec::new();
    let mut lines = text.lines().map(str::trim_start).peekable();
    while let Some(line) = lines.next() {
        let Some((marker, first_line)) = doc(line) else {
            continue;
        };
        while lines.next_if(|line| line.starts_with(marker)).is_some() {}
        // Attributes that take several lines end in `)]`.
        let mut attribute_is_open = false;
        while let Some(line) = lines.next_if(|line| attribute_is_open || line.starts_with("#[")) {
            attribute_is_open = !line.ends_with(']');
        }
        let is_of_function = marker == "///" && lines.peek().is_some_and(|line| is_function(line));
        let first_line = first_line.trim_start_matches(['[', '`', '*']);
        let mut parts = first_line.split(|c: char| !c.is_alphabetic());
        words.push((parts.next().unwrap_or_default(), is_of_function));
    }
    words
}

/// Returns the marker and the text of a line of a doc comment.
fn doc(line: &str) -> Option<(&'static str, &str)> {
    ["///", "//!"].into_iter().find_map(|marker| {
        let text = line.strip_prefix(marker)?;
        (!text.starts_with('/')).then_some((marker, text.trim()))
    })
}

/// Checks whether a line declares a function.
fn is_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_qualifier = |word: &str| {
        word.starts_with("pub") || matches!(word, "const" | "async" | "unsafe" | "super)")
    };
    words.find(|word| !is_qualifier(word)) == Some("fn")
}

fn is_third_person(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.ends_with('s') && !NO_VERBS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_doc_comments_and_the_functions_among_them() {
        let text = "\
//! A module.
//! More.

/// A type.
#[derive(
    Clone,
)]
struct S;
impl S {
    // Not a doc comment.
    /// [`Returns`] one.
    ///
    /// More.
    #[must_use]
    pub(crate) const fn one() -> u8 { 1 }
    //// A row of slashes.
}
";
        let expected = [("A", false), ("A", false), ("Returns", true)];
        assert_eq!(first_words(text), expected);
    }

    #[test]
    fn reports_a_share_beyond_its_limit() {
        let found = |text: &str| {
            let mut docs = Docs::default();
            docs.add("src/table/src/lib.rs", text);
            docs.findings()
        };
        assert_eq!(
            found("/// How it is.\nstruct A;\n\n/// This one.\nfn a() {}\n"),
            [
                "src/table: 1 of 2 doc comments begin with What, How, Which or the like; begin with \
                 a verb or a noun",
                "src/table: 0 of 1 doc comments of functions begin with a verb, such as Returns; at \
                 least 35 % should",
            ]
        );
        assert!(found("/// Returns one.\nfn a() {}\n").is_empty());
    }
}
