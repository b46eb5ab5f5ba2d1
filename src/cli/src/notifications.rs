//! `fluo notifications`: notifications that wait for their observers, and dead letters.

use std::ffi::OsString;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Result;
use clap::{Args, Subcommand};
use fluo_engine::notifications;
use fluo_table::coordination::Application;
use fluo_table::layout::{NotificationTimestamp, observed_column};
use fluo_table::{Cell, Grouped, RowColumn};
use futures::stream::TryStreamExt;
use serde_json::{Value, json};

use crate::application::{ApplicationArguments, waiting_notifications};
use crate::dead_letters::Change;
use crate::encoding::Written;
use crate::exit::Outcome;
use crate::layout::Heading;
use crate::listing::Listing;
use crate::text::{count_of, counted};
use crate::{dead_letters, output};

#[derive(Debug, Subcommand)]
pub(crate) enum NotificationsCommand {
    // The help of these commands is the doc comment of their arguments.
    List(List),
    Failed(Failed),
    /// Requeue dead letters, so their observers run again.
    ///
    /// `fluo notifications failed` lists them. The next worker that starts runs their observers.
    #[command(after_help = "\
Example:
  fluo notifications retry --at embedded:./data web org.wikipedia page:links
  fluo notifications retry --at embedded:./data --all web")]
    Retry(Chosen),
    /// Discard dead letters: their observers do not run for these changes.
    ///
    /// The cells stay unchanged, and their next change creates a notification again.
    /// `fluo notifications failed` lists dead letters, and `fluo notifications retry` requeues
    /// them. With --all it asks you to type the name of the application; without a terminal it
    /// needs --yes.
    #[command(after_help = "\
Example:
  fluo notifications discard --at embedded:./data web org.wikipedia page:links
  fluo notifications discard --at embedded:./data --all web")]
    Discard {
        #[command(flatten)]
        chosen: Chosen,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

/// List the notifications that wait for their observers.
///
/// At a terminal it prints a table. Otherwise each line has the row and the column that changed, a
/// tab, the kind of the observer, a tab, and the timestamp of the change. The kind is `-` if no
/// observer of the application observes the column.
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
}

/// List the dead letters: notifications whose observers failed too often.
///
/// At a terminal it prints a table. Otherwise each line has the row and the column that changed
/// and, after a tab each: the kind of the observer, the timestamp of the change, the number of
/// tries, the time of the last failure (UTC), and its error. `fluo notifications retry` requeues
/// them, and `fluo notifications discard` deletes them.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo notifications failed --at embedded:./data web")]
pub(crate) struct Failed {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    written: Written,
}

#[derive(Args, Debug)]
pub(crate) struct Chosen {
    #[command(flatten)]
    application: ApplicationArguments,
    /// Row that changed
    #[arg(required_unless_present = "all", requires = "column", conflicts_with = "all")]
    row: Option<OsString>,
    /// Column that changed, FAMILY:QUALIFIER; write a `:` within the family as \x3a
    column: Option<OsString>,
    /// Visibility of the column
    #[arg(long, value_name = "EXPRESSION", default_value = "", conflicts_with = "all")]
    visibility: String,
    #[command(flatten)]
    written: Written,
    /// All dead letters
    #[arg(long)]
    all: bool,
}

pub(crate) async fn run(command: NotificationsCommand) -> Result<Outcome> {
    match command {
        NotificationsCommand::List(command) => command.run().await?,
        NotificationsCommand::Failed(command) => command.run().await?,
        NotificationsCommand::Retry(chosen) => chosen.change(Change::Requeue).await?,
        NotificationsCommand::Discard { chosen, yes } => {
            chosen.change(Change::Discard { yes }).await?;
        }
    }
    Ok(Outcome::Success)
}

impl List {
    async fn run(&self) -> Result<()> {
        let open = self.application.open().await?;
        let mut notifications = open.table.scan(notifications());
        let (mut count, mut unreadable) = (0, 0_u64);
        let most = self.limit.unwrap_or(u64::MAX);
        let mut list = Listing::new([
            Heading::Left("cell"),
            Heading::Left("kind"),
            Heading::Right("timestamp"),
        ]);
        while let Some(batch) = notifications.try_next().await? {
            let mut items = Vec::new();
            for cell in &batch {
                let Some(item) = self.item(cell, &open.application) else {
                    unreadable += 1;
                    continue;
                };
                if count < most {
                    items.push(item);
                }
                count += 1;
            }
            list.add(items)?;
        }
        list.end()?;
        let wait = waiting_notifications(count);
        if count > most {
            say!("{wait}, {} printed", Grouped(most));
        } else {
            say!("{wait}");
        }
        if unreadable > 0 {
            say!(
                "note: {} of the family `ntfy` cannot be decoded; `fluo scan --notifications` shows what is stored",
                counted(unreadable, "cell")
            );
        }
        Ok(())
    }

