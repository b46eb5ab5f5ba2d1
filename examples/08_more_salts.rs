//! A table that gets more salts while it is used: readers look where a row can be, and a migration moves the rest.

use anyhow::Result;
use fluo_core::{Authorizations, Column, Mutation, TableAdmin, Versions};
use fluo_embedded::{EmbeddedTables, Settings};
use fluo_recipes::{Epochs, KeyDesign, MigrateSettings, Modulo, RowBatch, Rows};
use futures::TryStreamExt;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let settings = Settings {
        create_if_missing: true,
        ..Settings::default()
    };
    let tables = EmbeddedTables::open(directory.path(), settings)?;
    tables.create_table("users", Versions::default()).await?;
    let table = tables.open_table("users", Authorizations::none()).await?;
    let name = Column::new("user", "name");

    let buckets = |buckets| {
        KeyDesign::new(Modulo {
            buckets,
            ..Modulo::default()
        })
    };
    let old = buckets(4)?;
    for user in 0..1_000 {
        let key = old.add(format!("user{user:04}").as_bytes())?;
        table
            .write(vec![Mutation::new(key).put(name.clone(), "before")])
            .await?;
    }

    // From now on sixteen. What is written goes to its new place.
    let epochs = Epochs::new([old, buckets(16)?], Versions::default())?;
    let key = epochs.key(b"user0001")?;
    table
        .write(vec![Mutation::new(key).put(name.clone(), "after")])
        .await?;
    println!("{}", epochs.count(&*table).await?);

    // The rest moves step by step; a cursor is text, and a step can be run again.
    let (mut cursor, mut steps) = (None, 0);
    let settings = MigrateSettings {
        step_cells: std::num::NonZeroUsize::MIN.saturating_add(255),
        ..MigrateSettings::default()
    };
    loop {
        let step = epochs
            .migrate_step(&*table, cursor.as_ref(), &settings)
            .await?;
        steps += 1;
        // In the middle as before and after: each user once, in order.
        let rows: Vec<_> = epochs
            .scan(&Rows::All)?
            .run(table.clone())
            .try_collect()
            .await?;
        assert_eq!(rows.iter().map(RowBatch::len).sum::<usize>(), 1_000);
        cursor = step.cursor;
        if cursor.is_none() {
            break;
        }
    }
    println!("{} after {steps} steps", epochs.count(&*table).await?);
    let seen = epochs.get(&*table, b"user0001", &name).await?;
    assert_eq!(seen.as_deref(), Some(&b"after"[..]));
    Ok(())
}
