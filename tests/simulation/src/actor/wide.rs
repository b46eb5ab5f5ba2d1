//! Rows of very many cells.

use fluo_table::{Column, Result};

use super::{Actor, value};

const ROW: &str = "wide:a";

/// Writes a row of very many cells, each with the same number.
pub(super) async fn write(actor: &Actor) -> Result<()> {
    for _ in 0..10 {
        actor.rest().await;
    }
    let tx = actor.begin().await?;
    let wide = actor.record("wide", &tx);
    for cell in 0..actor.world.dials.width {
        wide.set(ROW, &Column::new("f", format!("c{cell:05}")), value(1, &tx))?;
    }
    let story = wide.story();
    actor.commit(tx, story).await
}
