//! Adding salts to a table in use: readers check every possible place of a row, and a migration
//! moves the old rows.

use anyhow::Result;
use fluo::keys::{MigrationOptions, Modulo, RowBatch, RowSelection};
use fluo::{Column, Fluo, KeyDesign, KeyMigration, Mutation, Versions};
use futures::TryStreamExt;

const NAME: Column = Column::from_static("user", "name");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let table = fluo.create_table("users").await?;

    let buckets = |buckets| KeyDesign::new(Modulo { buckets, ..Modulo::default() });
    let old = buckets(4)?;
    for user in 0..1_000 {
        let key = old.encode_row(format!("user{user:04}").as_bytes())?;
        table.write([Mutation::new(key).put(NAME, "before")]).await?;
    }

    // From now on there are sixteen buckets. New writes use the new keys.
    let epochs = KeyMigration::new([old, buckets(16)?], Versions::default())?;
    let key = epochs.key(b"user0001")?;
    table.write([Mutation::new(key).put(NAME, "after")]).await?;
    println!("{}", epochs.count(&*table).await?);

    // A migration moves the other rows step by step. A cursor is text, and a step can be repeated.
    let (mut cursor, mut steps) = (None, 0);
    let options =
        MigrationOptions::new().step_cells(std::num::NonZeroUsize::MIN.saturating_add(255));
    loop {
        let step = epochs.migrate_step(&*table, cursor.as_ref(), &options).await?;
        steps += 1;
        // During the migration, too, a scan returns each user once, in order.
        let rows: Vec<_> =
            epochs.scan(&RowSelection::All)?.run(table.clone().into()).try_collect().await?;
        assert_eq!(rows.iter().map(RowBatch::len).sum::<usize>(), 1_000);
        cursor = step.cursor;
        if cursor.is_none() {
            break;
        }
    }
    println!("{} after {steps} steps", epochs.count(&*table).await?);
    let seen = epochs.get(&*table, b"user0001", &NAME).await?;
    assert_eq!(seen.as_deref(), Some(&b"after"[..]));
    Ok(())
}
