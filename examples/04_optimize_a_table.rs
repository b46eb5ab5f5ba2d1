//! Plan, apply and verify: the optimization of a table at the start of an application.

use anyhow::Result;
use fluo::Column;
use fluo_keys::{ApplyEvent, RowHasher, TableOptimizations};
use fluo_table::{Authorizations, Mutation, TableAdmin, Versions};

const ROWS: &str = include_str!("data/package-homepages.txt");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = fluo_embedded::open(directory.path())?;
    fluo.create_table("pages", Versions::default()).await?;

    // The split points and the group that the hasher needs.
    let hasher = RowHasher::new("p")?;
    let optimizations = TableOptimizations::for_row_hasher(&hasher, 20)?;

    // The first start applies the plan; for later starts the plan is empty.
    for start in ["first", "second"] {
        let plan = optimizations.plan(&fluo, "pages").await?;
        let applied = plan.apply(&fluo).on_event(|event| {
            if let ApplyEvent::Done(step) = event {
                println!("{step}");
            }
        });
        println!("{start} start: {} steps", applied.await?.done);
    }

    let pages = fluo.open_table("pages", Authorizations::none()).await?;
    let uri = Column::new("page", "uri");
    let mutation =
        |row: &str| Mutation::new(hasher.add(row.as_bytes())).put(uri.clone(), row.to_owned());
    pages.write(ROWS.lines().map(mutation).collect()).await?;

    let verdict = optimizations.verify(&fluo, "pages").await?;
    for rows in &verdict.rows {
        println!(
            "{}: {} to {} rows in a tablet, p = {:?}",
            rows.recipe, rows.least, rows.largest, rows.p_value
        );
    }
    verdict.into_result()?;
    Ok(())
}
