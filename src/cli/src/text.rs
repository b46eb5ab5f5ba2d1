//! Counts, shortened texts and columns for messages.

use comfy_table::Table;
use fluo_table::Grouped;

const SHORTENED_CHARS: usize = 60;

pub(crate) fn count_of(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// Formats a count with its noun: `1 row`, `2 rows`, `2 entries`.
pub(crate) fn plural(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let number = Grouped(count);
    let has_vowel = |stem: &str| stem.ends_with(['a', 'e', 'o', 'u']);
    match noun.strip_suffix('y') {
        _ if count == 1 => format!("{number} {noun}"),
        Some(stem) if !has_vowel(stem) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}

/// Returns the first line of a text, shortened. Two dots stand for the rest.
pub(crate) fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut start: String = line.chars().take(SHORTENED_CHARS).collect();
    if start.len() < text.len() {
        start.push_str("..");
    }
    start
}

/// Creates a table of columns without lines around them. The header may be empty.
pub(crate) fn columns<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    if N > 0 {
        table.set_header(header);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pluralizes_all_counts_but_one() {
        assert_eq!([1, 2].map(|count| plural(count, "row")), ["1 row", "2 rows"]);
        assert_eq!(plural(2_000, "key"), "2,000 keys");
        assert_eq!([0, 1].map(|count| plural(count, "entry")), ["0 entries", "1 entry"]);
    }

    #[test]
    fn shortens_long_texts_and_later_lines() {
        let sixty = "é".repeat(60);
        assert_eq!(shortened(&sixty), sixty);
        assert_eq!(shortened(&format!("{sixty}x")), format!("{sixty}.."));
        assert_eq!(shortened("a\nb"), "a..");
    }
}
