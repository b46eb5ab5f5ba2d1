//! Doc comments of a Rust file, by the item that they describe.

/// The first line of a doc comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Doc<'a> {
    pub(super) first_line: &'a str,
    pub(super) is_of_function: bool,
}

/// Returns the doc comments of a file, in their order.
pub(super) fn docs(text: &str) -> Vec<Doc<'_>> {
    let mut docs = Vec::new();
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
        docs.push(Doc {
            first_line,
            is_of_function,
        });
    }
    docs
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
    /// Returns one.
    ///
    /// More.
    #[must_use]
    pub(crate) const fn one() -> u8 { 1 }
    //// A row of slashes.
}
";
        let expected = [
            ("A module.", false),
            ("A type.", false),
            ("Returns one.", true),
        ];
        let found = docs(text);
        let found: Vec<_> = found
            .iter()
            .map(|doc| (doc.first_line, doc.is_of_function))
            .collect();
        assert_eq!(found, expected);
    }
}
