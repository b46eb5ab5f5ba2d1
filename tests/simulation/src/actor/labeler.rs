//! Writes of cells with labels, beside cells without one or alone.

use fluo_table::Result;

use super::{Actor, value};
use crate::ground::number;
use crate::labels::{LABELS, labeled};

const ROWS: [&str; 3] = ["label:a", "label:b", "label:c"];

/// Writes cells with labels that the client sees, and mostly the public cells of one row or two.
/// Without a public cell the primary has a label, so some clients cannot see it. They wait while
/// the owner is alive, but cannot continue without it. So transactions of that kind are written
/// only if every owner stays alive.
pub(super) async fn write(actor: &Actor) -> Result<()> {
    let random = &actor.world.random;
    let tx = actor.begin().await?;
    let labeler = actor.record("labeler", &tx);
    let public =
        Some(random.pick(&ROWS)).filter(|_| !(actor.world.keeps_owners() && random.chance(250)));
    let mut count = 0;
    if let Some(row) = public {
        count += 1;
        labeler.set(row, &number(), value(count, &tx))?;
    }
    for row in ROWS {
        if public.is_some_and(|public| public != row) && random.chance(200) {
            labeler.get(row, &number()).await?;
            labeler.delete(row, &number())?;
        }
        for label in LABELS {
            if actor.link.authorizations.contains(label.as_bytes()) && random.chance(400) {
                count += 1;
                labeler.set(row, &labeled(label), value(count, &tx))?;
            }
        }
    }
    if random.chance(200) {
        actor.dawdle().await;
    }
    let story = labeler.story();
    actor.commit(tx, story).await
}
