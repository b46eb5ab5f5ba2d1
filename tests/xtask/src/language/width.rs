//! The width of comments and pages: at most 100 columns.

use super::lines::Line;

/// The maximum width of a line, as in rustfmt.
const MAX_WIDTH: usize = 100;

/// Returns the lines that are too wide. Code, headings, rows of tables, definitions of links and
/// lines of one long word cannot be wrapped.
pub(super) fn find(file: &str, lines: &[Line<'_>]) -> Vec<String> {
    let is_too_wide = |line: &&Line<'_>| line.width > MAX_WIDTH && can_wrap(line);
    let finding = |line: &Line<'_>| {
        let (number, width) = (line.number, line.width);
        format!("{file}:{number}: the line has {width} columns; wrap it at {MAX_WIDTH}")
    };
    lines.iter().filter(is_too_wide).map(finding).collect()
}

fn can_wrap(line: &Line<'_>) -> bool {
    let is_link = line.text.starts_with('[') && line.text.contains("]: ");
    line.code.is_none() && !is_link && !line.text.starts_with(['|', '#']) && line.text.contains(' ')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::lines::lines;
    use super::*;

    #[rstest]
    #[case::a_doc_comment("f.rs", "/// WIDE", 1)]
    #[case::a_comment("f.rs", "    // WIDE", 1)]
    #[case::code("f.rs", "let text = \"WIDE\";", 0)]
    #[case::a_table_in_a_comment("f.rs", "//! | WIDE |", 0)]
    #[case::code_in_a_comment("f.rs", "/// ```\n/// WIDE\n/// ```", 0)]
    #[case::text_after_code("f.rs", "/// ```\n/// ```\n/// WIDE", 1)]
    #[case::a_paragraph("f.md", "One\nWIDE", 1)]
    #[case::an_item("f.md", "- WIDE", 1)]
    #[case::a_heading("f.md", "# WIDE", 0)]
    #[case::a_table("f.md", "| WIDE", 0)]
    #[case::a_link("f.md", "[a]: WIDE", 0)]
    #[case::a_block("f.md", "```text\nWIDE", 0)]
    fn finds_what_can_be_wrapped(#[case] file: &str, #[case] text: &str, #[case] expected: usize) {
        let text = text.replace("WIDE", &"word ".repeat(21));
        assert_eq!(find(file, &lines(file, &text)).len(), expected);
        // One long word cannot be wrapped.
        let word = text.replace("word ", "word").replace(['/', '-', ' '], "");
        assert_eq!(find("f.md", &lines("f.md", &word)).len(), 0);
    }
}
