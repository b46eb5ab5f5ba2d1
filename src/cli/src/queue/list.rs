//! `fluo queue list`.

use anyhow::Result;
use clap::Args;
use futures::TryStreamExt;
use serde::Serialize;

use super::Stuck;
use crate::application::ApplicationArguments;
use crate::dead_letters::ListFormat;
use crate::output;
use crate::text::{count_of, plural};

/// List the queues of an application, with the entries that wait and the dead letters.
///
/// Each line has the id and, after a tab each: the kind, the number of buckets, the number of
/// entries that wait, their bytes, the start timestamp of the oldest one (or `-`), and the number
/// of dead letters. Reads all waiting entries. A warning on standard error names entries that no
/// worker processes.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo queue list --at embedded:./data web

`fluo queue show` lists the buckets of a queue, and `fluo queue failed` its dead letters.")]
pub(crate) struct List {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    format: ListFormat,
}

/// A queue, as it is printed.
#[derive(Serialize)]
struct Shown {
    id: String,
    kind: String,
    buckets: u32,
    entries: u64,
    bytes: u64,
    oldest: Option<u64>,
    dead_letters: u64,
    #[serde(flatten)]
    stuck: Stuck,
}

impl List {
    pub(crate) async fn run(&self) -> Result<()> {
        let open = self.application.open().await?;
        let queues = self.application.queues(&open)?;
        let client = open.client().await?;
        let snapshot = client.snapshot().await?;
        let failed = open.coordination.dead_letters().await?;
        for queue in &queues {
            let backlog = queue.backlog(&snapshot).await?;
            let dead_letters = queue
                .dead_letters(&snapshot)
                .try_fold(0, async |count, _| Ok(count + 1));
            let shown = Shown {
                id: queue.id().to_owned(),
                kind: queue.kind().to_string(),
                buckets: queue.buckets(),
                entries: backlog.iter().map(|bucket| bucket.entries).sum(),
                bytes: backlog.iter().map(|bucket| bucket.bytes).sum(),
                oldest: backlog.iter().map(|bucket| bucket.oldest.get()).min(),
                dead_letters: dead_letters.await?,
                stuck: Stuck::new(queue, &backlog, &failed),
            };
            let Shown {
                id,
                kind,
                buckets,
                entries,
                bytes,
                oldest,
                dead_letters,
                ..
            } = &shown;
            let oldest = oldest.map_or("-".to_owned(), |oldest| oldest.to_string());
            let fields: [&dyn ToString; 7] =
                [id, kind, buckets, entries, bytes, &oldest, dead_letters];
            self.format.print(&shown, fields)?;
            shown.stuck.print(queue);
        }
        output::say(&plural(count_of(queues.len()), "queue"));
        Ok(())
    }
}
