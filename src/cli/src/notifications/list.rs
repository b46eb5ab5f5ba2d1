//! `fluo notifications list`.

use anyhow::Result;
use clap::Args;
use fluo_table::coordination::Application;
use fluo_table::layout::{NotificationTimestamp, observed_column};
use fluo_table::{Cell, Grouped};
use futures::stream::TryStreamExt;

use super::place;
use crate::application::{ApplicationArguments, waiting};
use crate::byte_encoding::Written;
use crate::dead_letters::ListFormat;
use crate::output;
use crate::text::plural;

/// List the notifications that wait for their observers.
///
/// Each line has the row and the column that changed, a tab, the kind of the observer, a tab, and
/// the timestamp of the change. The kind is `-` if no observer of the application observes the
/// column.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo notifications list --at embedded:./data web
  fluo notifications list --at embedded:./data --limit 10 --json web")]
pub(crate) struct List {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    written: Written,
    /// Maximum number of notifications to print; 0 prints none, and all are counted
    #[arg(long, value_name = "COUNT")]
    limit: Option<u64>,
    #[command(flatten)]
    format: ListFormat,
}

impl List {
    pub(crate) async fn run(&self) -> Result<()> {
        let open = self.application.open().await?;
        let mut notifications = waiting(&*open.table);
        let (mut count, mut unreadable) = (0, 0);
        let most = self.limit.unwrap_or(u64::MAX);
        while let Some(batch) = notifications.try_next().await? {
            let mut lines = String::new();
            for cell in &batch {
                let Some(line) = self.line(cell, &open.application) else {
                    unreadable += 1;
                    continue;
                };
                if count < most {
                    lines += &format!("{}\n", line?);
                }
                count += 1;
            }
            output::write(lines.as_bytes())?;
        }
        output::say(&told(count, count.min(most)));
        if unreadable > 0 {
            say!(
                "note: {} of the family `ntfy` cannot be decoded; `fluo scan --notifications` shows what is stored",
                plural(unreadable, "cell")
            );
        }
        Ok(())
    }

    /// Returns the line of a notification; `None` if it cannot be decoded.
    fn line(&self, cell: &Cell, application: &Application) -> Option<Result<String>> {
        let (row, column) = (&cell.key.row, observed_column(&cell.key.column).ok()?);
        let stamp = NotificationTimestamp::decode(cell.key.timestamp)?;
        let mut observers = application.observers.iter();
        let observer = observers.find(|observed| observed.column == column);
        let mut item = place::fields(row, &column, self.written);
        output::add(&mut item, "kind", observer.map(|observed| observed.kind.to_string()));
        output::add(&mut item, "timestamp", stamp.timestamp.get());
        let place = place::line(row, &column, self.written);
        Some(self.format.line(&item, Some(place), &["kind", "timestamp"]))
    }
}

fn told(count: u64, printed: u64) -> String {
    let wait = if count == 1 { "waits" } else { "wait" };
    let all = format!("{} {wait}", plural(count, "notification"));
    match printed {
        printed if printed == count => all,
        printed => format!("{all}, {} printed", Grouped(printed)),
    }
}