    /// Returns the item of a notification; `None` if it cannot be decoded.
    fn item(&self, cell: &Cell, application: &Application) -> Option<Value> {
        let (row, column) = (&cell.key.row, observed_column(&cell.key.column).ok()?);
        let stamp = NotificationTimestamp::decode(cell.key.timestamp)?;
        let observer = application.observers.iter().find(|observed| observed.column == column);
        let kind = observer.map(|observed| observed.kind.to_string());
        let fields = json!({ "kind": kind, "timestamp": stamp.timestamp.get() });
        Some(dead_letters::notification(self.written, (row, &column), fields))
    }
}

impl Failed {
    async fn run(&self) -> Result<()> {
        let records = self.application.open().await?.coordination.dead_letters().await?;
        let mut list = Listing::new([
            Heading::Left("cell"),
            Heading::Left("kind"),
            Heading::Right("timestamp"),
            Heading::Right("tries"),
            Heading::Left("failed at"),
            Heading::Left("error"),
        ]);
        list.add(records.iter().map(|record| {
            let cell = (&*record.cell.row, &record.cell.column);
            let fields = json!({
                "kind": record.kind.to_string(),
                "timestamp": record.timestamp.get(),
                "tries": record.tries,
                "failed_at": time(record.failed_at_ms),
                "error": record.error,
            });
            dead_letters::notification(self.written, cell, fields)
        }))?;
        list.end()?;
        output::say(&counted(records.len(), "dead letter"));
        Ok(())
    }
}

impl Chosen {
    async fn change(&self, change: Change) -> Result<()> {
        let cell = match (&self.row, &self.column) {
            (Some(row), Some(column)) => {
                let column = self.written.column(column)?.with_visibility(self.visibility.clone());
                Some(RowColumn::new(self.written.row(row)?, column))
            }
            _ => None,
        };
        let open = self.application.open().await?;
        if self.all {
            change.confirm_all("application", &self.application.named.name).await?;
        }
        let client = open.client();
        let count = match (change, &cell) {
            (Change::Requeue, None) => count_of(client.await?.retry_all_notifications().await?),
            (Change::Requeue, Some(cell)) => client.await?.retry_notification(cell).await?.into(),
            (Change::Discard { .. }, _) => {
                let mut count = 0;
                for record in open.coordination.dead_letters().await? {
                    if cell.as_ref().is_none_or(|cell| *cell == record.cell) {
                        // One that failed again since the list was read stays: it is for a later
                        // change.
                        let removed =
                            open.coordination.remove_dead_letter(&record.cell, record.timestamp);
                        count += u64::from(removed.await?);
                    }
                }
                count
            }
        };
        let selected = cell.map(|cell| format!("`{}`", self.written.cell(&cell.row, &cell.column)));
        change.tell(count, selected.as_deref())
    }
}

const LAST_SECOND: u64 = 253_402_300_799;

/// Formats a time as `2026-01-31T23:59:59Z`, or in milliseconds if it is out of range, as from a
/// wrong clock.
fn time(ms: i64) -> String {
    let since = u64::try_from(ms).ok().map(Duration::from_millis);
    match since.filter(|since| since.as_secs() <= LAST_SECOND) {
        Some(since) => humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string(),
        None => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_any_time() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_767_225_599_900, "2025-12-31T23:59:59Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59Z"),
            (253_402_300_800_000, "253402300800000 ms"),
            (-1, "-1 ms"),
            (i64::MAX, "9223372036854775807 ms"),
        ] {
            assert_eq!(time(ms), text);
        }
    }
}
