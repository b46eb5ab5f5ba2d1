//! Cells with labels are written beside cells without one.

use fluo_core::Result;

use super::{Actor, value};
use crate::simulation::ground::number;
use crate::simulation::labels::{LABELS, labelled};

const ROWS: [&str; 3] = ["label:a", "label:b", "label:c"];

/// Writes the public cell of one row or two, and cells with labels that the client sees in some.
pub(super) async fn write(actor: &Actor) -> Result<()> {
    let random = &actor.world.random;
    let tx = actor.begin().await?;
    let labeller = actor.record("labeller", &tx);
    let public = random.pick(&ROWS);
    let mut count = 1;
    labeller.set(public, &number(), value(count, &tx))?;
    for row in ROWS {
        if row != public && random.chance(200) {
            labeller.get(row, &number()).await?;
            labeller.delete(row, &number())?;
        }
        for label in LABELS {
            if actor.link.authorizations.contains(label.as_bytes()) && random.chance(400) {
                count += 1;
                labeller.set(row, &labelled(label), value(count, &tx))?;
            }
        }
    }
    if random.chance(200) {
        actor.dawdle().await;
    }
    let story = labeller.story;
    actor.commit(tx, story).await
}
