//! `fluo table show`, and its bar chart.

use anyhow::Result;
use clap::Args;
use fluo_table::{ErrorKind, Escaped, Grouped, Tablet, Tablets};
use serde_json::json;

use crate::output;
use crate::target::TargetArguments;
use crate::text::{count_of, plural};

const MAX_LISTED: usize = 64;
const TABLE: &str = "table.";
/// The characters of the longest bar.
const WIDTH: u64 = 50;
/// Eighths of a character, so small differences are visible.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Show the tablets of a table, with their server and size, and its properties.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo table show --at embedded:./data pages")]
pub(crate) struct Show {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table
    name: String,
    /// Print JSON; bytes that are not printable ASCII are written \xNN
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) async fn run(&self) -> Result<()> {
        let tables = self.target.open().await?;
        match tables.flush(&self.name).await {
            Err(error) if error.kind() == ErrorKind::Denied => output::say(
                "note: this user may not flush the table, so entries that are still in memory are not counted",
            ),
            flushed => flushed?,
        }
        let tablets = tables.tablets(&self.name).await?;
        let mut properties = tables.properties(&self.name).await?;
        // A live Accumulo also returns the settings of its servers.
        properties.retain(|name, _| name.starts_with(TABLE));
        if self.json {
            let shown = |tablet: &Tablet| {
                let end_row = tablet.end_row.as_ref().map(|row| Escaped(row).to_string());
                json!({ "end_row": end_row, "server": tablet.server, "entries": tablet.entries })
            };
            return output::print_json(&json!({
                "table": self.name,
                "entries": tablets.entries(),
                "tablets": tablets.as_slice().iter().map(shown).collect::<Vec<_>>(),
                "properties": properties,
            }));
        }
        draw(&self.name, &tablets)?;
        show!("\nproperties:")?;
        let shown = |(name, value)| output::shown(&format!("  {name} = {value}"));
        properties.iter().try_for_each(|property| output::print(&shown(property)))
    }
}

fn draw(table: &str, tablets: &Tablets) -> Result<()> {
    let (all, entries) = (tablets.as_slice(), plural(tablets.entries(), "entry"));
    let count = plural(all.len(), "tablet");
    show!("table {table}: {count}, {entries}")?;
    show!("\ntablets, by end row, with the server and the stored entries:")?;
    let bar = |tablet: &Tablet| {
        let end_row = tablet.end_row.as_ref().map(|row| Escaped(row).to_string());
        let end_row = end_row.as_deref().unwrap_or("(end of table)");
        let server = tablet.server.as_deref().unwrap_or("(on no server)");
        (format!("  {end_row}  {server}"), tablet.entries)
    };
    let listed: Vec<_> = all.iter().take(MAX_LISTED).map(bar).collect();
    output::print(&bars(&listed).join("\n"))?;
    match count_of(all.len().saturating_sub(MAX_LISTED)) {
        0 => Ok(()),
        more => show!("  and {}; --json has all of them", plural(more, "more tablet")),
    }
}

/// Formats one line for each pair of a label and a count, with a bar in proportion to the count.
pub(crate) fn bars(counts: &[(String, u64)]) -> Vec<String> {
    let width = counts.iter().map(|(label, _)| label.chars().count()).max().unwrap_or_default();
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
