//! The check that a proxy answers.

use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use accumulo_proxy::{ProxyClient, ProxyOptions, ScanOptions};
use anyhow::{Context, Result, ensure};

use crate::settings::Protocol;
use crate::state::Site;

const METADATA: &str = "accumulo.metadata";
/// The time for a connection or a call. On a busy machine the first calls take long.
const PATIENCE: Duration = Duration::from_secs(30);

/// Fails unless the proxy on this port accepts the login of the user and finds a table.
pub(crate) fn answers(port: u16, protocol: Protocol, site: &Site) -> Result<()> {
    asked(port, protocol, site, async |client| {
        let exists = client.table_operations().exists(METADATA).await?;
        ensure!(exists, "the table {METADATA} does not exist");
        Ok(())
    })
}

/// Fails unless the proxy on this port reports every tablet server, and a scan finds a cell.
pub(crate) fn serves(port: u16, protocol: Protocol, site: &Site) -> Result<()> {
    asked(port, protocol, site, async |client| {
        let (servers, all) =
            (client.instance_operations().tablet_servers().await?.len(), site.tablet_servers);
        ensure!(servers >= all, "{servers} of {all} tablet servers are known");
        let low_level = client.low_level();
        let options = ScanOptions::default();
        let scanner = low_level.create_scanner(METADATA, &options).await?;
        let batch = low_level.next_k(&scanner, 1).await?;
        ensure!(!batch.entries.is_empty(), "a scan of {METADATA} finds nothing");
        Ok(())
    })
}

/// Connects to a proxy, and asks it. The runtime has a thread of its own, because the thread of an
/// asynchronous test has one already.
fn asked(
    port: u16,
    protocol: Protocol,
    site: &Site,
    ask: impl AsyncFnOnce(ProxyClient) -> Result<()> + Send,
) -> Result<()> {
    let options = ProxyOptions::new(format!("localhost:{port}"), site.credentials())
        .protocol(match protocol {
            Protocol::Compact => accumulo_proxy::Protocol::Compact,
            Protocol::Binary => accumulo_proxy::Protocol::Binary,
        })
        .connect_timeout(PATIENCE)
        .call_timeout(PATIENCE)
        .tries(NonZeroUsize::MIN);
    let work = || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build();
        let runtime = runtime.context("there is no runtime")?;
        runtime.block_on(async { ask(ProxyClient::connect(options).await?).await })
    };
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(answered) => answered,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
