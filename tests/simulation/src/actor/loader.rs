//! Writes of documents, which notify observers.

use fluo_table::Result;

use super::{Actor, value};
use crate::ground::{document, wish};

pub(crate) const DOCUMENTS: [&str; 4] = ["doc:a", "doc:b", "doc:c", "doc:d"];

/// Writes a new number in some documents, or wishes that the weak observer of one runs.
pub(super) async fn load(actor: &Actor) -> Result<()> {
    let random = &actor.world.random;
    let tx = actor.begin().await?;
    let loader = actor.record("loader", &tx);
    let number = 1 + i64::try_from(random.below(9)).unwrap_or_default();
    for row in DOCUMENTS {
        match random.below(5) {
            0 | 1 => loader.set(row, &document(), value(number, &tx))?,
            2 => loader.notify(row, &wish())?,
            _ => {}
        }
    }
    let story = loader.story();
    actor.commit(tx, story).await
}
