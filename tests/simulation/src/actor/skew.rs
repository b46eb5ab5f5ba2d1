//! Two cells that must not both be empty. Read locks ensure that; snapshot isolation alone does
//! not.

use fluo_table::Result;

use super::{Actor, number_of, value};
use crate::ground::number;

/// Pairs of rows. Of each at least one keeps a number above zero.
pub(crate) const PAIRS: [(&str, &str); 2] = [("skew:a1", "skew:a2"), ("skew:b1", "skew:b2")];

/// Sets one of a pair to zero if the other one, read under a lock, is not; or sets it to one.
pub(super) async fn take(actor: &Actor) -> Result<()> {
    let random = &actor.world.random;
    let (one, other) = random.pick(&PAIRS);
    let (mine, covering) = match random.chance(500) {
        true => (one, other),
        false => (other, one),
    };
    let tx = actor.begin().await?;
    let skew = actor.record("skew", &tx);
    let covered = number_of(skew.get_locked(covering, &number()).await?.as_ref()) > 0;
    let number_now = number_of(skew.get(mine, &number()).await?.as_ref());
    let next = match number_now {
        0 => 1,
        _ if covered => 0,
        _ => 1,
    };
    skew.set(mine, &number(), value(next, &tx))?;
    let story = skew.story();
    actor.commit(tx, story).await
}
