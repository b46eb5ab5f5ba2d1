//! `fluo table check`.

use std::error::Error as StdError;

use anyhow::Result;
use clap::Args;
use fluo_embedded::{CheckReport, Damage, EmbeddedTables};
use serde_json::json;

use crate::exit::Outcome;
use crate::target::{self, NO_TABLES, TargetArguments};
use crate::text::counted;
use crate::{output, progress};

/// Read a whole embedded directory, and compare it with its checksums.
///
/// Normal reads do not verify checksums, so a damaged disk can silently return wrong rows. This
/// command finds every changed bit of the data. It must be able to write to the directory, and a
/// process that has the directory open has to end first.
///
/// A damaged directory is marked: load, apply, migrate and all other writes are refused until a
/// check finds it whole. Exit codes: 0 whole, 1 damaged, 2 not checked because of an error.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo table check --at embedded:./data")]
pub(crate) struct Check {
    #[command(flatten)]
    target: TargetArguments,
}

impl Check {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let directory = self.target.directory("`fluo table check`")?.to_owned();
        let checking = format!("checking {}", output::shown(&self.target.at.to_string()));
        let check = tokio::task::spawn_blocking(move || EmbeddedTables::check(directory));
        let checked = progress::while_it_lasts(checking, check).await?;
        let (whole, findings) = match &checked {
            Ok(report) => (Some(report), &[][..]),
            Err(error) => match error.source().and_then(<dyn StdError>::downcast_ref::<Damage>) {
                Some(damage) => (None, damage.findings()),
                None => return Err(target::advised(error.clone(), NO_TABLES)),
            },
        };
        if output::is_json() {
            let mut checked = json!({ "ok": whole.is_some(), "damage": findings });
            if let Some(CheckReport { tables, tablets, entries, applications, .. }) = whole {
                let whole = json!({ "tables": tables, "tablets": tablets, "entries": entries, "applications": applications });
                output::add(&mut checked, "whole", whole);
            }
            output::print_json(&checked)?;
        } else if let Some(report) = whole {
            show!(
                "OK: {} is whole: {}, {}, {}, {}",
                self.target.at,
                counted(report.tables, "table"),
                counted(report.tablets, "tablet"),
                counted(report.entries, "entry"),
                counted(report.applications, "application"),
            )?;
        } else {
            show!("NOT OK: {} is damaged:", self.target.at)?;
            findings.iter().try_for_each(|finding| show!("  {}", output::shown(finding)))?;
            show!("It takes no writes now; restore it from a copy and check it again.")?;
        }
        Ok(Outcome::of(whole.is_some()))
    }
}
