//! Lines of pages and of comments, without the markers of comments.

/// A line of a page, or a comment of a Rust file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    /// The text without the marker of a comment.
    pub(super) text: &'a str,
    /// The width with indentation and marker.
    pub(super) width: usize,
    /// The language of the block of code that the line is in.
    pub(super) code: Option<&'a str>,
    /// True in a page, and in the documentation of a module.
    pub(super) is_page: bool,
}

/// Returns the lines of a page, or the comments of a Rust file. A row of slashes ends a comment.
pub(super) fn lines<'a>(file: &str, text: &'a str) -> Vec<Line<'a>> {
    let is_rust = file.ends_with(".rs");
    let (mut lines, mut code, mut last) = (Vec::new(), None, 0);
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let (text, is_page) = match is_rust {
            false => (line.trim(), true),
            true => match comment(line) {
                Some(comment) => comment,
                None => continue,
            },
        };
        if last + 1 < number {
            code = None;
        }
        last = number;
        let fence = text.strip_prefix("```");
        let language = code.or(fence);
        lines.push(Line { number, text, width: line.chars().count(), code: language, is_page });
        code = language.filter(|_| fence.is_none() || code.is_none());
    }
    lines
}

/// Returns the text of a line that is a comment, and whether it documents a module.
fn comment(line: &str) -> Option<(&str, bool)> {
    let text = line.trim_start().strip_prefix("//")?;
    let is_page = text.starts_with('!');
    Some((text.trim_start_matches(['/', '!']).trim(), is_page))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns each line as its number, its language, a mark of pages, and its text.
    fn found(file: &str, text: &str) -> Vec<String> {
        let shown = |line: &Line<'_>| {
            let page = if line.is_page { "page" } else { "item" };
            let code = line.code.unwrap_or("-");
            format!("{} {} {code} {page} {}", line.number, line.width, line.text)
        };
        lines(file, text).iter().map(shown).collect()
    }

    #[test]
    fn reads_the_lines_of_a_page_and_the_blocks_of_code_in_it() {
        let expected = [
            "1 3 - page One",
            "2 7 text page ```text",
            "3 1 text page a",
            "4 3 text page ```",
            "5 3 - page two",
        ];
        assert_eq!(found("a.md", "One\n```text\na\n```\ntwo"), expected);
    }

    #[test]
    fn reads_the_comments_of_rust() {
        let text = "//! ```\n//! a\n\n    /// two\nlet a = 1;\n// three";
        let expected = ["1 7  page ```", "2 5  page a", "4 11 - item two", "6 8 - item three"];
        assert_eq!(found("a.rs", text), expected);
    }
}
