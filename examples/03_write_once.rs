//! Conditional mutations: many tasks write one row, one of them wins.

use anyhow::Result;
use fluo::Column;
use fluo_table::{Authorizations, Condition, Mutation, Outcome, TableAdmin, TableExt, Versions};
use futures::future::try_join_all;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = fluo_embedded::open(directory.path())?;
    fluo.create_table("owners", Versions::default()).await?;
    let owners = fluo.open_table("owners", Authorizations::none()).await?;

    let owner = Column::new("page", "owner");
    let claim = async |who: usize| {
        let first = Mutation::new("org.wikipedia/accumulo")
            .put(owner.clone(), format!("task {who}"))
            .when(Condition::absent(owner.clone()));
        owners.write_conditional(vec![first]).await
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
    let stored = owners
        .get("org.wikipedia/accumulo", &owner)
        .await?
        .unwrap_or_default();
    println!("the owner is {}", String::from_utf8_lossy(&stored));
    assert_eq!(winners.len(), 1);
    Ok(())
}
