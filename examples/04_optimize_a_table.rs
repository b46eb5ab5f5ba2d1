//! Plan, apply and verify: the optimization of a table at the start of an application.

use anyhow::{Result, bail};
use fluo_core::{Authorizations, Column, Mutation, TableAdmin, Versions};
use fluo_embedded::{EmbeddedTables, Settings};
use fluo_recipes::{
    ApplyEvent, PlanOptions, RowHasher, TableOptimizations, VerifyOptions, apply, plan, verify,
};

const ROWS: &str = include_str!("data/package-homepages.txt");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let settings = Settings {
        create_if_missing: true,
        ..Settings::default()
    };
    let tables = EmbeddedTables::open(directory.path(), settings)?;
    tables.create_table("pages", Versions::default()).await?;

    // The split points and the group that the hasher needs.
    let hasher = RowHasher::new("p")?;
    let optimizations = TableOptimizations::of_row_hasher(&hasher, 20)?;

    // The first start applies the plan; for later starts the plan is empty.
    for start in ["first", "second"] {
        let plan = plan(&tables, "pages", &optimizations, PlanOptions::default()).await?;
        let applied = apply(&tables, &plan, |event| {
            if let ApplyEvent::Done(step) = event {
                println!("{step}");
            }
        });
        println!("{start} start: {} steps", applied.await?.done);
    }

    let pages = tables.open_table("pages", Authorizations::none()).await?;
    let uri = Column::new("page", "uri");
    let mutation =
        |row: &str| Mutation::new(hasher.add(row.as_bytes())).put(uri.clone(), row.to_owned());
    pages.write(ROWS.lines().map(mutation).collect()).await?;

    let verdict = verify(
        &tables,
        "pages",
        &optimizations,
        &VerifyOptions::default(),
        |_| (),
    )
    .await?;
    for rows in &verdict.rows {
        println!(
            "{}: {} to {} rows in a tablet, p = {:?}",
            rows.recipe, rows.least, rows.largest, rows.p_value
        );
    }
    if !verdict.ok {
        bail!(
            "the table differs from its spec: {}",
            verdict.sentences().join("; ")
        );
    }
    Ok(())
}
