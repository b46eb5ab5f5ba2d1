//! `fluo version`.

use anyhow::Result;
use clap::Args;
use fluo_embedded::EmbeddedTables;
use fluo_keys::Plan;
use serde_json::json;

use crate::exit::Outcome;
use crate::output;

/// The tables and the parts of libraries that the command is built with.
const FEATURES: [&str; 4] = ["accumulo", "embedded", "tls", "web-table"];

/// Print the version, the parts that are compiled in, and the versions of the formats
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo version
  fluo version --json")]
pub(crate) struct Version {}

impl Version {
    pub(crate) fn run(&self) -> Result<Outcome> {
        let version = env!("CARGO_PKG_VERSION");
        if output::is_json() {
            let formats = json!({
                "json": output::JSON_FORMAT,
                "directory": EmbeddedTables::FORMAT,
                "plan": Plan::FORMAT,
            });
            output::print_json(&json!({
                "version": version,
                "features": FEATURES,
                "formats": formats,
            }))?;
        } else {
            show!("fluo {version}")?;
            show!("features  {}", FEATURES.join(", "))?;
            show!(
                "formats   directory {}, plan {}, json {}",
                EmbeddedTables::FORMAT,
                Plan::FORMAT,
                output::JSON_FORMAT
            )?;
        }
        Ok(Outcome::Success)
    }
}
