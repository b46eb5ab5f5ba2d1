//! The arrival of writes whose clients have cancelled them.

use tokio::time::sleep;

use super::late::Late;
use super::world::World;

impl World {
    /// Lets a write arrive later.
    pub(super) fn delay(&self, write: Late) {
        let number = self.late.add(write);
        let longest = self.dials.slow * 2;
        let (world, time) = (self.clone(), self.random.time_below(longest));
        tokio::spawn(async move {
            sleep(time).await;
            if let Some(write) = world.late.take(number) {
                world.arrive(write);
            }
        });
    }

    /// Lets everything arrive that is on its way.
    pub(super) fn arrive_all(&self) {
        while let Some(write) = self.late.take_first() {
            self.arrive(write);
        }
    }

    fn arrive(&self, write: Late) {
        self.trace.add("late:");
        let result = match write {
            Late::Plain(mutation) => {
                self.apply(mutation);
                return;
            }
            Late::Conditional(mutations, authorizations, commit) => {
                let result = self.apply_if(mutations, &authorizations);
                drop(commit);
                result
            }
        };
        if let Err(error) = result {
            self.violation(format!("a late write failed: {error}"));
        }
    }
}
