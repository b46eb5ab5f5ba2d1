//! The split points and groups that the settings of an application request.

use anyhow::Result;
use fluo_keys::TableOptimizations;
use fluo_recipes::table_optimizations;
use fluo_table::{Error, Instance};

use crate::application::{NamedApplication, open};
use crate::output;

/// An application, and the optimizations of its table.
#[derive(Debug)]
pub(super) struct Optimization {
    pub(super) fluo: Instance,
    /// The error with which changes of the tables fail, if it is known.
    pub(super) unwritable: Option<Error>,
    pub(super) table: String,
    pub(super) optimizations: TableOptimizations,
}

impl Optimization {
    /// Opens an application, and takes the optimizations from its settings. If it has no recipe
    /// with split points, says so and returns `None`.
    pub(super) async fn open(application: &NamedApplication) -> Result<Option<Self>> {
        let NamedApplication { target, name } = application;
        let (fluo, unwritable) = target.open_checked().await?;
        let coordination = open(&fluo, name).await?;
        let stored = coordination.application().await?;
        let optimizations = table_optimizations(&stored.settings);
        let optimizations = optimizations.map_err(|error| application.error_in_settings(&error))?;
        if optimizations.requirements().is_empty() {
            output::say(&format!(
                "application `{name}` has no recipes with split points, so its table `{}` stays as it is",
                stored.table
            ));
            return Ok(None);
        }
        Ok(Some(Self {
            fluo,
            unwritable,
            table: stored.table,
            optimizations,
        }))
    }
}
