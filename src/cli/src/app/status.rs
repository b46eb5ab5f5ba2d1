//! `fluo app status`.

use anyhow::Result;
use clap::Args;
use fluo_engine::InstanceExt;

use crate::application::NamedApplication;
use crate::output;

/// Print the status of an application: NOT_FOUND, STOPPED or RUNNING.
///
/// Only one process can open an embedded directory. While a worker or another program has it open,
/// this command fails with exit code 2, so no application of that directory is ever shown as
/// RUNNING.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app status --at embedded:./data web")]
pub(crate) struct Status {
    #[command(flatten)]
    application: NamedApplication,
}

impl Status {
    pub(crate) async fn run(&self) -> Result<()> {
        let NamedApplication { target, name } = &self.application;
        let fluo = target.open().await?;
        let status = fluo.application(name).status().await?;
        output::print(&status.to_string())
    }
}
