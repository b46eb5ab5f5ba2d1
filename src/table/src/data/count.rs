//! Counts in messages.

use std::fmt;

/// Displays a count with thousands separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouped(
    /// The count to show.
    pub u64,
);

impl Grouped {
    /// Creates the count of a number of any type.
    pub fn new(count: impl TryInto<u64>) -> Self {
        Self(count.try_into().unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
        f.pad(&groups.collect::<Vec<_>>().join(","))
    }
}

/// Formats a count with its noun: `1 byte`, `2 bytes`, `2,000 entries`.
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let number = Grouped::new(count);
    let has_vowel = |stem: &str| stem.ends_with(['a', 'e', 'o', 'u']);
    match noun.strip_suffix('y') {
        _ if number.0 == 1 => format!("{number} {noun}"),
        Some(stem) if !has_vowel(stem) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_digits_by_threes() {
        let texts =
            [0, 999, 1_000, 65_536, 1_679_616, u64::MAX].map(|count| Grouped(count).to_string());
        let expected = ["0", "999", "1,000", "65,536", "1,679,616", "18,446,744,073,709,551,615"];
        assert_eq!(texts, expected);
        assert_eq!(format!("{:>6}", Grouped(7)), "     7");
        assert_eq!(Grouped::new(1_000_usize).to_string(), "1,000");
    }

    #[test]
    fn pluralizes_all_counts_but_one() {
        let counts = [0, 1, 2].map(|count| counted(count, "byte"));
        assert_eq!(counts, ["0 bytes", "1 byte", "2 bytes"]);
        assert_eq!([1, 2].map(|count| counted(count, "entry")), ["1 entry", "2 entries"]);
        assert_eq!(counted(2_000, "key"), "2,000 keys");
    }
}
