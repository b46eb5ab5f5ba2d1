//! Idioms that are hard to read, and their replacements.

/// The idioms, each with its replacement.
const IDIOMS: [(&str, &str); 22] = [
    ("nobody", "no process, no caller, or `None` if"),
    ("somebody", "a caller, another process"),
    ("whoever", "the caller, the process"),
    ("so many", "a number, or as many as"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("set aside", "moved to the dead letters"),
    ("put back", "requeue, requeued"),
    ("puts back", "requeues"),
    ("come upon", "find, meet"),
    ("comes upon", "finds, meets"),
    ("is told", "receives, returns, prints"),
    ("are told", "receive, return, print"),
    ("was told", "received"),
    ("none where", "`None` if"),
    ("nothing where", "`None` if, empty if"),
    ("in vain", "without effect"),
    ("dealt with", "handled, processed"),
    ("comes to nothing", "fails"),
    ("goes on", "continues"),
    ("take back", "cancel, undo"),
];

/// Returns the idioms in a file, each with its line and its replacement.
pub(super) fn find(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        // Separate words, so not a part of `set_aside`, `set-aside` or `nobodys`.
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let words: String = line.to_lowercase().replace(|c| !is_word(c), " ");
        let words = format!(" {words} ");
        for (idiom, instead) in IDIOMS {
            if words.contains(&format!(" {idiom} ")) {
                findings.push(format!("{file}:{number}: `{idiom}`: write {instead}"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn names_the_place_and_the_words_to_use() {
        let text = "fn a() {}\n/// MEND, or so.\nlet mend_s = 1;\n";
        assert_eq!(find("a.rs", text), ["a.rs:2: `mend`: write fix"]);
    }
}
