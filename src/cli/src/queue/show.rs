//! `fluo queue show`.

use anyhow::Result;
use clap::Args;

use super::{QueueArguments, Stuck};
use crate::output;
use crate::text::{count_of, plural};

/// List the buckets of a queue in which entries wait.
///
/// Each line has the bucket and, after a tab each: the number of entries, their bytes, and the
/// start timestamp of the oldest one.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo queue show --at embedded:./data web wc")]
pub(crate) struct Show {
    #[command(flatten)]
    queue: QueueArguments,
}

impl Show {
    pub(crate) async fn run(&self) -> Result<()> {
        let (open, client, queue) = self.queue.open().await?;
        let backlog = queue.backlog(&client.snapshot().await?).await?;
        for bucket in &backlog {
            let (entries, bytes, oldest) = (bucket.entries, bucket.bytes, bucket.oldest);
            output::emit(&format!("{}\t{entries}\t{bytes}\t{oldest}", bucket.bucket))?;
        }
        let failed = open.coordination.dead_letters().await?;
        Stuck::new(&queue, &backlog, &failed).print(&queue);
        output::say(&format!(
            "entries wait in {} of {}",
            count_of(backlog.iter().filter(|bucket| bucket.exists).count()),
            plural(queue.buckets().into(), "bucket")
        ));
        Ok(())
    }
}
