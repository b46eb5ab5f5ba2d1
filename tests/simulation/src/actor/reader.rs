//! Snapshots are read, at leisure.

use fluo_table::Result;

use super::{ACCOUNTS, Actor, OPENING, PAIRS, number_of};
use crate::ground::number;
use crate::history::Seen;
use crate::recorded::{rows, scan};

const PREFIXES: [&str; 8] =
    ["bank:", "blind:", "count:", "doc:", "label:", "list:", "skew:", "wide:"];

/// Takes a snapshot and reads it several times, with pauses.
pub(super) async fn read(actor: &Actor) -> Result<()> {
    let world = &actor.world;
    let snapshot = actor.client.snapshot().await?;
    let story = world.history().begin("reader", snapshot.start());
    for _ in 0..=world.random.below(4) {
        if world.random.chance(400) {
            actor.rest().await;
        }
        let prefix = world.random.pick(&PREFIXES);
        let sees = actor.link.authorizations.clone();
        let seen = rows(prefix, scan(world, &snapshot, prefix).await?, sees);
        check_sums(actor, prefix, &seen);
        world.history().with(story, |story| story.reads.push(seen));
    }
    Ok(())
}

/// Checks the conditions that hold in every snapshot.
fn check_sums(actor: &Actor, prefix: &str, seen: &Seen) {
    let Seen::Rows { cells, .. } = seen else { return };
    let of_row = |row: &str| {
        let cell = fluo_table::RowColumn::new(row.to_owned(), number());
        number_of(cells.get(&cell).map(|version| &version.value))
    };
    if prefix == "bank:" {
        let sum: i64 = ACCOUNTS.iter().map(|account| of_row(account)).sum();
        let whole = OPENING * i64::try_from(ACCOUNTS.len()).unwrap_or_default();
        if sum != whole {
            actor.world.violation(format!("S1: a snapshot shows a sum of {sum}; it was {whole}"));
        }
    }
    if prefix == "skew:" {
        for (one, other) in PAIRS {
            if of_row(one) + of_row(other) == 0 {
                actor.world.violation(format!("T9, P4: {one} and {other} are both empty"));
            }
        }
    }
}
