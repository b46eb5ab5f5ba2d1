//! `fluo app verify`.

use anyhow::Result;
use clap::Args;
use fluo_keys::{MaxSkew, OtherRows};

use super::optimization::Optimization;
use crate::application::NamedApplication;
use crate::exit::Outcome;
use crate::spec::Expected;
use crate::table::{Check, Origin, VerifyArguments};
use crate::target::damage_of;

/// Check whether the table matches the recipes; exits 1 if not.
///
/// The recipes are settings of the application, as for `fluo app plan`. Reads back the split
/// points, the groups, the places of the tablets and the rows. Rows that belong to no recipe are
/// accepted. The tablets of a queue are not compared, because their rows come and go; those of row
/// hashers are.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app verify --at embedded:./data web")]
pub(crate) struct Verify {
    #[command(flatten)]
    application: NamedApplication,
    #[command(flatten)]
    options: VerifyArguments,
}

impl Verify {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let Some(found) = Optimization::open(&self.application).await? else {
            return Ok(Outcome::Success);
        };
        let Optimization {
            fluo,
            unwritable,
            table,
            optimizations,
        } = found;
        let check = Check {
            tables: &fluo,
            table: &table,
            optimizations,
            expected: Expected {
                max_skew: MaxSkew::default(),
                other_rows: OtherRows::Allowed,
            },
            origin: Origin::Recipes,
            damage: damage_of(unwritable),
        };
        self.options.run(check).await
    }
}
