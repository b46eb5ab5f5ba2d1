//! A bar chart for the terminal.

use fluo_table::Grouped;

const WIDTH: u64 = 50;
/// Eighths of a character, so small differences are visible.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Formats one line for each pair of a label and a count, with a bar in proportion to the count.
pub(crate) fn bars(counts: &[(String, u64)]) -> Vec<String> {
    let labels = counts.iter().map(|(label, _)| label.chars().count());
    let width = labels.max().unwrap_or_default();
    let largest = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
    let digits = Grouped(largest).to_string().len();
    let line = |(label, count): &(String, u64)| {
        let (number, bar) = (Grouped(*count).to_string(), bar(*count, largest));
        let line = format!("{label:width$}  {number:>digits$}  {bar}");
        line.trim_end().to_owned()
    };
    counts.iter().map(line).collect()
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
        let counts = [("a", 1_000_000), ("bcd", 500_000), ("e", 1), ("f", 0)];
        let lines = bars(&counts.map(|(label, count)| (label.to_owned(), count)));
        assert_eq!(lines[0], format!("a    1,000,000  {}", "█".repeat(50)));
        assert_eq!(lines[1], format!("bcd    500,000  {}", "█".repeat(25)));
        assert_eq!(lines[2], "e            1  ▏");
        assert_eq!(lines[3], "f            0");
        assert!(bars(&[("x".to_owned(), u64::MAX)]).len() == 1);
        assert!(bars(&[]).is_empty());
    }
}
