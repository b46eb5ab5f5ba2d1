//! Operations on namespaces: `cargo run -p accumulo-proxy --example namespaces`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use accumulo_proxy::{ProxyClient, Result, TimeType};

const NAMESPACE: &str = "example_namespace";
const TABLE: &str = "example_namespace.pages";

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    client.namespace_operations().create(NAMESPACE).await?;
    let done = work(&client).await;
    client.namespace_operations().delete(NAMESPACE).await?;
    done
}

async fn work(client: &ProxyClient) -> Result<()> {
    let namespaces = client.namespace_operations();
    println!("namespaces: {:?}", namespaces.list().await?);
    namespaces.set_property(NAMESPACE, "table.custom.owner", "search").await?;

    client.table_operations().create(TABLE, true, TimeType::Millis).await?;
    let refused = namespaces.delete(NAMESPACE).await;
    println!("with a table in it: {refused:?}");
    let properties = client.table_operations().properties(TABLE).await?;
    println!("the table's owner: {:?}", properties.get("table.custom.owner"));
    client.table_operations().delete(TABLE).await
}
