//! The width of comments: at most 100 columns.

/// The maximum width of a line, as in rustfmt.
const MAX_WIDTH: usize = 100;

/// Returns the comments of a file that are too wide, each with its line. Code in a doc comment, a
/// row of a table, and a line that is one long word cannot be wrapped.
pub(super) fn find(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut is_code = false;
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = comment(line) else {
            is_code = false;
            continue;
        };
        if comment.starts_with("```") {
            is_code = !is_code;
        }
        let width = line.chars().count();
        let can_wrap = !is_code && !comment.starts_with('|') && comment.contains(' ');
        if width > MAX_WIDTH && can_wrap {
            findings.push(format!(
                "{file}:{}: the comment has {width} columns; wrap it at {MAX_WIDTH}",
                number + 1
            ));
        }
    }
    findings
}

/// Returns the text of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']).trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_wide_prose_and_leaves_code_and_tables() {
        let wide = "word ".repeat(21);
        let found = |line: &str| find("f.rs", line).len();
        assert_eq!(found(&format!("/// {wide}")), 1);
        assert_eq!(found(&format!("    // {wide}")), 1);
        assert_eq!(found(&format!("let text = \"{wide}\";")), 0);
        assert_eq!(found(&format!("//! | {wide} |")), 0);
        assert_eq!(found(&format!("/// ```\n/// {wide}\n/// ```")), 0);
        assert_eq!(found(&format!("/// ```\n/// ```\n/// {wide}")), 1);
        assert_eq!(found(&"/// word ".repeat(11)), 0);
    }
}
