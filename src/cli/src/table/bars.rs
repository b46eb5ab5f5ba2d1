//! A bar chart for the terminal.

use fluo_table::Grouped;

/// Width of the longest bar, in characters.
const WIDTH: u64 = 50;
/// Eighths of a character, so small differences are visible.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Formats one line for each pair of a label and a count, with a bar in proportion to the count.
pub(crate) fn bars<'a>(counts: impl Iterator<Item = (&'a str, u64)> + Clone) -> Vec<String> {
    let longest_label = counts
        .clone()
        .map(|(label, _)| label.chars().count())
        .max()
        .unwrap_or_default();
    let largest = counts
        .clone()
        .map(|(_, count)| count)
        .max()
        .unwrap_or_default();
    let digits = Grouped(largest).to_string().len();
    let line = |(label, count): (&str, u64)| {
        let pad = " ".repeat(longest_label - label.chars().count());
        format!(
            "{label}{pad}  {:>digits$}  {}",
            Grouped(count),
            bar(count, largest)
        )
    };
    counts
        .map(line)
        .map(|line| line.trim_end().to_owned())
        .collect()
}

fn bar(count: u64, largest: u64) -> String {
    let eighths = u128::from(count) * u128::from(WIDTH * 8) / u128::from(largest.max(1));
    let eighths = usize::try_from(eighths).unwrap_or_default();
    let part = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    // A count above zero is always visible, however small it is.
    let sliver = if count > 0 && eighths == 0 { "▏" } else { "" };
    format!("{}{part}{sliver}", "█".repeat(eighths / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_to_the_largest_and_shows_small_counts() {
        let counts = [("a", 1_000_000u64), ("bcd", 500_000), ("e", 1), ("f", 0)];
        let lines = bars(counts.iter().map(|(label, count)| (*label, *count)));
        assert_eq!(lines[0], format!("a    1,000,000  {}", "█".repeat(50)));
        assert_eq!(lines[1], format!("bcd    500,000  {}", "█".repeat(25)));
        assert_eq!(lines[2], "e            1  ▏");
        assert_eq!(lines[3], "f            0");
        assert!(bars([("x", u64::MAX)].into_iter()).len() == 1);
        assert!(bars(std::iter::empty()).is_empty());
    }
}
