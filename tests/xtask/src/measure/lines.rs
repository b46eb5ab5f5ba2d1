//! Lines by their content.

/// Counts of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) all: usize,
    pub(super) code: usize,
    /// Lines of doc comments.
    pub(super) docs: usize,
    /// The headings `# Errors`, `# Panics` and `# Examples`.
    pub(super) headings: [usize; 3],
}

impl Lines {
    pub(super) fn new(text: &str) -> Lines {
        let mut lines = Lines::default();
        for line in text.lines().map(str::trim_start) {
            lines.all += 1;
            if let Some(doc) = line.strip_prefix("///").or(line.strip_prefix("//!")) {
                lines.docs += 1;
                let headings = ["# Errors", "# Panics", "# Examples"];
                for (count, heading) in lines.headings.iter_mut().zip(headings) {
                    *count += usize::from(doc.trim() == heading);
                }
            } else if !line.is_empty() && !line.starts_with("//") {
                lines.code += 1;
            }
        }
        lines
    }

    pub(super) fn add(&mut self, other: Lines) {
        self.all += other.all;
        self.code += other.code;
        self.docs += other.docs;
        for (count, more) in self.headings.iter_mut().zip(other.headings) {
            *count += more;
        }
    }
}

/// Returns the part of a file above its module of tests.
pub(super) fn product(text: &str) -> &str {
    let mut end = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let is_test = line.trim_end() == "#[cfg(test)]";
        let is_body = |next: &&str| next.contains("mod ") && next.trim_end().ends_with('{');
        if is_test && lines.peek().is_some_and(is_body) {
            break;
        }
        end += line.len();
    }
    text.get(..end).unwrap_or(text).trim_end()
}

/// Returns the number of tests that a file declares.
pub(super) fn tests(text: &str) -> usize {
    let markers = ["#[test]", "#[tokio::test", "#[rstest]"];
    let lines = text.lines().map(str::trim_start);
    lines
        .filter(|line| markers.iter().any(|marker| line.starts_with(marker)))
        .count()
}

#[cfg(test)]
mod tests_of_lines {
    use super::*;

    const TEXT: &str = "\
//! A file.

/// Returns one.
///
/// # Errors
///
/// Never.
// Why.
fn one() {}

#[cfg(test)]
mod more;

fn two() {} // At the end.

#[cfg(test)]
mod tests {
    #[test]
    fn passes() {}
    #[tokio::test(flavor = \"current_thread\")]
    async fn passes_too() {}
}
";

    #[test]
    fn counts_lines_by_their_content() {
        let lines = Lines::new(product(TEXT));
        let expected = Lines {
            all: 14,
            code: 4,
            docs: 6,
            headings: [1, 0, 0],
        };
        assert_eq!(lines, expected);
        assert_eq!(tests(TEXT), 2);
    }
}
