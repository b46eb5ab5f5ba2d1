//! `fluo table check`.

use std::error::Error as _;

use anyhow::Result;
use clap::Args;
use fluo_embedded::{CheckReport, Damage, EmbeddedTables};
use fluo_table::Error;
use serde::Serialize;

use crate::exit::Outcome;
use crate::output;
use crate::progress;
use crate::target::{self, NO_TABLES, TargetArguments};
use crate::text::plural;

/// Read a whole embedded directory, and compare it with its checksums.
///
/// Normal reads do not verify checksums, so a damaged disk can silently return wrong rows. This
/// command finds every changed bit of the data. Space that is not in use is not checked. It changes
/// nothing in the tables, and works on a read-only copy. A process that has the directory open has
/// to end first.
///
/// A damaged directory is marked: load, apply, migrate and all other writes are refused until a
/// check finds it whole. Exit codes: 0 whole, 1 damaged, 2 not checked because of an error.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table check --at embedded:./data")]
pub(crate) struct Check {
    #[command(flatten)]
    target: TargetArguments,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// The result of a check, as JSON.
#[derive(Serialize)]
struct Checked<'a> {
    ok: bool,
    /// The content that was checked; absent if something is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<Whole>,
    damage: &'a [String],
}

#[derive(Serialize)]
struct Whole {
    tables: u64,
    tablets: u64,
    entries: u64,
    applications: u64,
}

impl Check {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let directory = self.target.directory("`fluo table check`")?.to_owned();
        let checking = format!("checking {}", output::shown(&self.target.written()));
        let check = tokio::task::spawn_blocking(move || EmbeddedTables::check(directory));
        match progress::while_it_lasts(checking, check).await? {
            Ok(report) => self.tell_whole(report),
            Err(error) => match damage(&error) {
                Some(damage) => self.tell_damage(damage),
                None => Err(target::advised(error, NO_TABLES)),
            },
        }
    }

    fn tell_whole(&self, report: CheckReport) -> Result<Outcome> {
        let CheckReport {
            tables,
            tablets,
            entries,
            applications,
        } = report;
        if self.json {
            let whole = Whole {
                tables,
                tablets,
                entries,
                applications,
            };
            output::print_json(&Checked {
                ok: true,
                whole: Some(whole),
                damage: &[],
            })?;
        } else {
            output::print(&format!(
                "OK: {} is whole: {}, {}, {}, {}",
                self.target.written(),
                plural(tables, "table"),
                plural(tablets, "tablet"),
                plural(entries, "entry"),
                plural(applications, "application"),
            ))?;
        }
        Ok(Outcome::Success)
    }

    fn tell_damage(&self, damage: &Damage) -> Result<Outcome> {
        let findings = damage.findings();
        if self.json {
            output::print_json(&Checked {
                ok: false,
                whole: None,
                damage: findings,
            })?;
        } else {
            let at = self.target.written();
            output::print(&format!("NOT OK: {at} is damaged:"))?;
            for finding in findings {
                output::print(&format!("  {}", output::shown(finding)))?;
            }
            output::print("It takes no writes now; restore it from a copy and check it again.")?;
        }
        Ok(Outcome::Difference)
    }
}

fn damage(error: &Error) -> Option<&Damage> {
    error.source()?.downcast_ref()
}
