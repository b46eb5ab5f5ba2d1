//! Checks of a run after its end.
//!
//! A violation begins with the rules that it breaks, as `docs/protocol.md` names them: all rules
//! that together give the broken guarantee.

mod committed;
mod model;
mod observed;
mod overlap;
mod queues;
mod reads;

use super::world::World;
use model::Model;

/// Compares the whole history with the committed transactions.
pub(super) fn check(world: &World) {
    let mut wrong = Vec::new();
    {
        let (history, commits) = (world.history(), world.commits());
        let model = Model::of(&history, &commits);
        wrong.extend(committed::check(&history, &commits));
        wrong.extend(observed::check(&history, &commits));
        wrong.extend(overlap::check(&history, &commits));
        wrong.extend(queues::check(&world.queue_log(), &commits));
        wrong.extend(reads::check(&history, &model));
    }
    for what in wrong {
        world.violation(what);
    }
}
