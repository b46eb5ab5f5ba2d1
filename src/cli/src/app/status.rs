//! `fluo app status`.

use anyhow::Result;
use clap::Args;
use fluo_core::admin;

use crate::output;
use crate::target::TargetArguments;

/// How an application is: prints NOT_FOUND, STOPPED or RUNNING.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app status --at embedded:./data web")]
pub(crate) struct Status {
    #[command(flatten)]
    target: TargetArguments,
    /// The application
    name: String,
}

impl Status {
    pub(crate) async fn run(&self) -> Result<()> {
        let (_, applications) = self.target.open_applications()?;
        let status = admin::status(&applications, &self.name).await?;
        output::print(&status.to_string())
    }
}
