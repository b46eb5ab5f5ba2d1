//! Servers and configuration: `cargo run -p accumulo-proxy --example instance`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use accumulo_proxy::Result;

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    let instance = client.instance_operations();
    for server in instance.tablet_servers().await? {
        instance.ping_tablet_server(&server).await?;
        // The call fails while a scan of a deleted table is still on the server.
        let scans = match instance.active_scans(&server).await {
            Ok(scans) => scans.len().to_string(),
            Err(error) => format!("unknown ({error})"),
        };
        let compactions = instance.active_compactions(&server).await?.len();
        println!("{server}: {scans} scans, {compactions} compactions");
    }
    let configuration = instance.system_configuration().await?;
    println!("frames of the servers: {:?}", configuration.get("general.server.message.size.max"));

    let class = "org.apache.accumulo.core.iterators.user.GrepIterator";
    let as_type = "org.apache.accumulo.core.iterators.SortedKeyValueIterator";
    println!("grep loads: {}", instance.test_class_load(class, as_type).await?);
    Ok(())
}
