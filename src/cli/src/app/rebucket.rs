//! `fluo app rebucket`.

use anyhow::Result;
use clap::Args;
use fluo_recipes::stored_queue::StoredQueue;

use crate::progress;
use crate::queue::QueueArguments;
use crate::text::plural;

/// Change the number of buckets of a queue.
///
/// The queue must be empty, no notification may wait, and all programs of the application must have
/// stopped. None can open the application while the values of a combine queue are moved to their
/// new buckets. If the command is interrupted, programs continue with the old or the new number, as
/// `fluo queue list` shows it; run the command again. The split points of the table change too.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app rebucket --at embedded:./data web wc --buckets 1009
  fluo app plan --at embedded:./data web")]
pub(crate) struct Rebucket {
    #[command(flatten)]
    queue: QueueArguments,
    /// The new number of buckets
    #[arg(long, value_name = "N")]
    buckets: u32,
}

impl Rebucket {
    pub(crate) async fn run(&self) -> Result<()> {
        let QueueArguments { application, id } = &self.queue;
        let open = application.open().await?;
        let client = open.client().await?;
        let work = format!("moving the values of `{}`", id.escape_debug());
        let change = StoredQueue::rebucket(&client, &*open.coordination, id, self.buckets);
        let moved = progress::while_it_lasts(work, change).await?;
        say!(
            "queue `{}` has {}; {} moved",
            id.escape_debug(),
            plural(self.buckets, "bucket"),
            plural(moved, "value")
        );
        say!("`fluo app plan {}` shows the new split points", application.named.name);
        Ok(())
    }
}
