//! `fluo app status`.

use anyhow::Result;
use clap::Args;
use fluo_core::admin;

use crate::output;
use crate::target::DirectoryArguments;

/// How an application is: prints NOT_FOUND, STOPPED or RUNNING.
///
/// One process holds an embedded directory. While a worker or another program has it open, this command cannot look
/// into it: it says so and exits 2, and no application of that directory is seen RUNNING.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app status --at embedded:./data web")]
pub(crate) struct Status {
    #[command(flatten)]
    target: DirectoryArguments,
    /// The application
    name: String,
}

impl Status {
    pub(crate) async fn run(&self) -> Result<()> {
        let (_, applications) = self.target.open()?;
        let status = admin::status(&applications, &self.name).await?;
        output::print(&status.to_string())
    }
}
