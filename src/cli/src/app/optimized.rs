//! The split points and groups that the settings of an application request.

use std::sync::Arc;

use anyhow::Result;
use fluo_keys::MaxSkew;
use fluo_recipes::table_optimizations;

use crate::application::{NamedApplication, open};
use crate::spec::Expected;
use crate::table::{Optimized, Origin};

/// Opens an application, and takes the optimizations from its settings. If it has no recipe with
/// split points, says so and returns `None`.
pub(super) async fn optimized(application: &NamedApplication) -> Result<Option<Optimized>> {
    let NamedApplication { target, name } = application;
    let (fluo, unwritable) = target.open_checked().await?;
    let stored = open(&fluo, name).await?.application().await?;
    let (table, optimizations) = (stored.table, table_optimizations(&stored.settings));
    let optimizations = optimizations.map_err(|error| application.error_in_settings(&error))?;
    if optimizations.requirements().is_empty() {
        say!(
            "application `{name}` has no recipes with split points, so its table `{table}` stays as it is"
        );
        return Ok(None);
    }
    Ok(Some(Optimized {
        tables: Arc::new(fluo),
        unwritable,
        table,
        optimizations,
        expected: Expected { max_skew: MaxSkew::default(), allow_other_rows: true },
        origin: Origin::RECIPES,
    }))
}
