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
    use super::super::lines::lines;
    use super::*;

    fn found(file: &str, text: &str) -> usize {
        find(file, &lines(file, text)).len()
    }

    #[test]
    fn finds_wide_comments_and_leaves_code_and_tables() {
        let wide = "word ".repeat(21);
        let found = |text: &str| found("f.rs", text);
        assert_eq!(found(&format!("/// {wide}")), 1);
        assert_eq!(found(&format!("    // {wide}")), 1);
        assert_eq!(found(&format!("let text = \"{wide}\";")), 0);
        assert_eq!(found(&format!("//! | {wide} |")), 0);
        assert_eq!(found(&format!("/// ```\n/// {wide}\n/// ```")), 0);
        assert_eq!(found(&format!("/// ```\n/// ```\n/// {wide}")), 1);
        assert_eq!(found(&"/// word ".repeat(11)), 0);
    }

    #[test]
    fn finds_wide_paragraphs_and_leaves_headings_tables_and_links() {
        let wide = "word ".repeat(21);
        let found = |text: &str| found("f.md", text);
        assert_eq!(found(&format!("One\n{wide}")), 1);
        assert_eq!(found(&format!("- {wide}")), 1);
        for start in ["# ", "| ", "[a]: ", "```text\n"] {
            assert_eq!(found(&format!("{start}{wide}")), 0, "{start}");
        }
        assert_eq!(found(&"word".repeat(26)), 0);
    }
}
