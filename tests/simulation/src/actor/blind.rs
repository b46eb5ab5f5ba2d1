//! Sets and deletes of cells by transactions that read nothing.

use fluo_table::{Column, Result};

use super::{Actor, value};

const ROWS: [&str; 4] = ["blind:a", "blind:b", "blind:c", "blind:d"];
const QUALIFIERS: [&str; 2] = ["x", "y"];

/// Sets or deletes some cells of some rows.
pub(super) async fn overwrite(actor: &Actor) -> Result<()> {
    let random = &actor.world.random;
    let tx = actor.begin().await?;
    let blind = actor.record("blind", &tx);
    let mut number = 0;
    for row in ROWS {
        for qualifier in QUALIFIERS {
            let column = Column::new("f", qualifier);
            match random.below(6) {
                0 => blind.delete(row, &column)?,
                1 => {
                    number += 1;
                    blind.set(row, &column, value(number, &tx))?;
                }
                _ => {}
            }
        }
    }
    if random.chance(200) {
        actor.dawdle().await;
    }
    let story = blind.story();
    actor.commit(tx, story).await
}
