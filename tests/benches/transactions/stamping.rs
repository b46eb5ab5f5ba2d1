//! Timestamps in process.

use std::num::NonZeroU32;
use std::path::Path;
use std::time::Instant;

use fluo_table::Error;

use crate::ground::{Ground, Outcome};
use crate::rate;

const STAMPS: u64 = 2_000_000;

pub(crate) async fn measure(directory: &Path) -> Outcome {
    let ground = Ground::new(&directory.join("stamps")).await?;
    for tasks in [1, 4_u64] {
        let begun = Instant::now();
        let taking = (0..tasks).map(|_| {
            let coordination = ground.coordination.clone();
            tokio::spawn(async move {
                for _ in 0..STAMPS / tasks {
                    coordination.timestamps(NonZeroU32::MIN).await?;
                }
                Ok::<_, Error>(())
            })
        });
        for taken in futures::future::try_join_all(taking).await? {
            taken?;
        }
        rate(
            &format!("timestamps, one a call, {tasks} tasks (goal: 2,000,000)"),
            STAMPS,
            begun.elapsed(),
        )?;
    }
    Ok(())
}
