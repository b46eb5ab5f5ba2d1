//! The recipes on Accumulo, and transactions that conflict. Java is left out, because its peer has
//! no recipes.

use std::time::{Duration, Instant};

use fluo_cluster::Cluster;
use fluo_engine::{Client, InstanceExt};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{Export, ExportQueue};
use fluo_recipes::sink::TableSink;
use fluo_table::{Authorizations, Column, Mutation, Versions};

use crate::application::{Application, connect};
use crate::cpu::Cpu;
use crate::figures::Figures;
use crate::transacting::from_tasks;

/// Number of keys that a transaction adds to a queue.
const KEYS: usize = 10;
const TASKS: usize = 128;
/// Number of transactions that conflict.
const CONFLICTS: usize = 15;

/// Runs the work, and prints the rates.
pub(crate) async fn run(cluster: &Cluster, count: usize) {
    let (instance, zookeepers) = connect(cluster).await;
    let name = format!("queues_{}", std::process::id());
    let target = format!("{name}_sink");
    let tables = instance.table_admin().clone();
    tables.create_table(&target, Versions::default()).await.unwrap();
    let target_table = tables.open_table(&target, Authorizations::none());
    let words = CombineQueue::<String, u64>::new("words", Sum).unwrap();
    let links = ExportQueue::<String, u64>::new("links").unwrap();
    let sink =
        TableSink::new(&links, target_table.await.unwrap(), |export: &Export<String, u64>| {
            let mutation = Mutation::new(export.key.clone());
            Ok(vec![mutation.put(Column::new("f", "q"), export.value.to_string())])
        });
    let links = links.export_with(sink);
    let handle = instance.application(&name);
    let handle = handle.recipe(&words).recipe(&links);
    handle.initialize().await.unwrap();
    let application = Application::open(instance, &zookeepers, handle).await;
    let client = &application.client;

    for work in ["combine", "export"] {
        let worker = client.worker().tasks(TASKS).start().await.unwrap();
        let add = |number: usize| {
            let (client, words, links) = (client.clone(), words.clone(), links.clone());
            async move {
                let key = |of: usize| format!("key {:06}", (number * KEYS + of) * 7919 % 50_000);
                let keys: Vec<_> = (0..KEYS).map(|of| (key(of), 1)).collect();
                client
                    .run(async |tx| match work {
                        "combine" => words.extend(&tx, keys.clone()),
                        _ => links.extend(&tx, keys.clone()),
                    })
                    .await
            }
        };
        // A worker begins when the group of workers has been the same for a while.
        add(0).await.unwrap();
        client.wait_until_idle().await.unwrap();
        let (begun, cpu) = (Instant::now(), Cpu::until_now(cluster, &[]));
        from_tasks(TASKS, count / KEYS, add).await;
        client.wait_until_idle().await.unwrap();
        let took: Duration = begun.elapsed();
        let cpu = Cpu::until_now(cluster, &[]).since(cpu, count);
        let rate = count as f64 / took.as_secs_f64();
        println!("{work:<10} {TASKS:>4} tasks {rate:>9.0}/s ({cpu})");
        worker.stop().await;
    }
    conflict(client).await;
    application.end().await;
    tables.delete_table(&target).await.unwrap();
}

/// Measures a transaction of 100 cells in each of three rows, and the same one if another
/// transaction has changed one of these cells.
async fn conflict(client: &Client) {
    let (mut commits, mut conflicts) = (Figures::default(), Figures::default());
    let cell = |of: usize| Column::new("wide", format!("{of:02}"));
    for round in 0..CONFLICTS {
        for conflicts_at in [None, Some(50)] {
            let row = |of: usize| format!("wide:{round:02}:{conflicts_at:?}:{of}");
            let transaction = client.begin().await.unwrap();
            for of in 0..300 {
                transaction.set(row(of / 100), &cell(of % 100), "1").unwrap();
            }
            if let Some(at) = conflicts_at {
                let other = client.begin().await.unwrap();
                other.set(row(1), &cell(at), "2").unwrap();
                other.commit().await.unwrap();
            }
            let begun = Instant::now();
            let committed = transaction.commit().await;
            client.wait_until_rolled_forward().await;
            assert_eq!(committed.is_err(), conflicts_at.is_some());
            match committed {
                Ok(_) => commits.add(begun.elapsed()),
                Err(_) => conflicts.add(begun.elapsed()),
            }
        }
    }
    let millis = |figures: &Figures| figures.median() * 1000.0;
    println!(
        "a transaction of 100 cells in each of three rows: commit {:.1} ms; conflict at one cell {:.1} ms: {:.1} times",
        millis(&commits),
        millis(&conflicts),
        conflicts.ratio_to(&commits)
    );
}
