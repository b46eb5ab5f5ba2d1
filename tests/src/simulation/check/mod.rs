//! What must be true of a run once it is over.
//!
//! What is wrong begins with the rules that it breaks, as `docs/protocol.md` names them: where several stand together for
//! a promise, all of them.

mod committed;
mod model;
mod observed;
mod overlap;
mod reads;

use super::world::World;
use model::Model;

/// Holds the whole history against what was committed.
pub(super) fn check(world: &World) {
    let mut wrong = Vec::new();
    {
        let (history, commits) = (world.history(), world.commits());
        let model = Model::of(&history, &commits);
        wrong.extend(committed::check(&history, &commits));
        wrong.extend(observed::check(&history, &commits));
        wrong.extend(overlap::check(&history, &commits));
        wrong.extend(reads::check(&history, &model));
    }
    for what in wrong {
        world.violation(what);
    }
}
