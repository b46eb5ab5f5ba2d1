//! Conditional rows of 64 tasks: gathered into calls, and one row a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use accumulo_proxy::{
    Condition, ConditionalMutation, ConditionalOutcome, ConditionalWriterOptions, Mutation,
    ProxyClient, TimeType,
};
use futures::future::join_all;

use crate::figures::Figures;

const TABLE: &str = "bench_conditional";
const TASKS: usize = 64;
const ROUND: Duration = Duration::from_secs(2);
const ROUNDS: usize = 7;

pub(crate) async fn run(client: &ProxyClient, connections: usize) {
    let tables = client.table_operations();
    let _ = tables.delete(TABLE).await;
    tables.create(TABLE, true, TimeType::Millis).await.unwrap();
    let (mut plain, mut gathered) = (Figures::default(), Figures::default());
    let next = Arc::new(AtomicUsize::new(0));
    for round in 0..=ROUNDS {
        let (one_by_one, together) =
            (plain_round(client, &next).await, gathered_round(client, &next).await);
        // The first round warms the servers up.
        if round > 0 {
            plain.add(one_by_one);
            gathered.add(together);
        }
    }
    tables.delete(TABLE).await.unwrap();
    println!(
        "conditional rows of {TASKS} tasks on {connections} connections: gathered {:.0} rows/s, one row a call {:.0} rows/s: {:.1} times",
        gathered.rate(1),
        plain.rate(1),
        plain.ratio_to(&gathered)
    );
}

/// Returns the time for one row, over all tasks.
async fn plain_round(client: &ProxyClient, next: &AtomicUsize) -> Duration {
    let low_level = client.low_level();
    let options = ConditionalWriterOptions::default();
    let writer = low_level.create_conditional_writer(TABLE, &options).await.unwrap();
    let one = async || {
        let mutation = mutation(next);
        let statuses = low_level.update_rows_conditionally(&writer, &[mutation]).await.unwrap();
        assert!(statuses.values().all(|status| matches!(status, ConditionalOutcome::Accepted)));
    };
    let took = round(one).await;
    low_level.close_conditional_writer(&writer).await.unwrap();
    took
}

async fn gathered_round(client: &ProxyClient, next: &AtomicUsize) -> Duration {
    let writer = client.conditional_writer(TABLE, ConditionalWriterOptions::default());
    round(async || {
        let outcome = writer.write(mutation(next)).await.unwrap();
        assert!(matches!(outcome, ConditionalOutcome::Accepted));
    })
    .await
}

async fn round(one: impl AsyncFn()) -> Duration {
    let begin = Instant::now();
    let rows = join_all((0..TASKS).map(async |_| {
        let mut rows = 0_usize;
        while begin.elapsed() < ROUND {
            one().await;
            rows += 1;
        }
        rows
    }))
    .await;
    begin.elapsed().div_f64(rows.iter().sum::<usize>() as f64)
}

fn mutation(next: &AtomicUsize) -> ConditionalMutation {
    let number = next.fetch_add(1, Ordering::Relaxed);
    let row = format!("{:08x}", number.wrapping_mul(0x9e37_79b9));
    let put =
        Mutation::new(format!("{row}{number}")).put("page", "uri", "https://example.com/a/page");
    put.when([Condition::absent("page", "uri")])
}
