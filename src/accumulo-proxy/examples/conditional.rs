//! Conditional mutations: `cargo run -p accumulo-proxy --example conditional`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use accumulo_proxy::{
    Condition, ConditionalOutcome, ConditionalWriter, ConditionalWriterOptions, Mutation,
    ProxyClient, Result, TimeType,
};

const TABLE: &str = "example_conditional";

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    client.table_operations().create(TABLE, true, TimeType::Millis).await?;
    let done = work(&client).await;
    client.table_operations().delete(TABLE).await?;
    done
}

async fn work(client: &ProxyClient) -> Result<()> {
    let writer = client.conditional_writer(TABLE, ConditionalWriterOptions::default());
    let open = || Mutation::new("bob").put("account", "balance", "10");
    let absent = Condition::absent("account", "balance");
    say("bob opens an account", writer.write(open().when([absent.clone()])).await?);
    say("bob opens another", writer.write(open().when([absent])).await?);
    say("bob pays 4", pay(&writer, "10", "6").await?);
    say("bob pays 4 of the same 10 again", pay(&writer, "10", "6").await?);
    Ok(())
}

async fn pay(
    writer: &ConditionalWriter,
    before: &'static str,
    after: &'static str,
) -> Result<ConditionalOutcome> {
    let paid = Mutation::new("bob").put("account", "balance", after);
    writer.write(paid.when([Condition::equal("account", "balance", before)])).await
}

fn say(what: &str, outcome: ConditionalOutcome) {
    match outcome {
        ConditionalOutcome::Accepted => println!("{what}: done"),
        ConditionalOutcome::Unknown(_) => {
            println!("{what}: unknown; read before trying again");
        }
        refused => println!("{what}: {refused:?}"),
    }
}
