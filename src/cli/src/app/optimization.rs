//! The split points and groups that the settings of an application request.

use anyhow::Result;
use fluo_embedded::EmbeddedTables;
use fluo_recipes::TableOptimizations;

use crate::application;
use crate::output;
use crate::target::DirectoryArguments;

/// An application, and the optimizations of its table.
#[derive(Debug)]
pub(super) struct Optimization {
    pub(super) tables: EmbeddedTables,
    pub(super) table: String,
    pub(super) optimizations: TableOptimizations,
}

impl Optimization {
    /// Opens an application, and takes the optimizations from its settings. If it has no recipe
    /// with split points, says so and returns `None`.
    pub(super) async fn open(target: &DirectoryArguments, name: &str) -> Result<Option<Self>> {
        let (tables, applications) = target.open()?;
        let coordination = application::open(&applications, name).await?;
        let stored = coordination.application().await?;
        let optimizations = TableOptimizations::from_settings(&stored.settings);
        let optimizations =
            optimizations.map_err(|error| application::error_in_settings(&error, target, name))?;
        if optimizations.requirements().is_empty() {
            output::say(&format!(
                "application `{name}` has no recipes with split points, so its table `{}` stays as it is",
                stored.table
            ));
            return Ok(None);
        }
        Ok(Some(Self {
            tables,
            table: stored.table,
            optimizations,
        }))
    }
}
