//! British spellings, and the American ones to use.

/// The beginnings of British words, each with its American spelling.
const WORDS: [(&str, &str); 20] = [
    ("analyse", "analyze"),
    ("artefact", "artifact"),
    ("behaviour", "behavior"),
    ("catalogue", "catalog"),
    ("centre", "center"),
    ("colour", "color"),
    ("defence", "defense"),
    ("favour", "favor"),
    ("grey", "gray"),
    ("honour", "honor"),
    ("judgement", "judgment"),
    ("labelled", "labeled"),
    ("labeller", "labeler"),
    ("labelling", "labeling"),
    ("licence", "license"),
    ("modelled", "modeled"),
    ("modelling", "modeling"),
    ("neighbour", "neighbor"),
    ("travelled", "traveled"),
    ("travelling", "traveling"),
];
/// The beginnings of verbs that end in `ise` in British spelling.
const VERBS: [&str; 18] = [
    "author", "categor", "emphas", "equal", "general", "initial", "maxim", "minim", "normal",
    "optim", "organ", "priorit", "real", "recogn", "regular", "serial", "summar", "synchron",
];
/// Words of others.
const FOREIGN: [&str; 1] = ["labelledby"];

/// Returns the British spellings in a file, each with its line and the American one.
pub(super) fn find(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for word in line.split(|c: char| !c.is_alphabetic()) {
            if let Some(american) = american(&word.to_lowercase()) {
                findings.push(format!("{file}:{number}: `{word}`: write {american}"));
            }
        }
    }
    findings
}

/// Returns the American spelling of a word in British spelling.
fn american(word: &str) -> Option<String> {
    if FOREIGN.contains(&word) {
        return None;
    }
    let of_word = |(british, american): &(&str, &str)| {
        Some(format!("{american}{}", word.strip_prefix(british)?))
    };
    let of_verb = |verb: &&str| {
        let rest = word.strip_prefix(verb)?.strip_prefix("is")?;
        // Not `optimistic`, `organism` or `realist`.
        let is_verb = rest.starts_with(['a', 'e', 'i']);
        is_verb.then(|| format!("{verb}iz{rest}"))
    };
    let mut words = WORDS.iter().filter_map(of_word);
    words.next().or_else(|| VERBS.iter().find_map(of_verb))
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn finds_british_spellings_and_leaves_other_words() {
        let text = "/// Initialises NeighbourId, labelled_by.\nlet optimistic = promise;";
        assert_eq!(
            find("a.rs", text),
            [
                "a.rs:1: `Initialises`: write initializes",
                "a.rs:1: `NeighbourId`: write neighborid",
                "a.rs:1: `labelled`: write labeled",
            ]
        );
        assert!(find("a.rs", "a realistic organism: aria-labelledby, advise").is_empty());
    }
}
