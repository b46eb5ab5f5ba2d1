//! Plan, apply and verify: the optimization of a table at the start of an application.

use anyhow::Result;
use fluo::keys::ApplyEvent;
use fluo::{Column, Fluo, Mutation, RowHasher};

const URI: Column = Column::from_static("page", "uri");
const ROWS: &str = include_str!("data/package-homepages.txt");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let pages = fluo.create_table("pages").await?;

    // The split points and the group that the hasher needs.
    let hasher = RowHasher::new("p")?;
    let optimizations = hasher.table_optimizations(20)?;

    // The first start applies the plan; for later starts the plan is empty.
    for start in ["first", "second"] {
        let plan = fluo.optimize("pages", &optimizations).plan().await?;
        let applied = plan.apply(fluo.instance()).on_event(|event| {
            if let ApplyEvent::Done(step) = event {
                println!("{step}");
            }
        });
        println!("{start} start: {} steps", applied.await?.done);
    }

    let mutation = |row: &str| Mutation::new(hasher.add(row)).put(&URI, row.to_owned());
    pages.write(ROWS.lines().map(mutation)).await?;

    let verdict = fluo.verify("pages", &optimizations).await?;
    for rows in &verdict.rows {
        let p_value = rows.chi_square.map(|test| test.p_value);
        println!(
            "{}: {} to {} rows in a tablet, p = {p_value:?}",
            rows.recipe, rows.least, rows.load.largest
        );
    }
    verdict.into_result()?;
    Ok(())
}
