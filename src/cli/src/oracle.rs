//! `fluo oracle`.

use std::net::{IpAddr, SocketAddr};

use anyhow::Result;
use clap::Args;
use fluo_accumulo::{Oracle as Server, OracleOptions};
use fluo_process::OraclePort;
use serde_json::json;

use crate::exit::Outcome;
use crate::target::ZooKeeperTarget;
use crate::{application, interruption, output, progress};

/// Run the timestamp oracle of an application on Accumulo, until Ctrl-C or SIGTERM.
///
/// Transactions need one. If several run, also in Java, one leads and the others stand by. A stop
/// gives the lead away at once. The oracle ends if the application is removed. It needs ZooKeeper
/// and no proxy. An application in an embedded directory needs no oracle.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo oracle --zookeepers localhost:2181/fluo web

Exit codes: 0 stopped by a signal, 2 bad use, failure, or the application was removed.
Warnings go to standard error with their time: lost leads, an absent ZooKeeper, damaged nodes.")]
pub(crate) struct Oracle {
    #[command(flatten)]
    target: ZooKeeperTarget,
    /// The application
    name: String,
    /// Name or IPv4 address under which all clients reach this machine [default: its host name]
    #[arg(long, env = "FLUO_HOST", hide_env_values = true)]
    host: Option<String>,
    /// Port [default: a free one]
    #[arg(long)]
    port: Option<u16>,
    /// Address to listen at [default: 0.0.0.0, all of IPv4]
    #[arg(long, value_name = "IP")]
    listen: Option<IpAddr>,
    /// Answer supervisors over HTTP at this address: /live, /ready (the oracle leads or stands by)
    /// and /metrics for Prometheus. Without it no such port is open
    #[arg(long, value_name = "IP:PORT")]
    http: Option<SocketAddr>,
}

impl Oracle {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let interrupted = interruption::any()?;
        tokio::pin!(interrupted);
        let options = self.options().await?;
        let port = match self.http {
            Some(address) => Some(OraclePort::open(address).await?),
            None => None,
        };
        if let Some(port) = &port {
            say!("/live, /ready and /metrics are at http://{}", port.address());
        }
        let started = Server::start(options);
        let connecting = "connecting to ZooKeeper".to_owned();
        let mut server = tokio::select! {
            started = progress::while_it_lasts(connecting, started) => {
                started.map_err(application::advised)?
            }
            by = &mut interrupted => return Ok(Outcome::Interrupted(by)),
        };
        port.iter().for_each(|port| port.serve(&server));
        let name = &self.name;
        say!("oracle for `{name}`: waiting to become leader");
        let mut leads = false;
        loop {
            let changed = tokio::select! {
                changed = server.wait_for_change() => changed.map_err(application::advised),
                _ = &mut interrupted => break,
            };
            match &changed {
                Ok(Some(address)) => {
                    let data = json!({ "event": "leads", "address": address.to_string() });
                    output::emit_either(&format!("leads at {address}"), &data)?;
                }
                // An oracle that ends at once shows its end without the loss of the lead.
                Err(_) if !leads => {}
                Ok(None) | Err(_) => {
                    let data = json!({ "event": "does_not_lead", "address": null });
                    output::emit_either("does not lead any more", &data)?;
                }
            }
            leads = changed?.is_some();
        }
        port.iter().for_each(OraclePort::stop);
        server.stop().await;
        say!("the oracle of application `{name}` has stopped");
        Ok(Outcome::Success)
    }

    async fn options(&self) -> Result<OracleOptions> {
        let zookeeper = self.target.options("needs no oracle").await?;
        let mut options = OracleOptions::new(zookeeper, &self.name)?;
        if let Some(host) = self.host.as_ref().filter(|host| !host.is_empty()) {
            options = options.host(host);
        }
        if let Some(address) = self.listen {
            options = options.listen(address);
        }
        Ok(options.port(self.port.unwrap_or_default()))
    }
}
