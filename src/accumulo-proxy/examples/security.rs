//! Users and permissions: `cargo run -p accumulo-proxy --example security`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use accumulo_proxy::{
    Credentials, ErrorKind, ProxyClient, ProxyOptions, Result, SystemPermission, TimeType,
};

const USER: &str = "example_user";
const PASSWORD: &str = "example-password";
const TABLE: &str = "example_security";

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    client.security_operations().create_user(USER, PASSWORD).await?;
    let done = work(&client).await;
    client.security_operations().drop_user(USER).await?;
    done
}

async fn work(client: &ProxyClient) -> Result<()> {
    let security = client.security_operations();
    security.change_authorizations(USER, ["public"]).await?;
    println!("may see: {:?}", security.authorizations(USER).await?);

    let credentials = Credentials::password(USER, PASSWORD);
    let address = &client.options().address;
    let user = ProxyClient::connect(ProxyOptions::new(address, credentials)).await?;
    match user.table_operations().create(TABLE, true, TimeType::Millis).await {
        Err(error) if error.kind() == ErrorKind::Security => println!("refused: {error}"),
        outcome => return outcome,
    }
    security.grant_system_permission(USER, SystemPermission::CreateTable).await?;
    user.table_operations().create(TABLE, true, TimeType::Millis).await?;
    println!("allowed");
    client.table_operations().delete(TABLE).await
}
