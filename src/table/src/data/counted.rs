//! Counts with their nouns, for messages.

/// Formats a count with its noun: `1 byte`, `2 bytes`.
pub fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn pluralizes_all_counts_but_one() {
        let counts = [0, 1, 2].map(|count| counted(count, "byte"));
        assert_eq!(counts, ["0 bytes", "1 byte", "2 bytes"]);
    }
}
