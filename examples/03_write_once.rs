//! Conditional mutations: many tasks write one row, one of them wins.

use anyhow::Result;
use fluo::table::{Condition, Outcome};
use fluo::{Column, Fluo, Mutation};
use futures::future::try_join_all;

const OWNER: Column = Column::from_static("page", "owner");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let owners = fluo.create_table("owners").await?;

    let claim = async |who: usize| {
        let first = Mutation::new("org.wikipedia/accumulo")
            .put(OWNER, format!("task {who}"))
            .when(Condition::absent(OWNER));
        owners.write_conditional([first]).await
    };
    let outcomes = try_join_all((0..16).map(claim)).await?;

    let mut winners = Vec::new();
    for (who, outcome) in outcomes.iter().flatten().enumerate() {
        match outcome {
            Outcome::Accepted => winners.push(who),
            Outcome::Rejected => {}
            Outcome::ConstraintViolation(error) => {
                println!("a constraint refuses task {who}: {error}");
            }
            // Neither accepted nor rejected for certain: a program would read the row here.
            Outcome::Unknown(error) => println!("the outcome of task {who} is unknown: {error}"),
        }
    }
    let stored = owners.get("org.wikipedia/accumulo", &OWNER).await?.unwrap_or_default();
    println!("the owner is {}", String::from_utf8_lossy(&stored));
    assert_eq!(winners.len(), 1);
    Ok(())
}
