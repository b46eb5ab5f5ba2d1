//! `fluo table show`, and its bar chart.

use anyhow::Result;
use clap::Args;
use fluo_table::{ErrorKind, Escaped, Tablet, Tablets};
use serde_json::json;

use crate::target::{TargetArguments, check_exists};
use crate::text::{count_of, counted};
use crate::{layout, output};

const MAX_LISTED: usize = 64;
const TABLE: &str = "table.";

/// Show the tablets of a table, with their server and size, and its properties.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo table show --at embedded:./data pages")]
pub(crate) struct Show {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table
    name: String,
}

impl Show {
    pub(crate) async fn run(&self) -> Result<()> {
        let tables = self.target.open().await?;
        check_exists(&*tables, &self.name).await?;
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
        if output::is_json() {
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
    let (all, entries) = (tablets.as_slice(), counted(tablets.entries(), "entry"));
    let count = counted(all.len(), "tablet");
    show!("table {table}: {count}, {entries}")?;
    show!("\ntablets, by end row, with the server and the stored entries:")?;
    let bar = |tablet: &Tablet| {
        let end_row = tablet.end_row.as_ref().map(|row| Escaped(row).to_string());
        let end_row = end_row.as_deref().unwrap_or("(end of table)");
        let server = tablet.server.as_deref().unwrap_or("(on no server)");
        ([format!("  {end_row}"), server.to_owned()], tablet.entries)
    };
    let listed: Vec<_> = all.iter().take(MAX_LISTED).map(bar).collect();
    output::print(&layout::bars(&listed, None, layout::output_width()).join("\n"))?;
    match count_of(all.len().saturating_sub(MAX_LISTED)) {
        0 => Ok(()),
        more => show!("  and {}; --json has all of them", counted(more, "more tablet")),
    }
}
