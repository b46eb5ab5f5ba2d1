//! Standard output and standard error.

use std::io::{self, Write};

use serde::Serialize;

/// Prints a line of data.
pub(crate) fn print(line: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.write_all(b"\n")?;
    Ok(())
}

/// Prints data as JSON.
pub(crate) fn print_json(data: &impl Serialize) -> anyhow::Result<()> {
    print(&serde_json::to_string_pretty(data)?)
}

/// Says something to the person at the terminal. If standard error is gone there is nobody to tell.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A count as people read it: `29,599`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A length as a count.
pub(crate) fn count_of(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// `1 row`, `2 rows`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (29_599, "29,599"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(count), text);
        }
        assert_eq!(
            (plural(1, "row"), plural(2, "row")),
            ("1 row".to_owned(), "2 rows".to_owned())
        );
    }
}
