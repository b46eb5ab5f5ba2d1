//! Durable writes from many tasks.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fluo_table::{Bytes, Condition, Error, Mutation};

use crate::ground::{Ground, Outcome, row, title, uri, value};
use crate::{rate, share};

const TASKS: u64 = 64;
const ACCOUNTS: u64 = 100_000;

/// Runs writes of all tasks until the time is up, each with a number of its own.
async fn from_all_tasks<F>(
    ground: &Arc<Ground>,
    time: Duration,
    write: impl Fn(Arc<Ground>, u64) -> F,
) -> Outcome<(u64, Duration)>
where
    F: Future<Output = Outcome> + Send + 'static,
{
    let (next, begun) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let mut tasks = Vec::new();
    // Each task has its own stream of futures; they share only the number.
    let write = &write;
    for _ in 0..TASKS {
        let (ground, next) = (ground.clone(), next.clone());
        tasks.push(async move {
            let mut written = 0;
            while begun.elapsed() < time {
                let number = next.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(write(ground.clone(), number)).await??;
                written += 1;
            }
            Outcome::Ok(written)
        });
    }
    let written: Vec<u64> = futures::future::try_join_all(tasks).await?;
    Ok((written.into_iter().sum(), begun.elapsed()))
}

pub(crate) async fn compare(directory: &Path, time: Duration) -> Outcome {
    let ground = Arc::new(Ground::new(&directory.join("raw")).await?);
    let (count, took) = from_all_tasks(&ground, time, raw).await?;
    let raw = rate("raw: conditional mutation, one row, two cells", count, took)?;

    let ground = Arc::new(Ground::new(&directory.join("transactions")).await?);
    let (count, took) = from_all_tasks(&ground, time, transaction).await?;
    let transactions = rate("transaction: one row, two cells", count, took)?;
    share("of the raw rate (goal: 0.40)", transactions, raw)?;

    let ground = Arc::new(Ground::new(&directory.join("transfers")).await?);
    fill(&ground).await?;
    let begun = Instant::now();
    let count = transfers(&ground, ACCOUNTS, time).await?;
    let took = begun.elapsed();
    let transfers = rate("transfer: two reads, two rows", count, took)?;
    share("of the raw rate (goal: 0.20)", transfers, raw)
}

async fn raw(ground: Arc<Ground>, number: u64) -> Outcome {
    let mutation = Mutation::new(row(number))
        .put(uri(), value(number))
        .put(title(), value(number))
        .when(Condition::absent(uri()));
    let outcomes = ground.table.write_conditional(vec![mutation]).await?;
    match outcomes.iter().all(fluo_table::Outcome::is_accepted) {
        true => Ok(()),
        false => Err("an absent row was rejected".into()),
    }
}

async fn transaction(ground: Arc<Ground>, number: u64) -> Outcome {
    let run = ground.client.run(async |tx| {
        tx.set(row(number), &uri(), value(number))?;
        tx.set(row(number), &title(), value(number))
    });
    Ok(run.await?)
}

async fn fill(ground: &Ground) -> Outcome {
    for begin in (0..ACCOUNTS).step_by(1_000) {
        let run = ground.client.run(async |tx| {
            for number in begin..begin + 1_000 {
                tx.set(row(number), &uri(), "1000")?;
            }
            Ok::<_, Error>(())
        });
        run.await?;
    }
    Ok(())
}

/// Runs transfers among this many accounts until the time is up, and returns their number.
pub(crate) async fn transfers(ground: &Arc<Ground>, accounts: u64, time: Duration) -> Outcome<u64> {
    let one = move |ground, number| transfer(ground, number, accounts);
    let (count, _) = from_all_tasks(ground, time, one).await?;
    Ok(count)
}

async fn transfer(ground: Arc<Ground>, number: u64, accounts: u64) -> Outcome {
    let from = row(number.wrapping_mul(7_919) % accounts);
    let to = row((number.wrapping_mul(104_729) + 1) % accounts);
    if from == to {
        return Ok(());
    }
    let amount = |found: Option<Bytes>| -> i64 {
        let text = found.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok());
        text.unwrap_or_default()
    };
    let run = ground.client.run(async |tx| {
        let payer = amount(tx.get(from.clone(), &uri()).await?);
        let payee = amount(tx.get(to.clone(), &uri()).await?);
        tx.set(from.clone(), &uri(), (payer - 1).to_string())?;
        tx.set(to.clone(), &uri(), (payee + 1).to_string())
    });
    Ok(run.await?)
}
