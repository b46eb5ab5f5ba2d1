//! Shares of doc comments by their first words.

use std::fmt;

use super::comments::docs;

/// First words that make a clause the subject of a sentence.
const QUESTION_WORDS: [&str; 9] = [
    "What", "How", "Where", "Which", "Who", "Whose", "Whoever", "Whether", "That",
];
/// Words that end in `s` but are no verbs, at the beginning of doc comments of functions.
const NO_VERBS: [&str; 7] = ["This", "Its", "As", "Always", "Less", "Cells", "Rows"];
/// Maximum share of doc comments that begin with a question word, in thousandths.
const MOST_QUESTION_WORDS: usize = 20;
/// Minimum share of doc comments of functions that begin with a verb, in thousandths.
const LEAST_VERBS: usize = 350;

/// Counts of doc comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Measure {
    docs: usize,
    question_words: usize,
    functions: usize,
    verbs: usize,
}

impl Measure {
    /// Adds the doc comments of a file.
    pub(super) fn add(&mut self, text: &str) {
        for doc in docs(text) {
            let word = first_word(doc.first_line);
            self.docs += 1;
            self.question_words += usize::from(QUESTION_WORDS.contains(&word));
            if doc.is_of_function {
                self.functions += 1;
                self.verbs += usize::from(is_third_person(word));
            }
        }
    }

    /// Returns a sentence for each share that exceeds its limit.
    pub(super) fn findings(&self, folder: &str) -> Vec<String> {
        let mut findings = Vec::new();
        if self.question_words * 1_000 > self.docs * MOST_QUESTION_WORDS {
            findings.push(format!(
                "{folder}: {} of {} doc comments begin with What, How, Which or the like; begin with a verb or a noun",
                self.question_words, self.docs
            ));
        }
        if self.verbs * 1_000 < self.functions * LEAST_VERBS {
            findings.push(format!(
                "{folder}: {} of {} doc comments of functions begin with a verb, such as Returns; at least 35 % should",
                self.verbs, self.functions
            ));
        }
        findings
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} doc comments begin with a question word ({}), {} of {} on functions with a verb ({})",
            self.question_words,
            self.docs,
            share(self.question_words, self.docs),
            self.verbs,
            self.functions,
            share(self.verbs, self.functions),
        )
    }
}

fn share(part: usize, whole: usize) -> String {
    let thousandths = (part * 1_000).checked_div(whole).unwrap_or_default();
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn first_word(line: &str) -> &str {
    let line = line.trim_start_matches(['[', '`', '*']);
    let end = line
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

fn is_third_person(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.ends_with('s') && !NO_VERBS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(text: &str) -> Measure {
        let mut measure = Measure::default();
        measure.add(text);
        measure
    }

    #[test]
    fn counts_first_words() {
        let measure = measured(
            "/// How it is.\nstruct A;\n\n/// [`A`] of one.\nfn a() {}\n\n/// Returns one.\nfn b() {}\n\n/// This one.\nfn c() {}\n",
        );
        let expected = Measure {
            docs: 4,
            question_words: 1,
            functions: 3,
            verbs: 1,
        };
        assert_eq!(measure, expected);
        assert_eq!(
            measure.to_string(),
            "1 of 4 doc comments begin with a question word (25.0 %), 1 of 3 on functions with a verb (33.3 %)"
        );
    }

    #[test]
    fn reports_a_share_beyond_its_limit() {
        let findings = measured("/// What it is.\nfn a() {}\n").findings("src");
        assert_eq!(
            findings,
            [
                "src: 1 of 1 doc comments begin with What, How, Which or the like; begin with a verb or a noun",
                "src: 0 of 1 doc comments of functions begin with a verb, such as Returns; at least 35 % should",
            ]
        );
        assert!(
            measured("/// Returns one.\nfn a() {}\n")
                .findings("src")
                .is_empty()
        );
        assert!(measured("").findings("src").is_empty());
    }
}
