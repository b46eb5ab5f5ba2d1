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
    for (number, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for (idiom, instead) in IDIOMS {
            if has(&line, idiom) {
                findings.push(format!("{file}:{}: `{idiom}`: write {instead}", number + 1));
            }
        }
    }
    findings
}

/// Checks whether a line contains an idiom as separate words, so not as a part of `set_aside` or
/// `nobodys`.
fn has(line: &str, idiom: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(idiom).any(|(at, _)| {
        let before = line.get(..at).and_then(|it| it.chars().next_back());
        let after = line
            .get(at + idiom.len()..)
            .and_then(|it| it.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_place_and_the_words_to_use() {
        let idiom = ["no", "body"].concat();
        let text = format!(
            "fn a() {{}}\n/// {}, or {idiom}.\nlet {idiom}_s = 1;\n",
            idiom.to_uppercase()
        );
        assert_eq!(
            find("a.rs", &text),
            [format!(
                "a.rs:2: `{idiom}`: write no process, no caller, or `None` if"
            )]
        );
    }
}
