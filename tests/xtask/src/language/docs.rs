//! The first words of doc comments.

/// First words that make a clause the subject of a sentence.
const QUESTION_WORDS: [&str; 9] =
    ["What", "How", "Where", "Which", "Who", "Whose", "Whoever", "Whether", "That"];

/// Returns the doc comments of a Rust file that begin with a question word, each with its line.
pub(super) fn find(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut last = None;
    for (number, line) in (1..).zip(text.lines().map(str::trim_start)) {
        let marker = ["///", "//!"].into_iter().find(|marker| line.starts_with(marker));
        let marker = marker.filter(|_| !line.starts_with("////"));
        if let Some(marker) = marker.filter(|_| marker != last) {
            let text = line.trim_start_matches(marker).trim_start_matches([' ', '[', '`', '*']);
            let word = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            if QUESTION_WORDS.contains(&word) {
                findings.push(format!("{file}:{number}: `{word}`: begin with a verb or a noun"));
            }
        }
        last = marker;
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn finds_a_question_word_at_the_beginning_of_a_doc_comment() {
        let text = "//! How it is.\n//! What.\n/// A type\n/// Which is.\nstruct A;\n    /// [`Whether`]\n// Who\n";
        let found = [(1, "How"), (6, "Whether")]
            .map(|(line, word)| format!("a.rs:{line}: `{word}`: begin with a verb or a noun"));
        assert_eq!(find("a.rs", text), found);
    }
}
