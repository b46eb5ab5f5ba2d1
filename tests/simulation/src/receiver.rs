//! The receiver of exports, which fails like everything else.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use fluo_recipes::export_queue::{Export, ExportError, Exported, Exporter, Exports};
use fluo_table::Timestamp;
use tokio::time::sleep;

use super::world::World;

/// A receiver in memory, which keeps the last sequence of each key.
pub(super) struct Receiver(pub(super) World);

#[async_trait]
impl Exporter<String, i64> for Receiver {
    async fn export(&self, exports: Exports<String, i64>) -> Result<Exported, ExportError> {
        let Self(world) = self;
        sleep(world.random.time_below(world.dials.usual)).await;
        self.check_order(&exports);
        if !world.is_rough() {
            self.apply(&exports);
            return Ok(Exported::All);
        }
        match world.random.below(12) {
            0 => Err(ExportError::retry_after(
                Duration::from_millis(20),
                "simulated: the receiver is away",
            )),
            1 => {
                self.apply(&exports);
                Err(ExportError::fatal("simulated: the answer is lost"))
            }
            2 | 3 => {
                let count = exports.len().div_ceil(2);
                self.apply(exports.get(..count).unwrap_or_default());
                Ok(Exported::UpTo(count))
            }
            4 => Ok(self.reject_some(&exports)),
            _ => {
                self.apply(&exports);
                Ok(Exported::All)
            }
        }
    }
}

impl Receiver {
    fn apply(&self, exports: &[Export<String, i64>]) {
        for export in exports {
            let Export { key, sequence, value, .. } = export;
            self.0.trace.add(format_args!("receives {key:?} {sequence} {value}"));
            self.0.queue_log().receive(key, *sequence, *value);
        }
    }

    /// Rejects some parcels, and leaves some at the end to another delivery.
    fn reject_some(&self, exports: &[Export<String, i64>]) -> Exported {
        let random = &self.0.random;
        let up_to = match random.chance(500) {
            true => exports.len(),
            false => exports.len().div_ceil(2),
        };
        let mut rejected = Vec::new();
        for (index, export) in exports.iter().enumerate().take(up_to) {
            match random.chance(300) {
                true => {
                    let parcel = (export.key.clone(), export.sequence);
                    self.0.trace.add(format_args!("rejects {:?} {}", export.key, export.sequence));
                    self.0.queue_log().rejected.insert(parcel);
                    rejected.push((index, "simulated: damaged".to_owned()));
                }
                false => self.apply(std::slice::from_ref(export)),
            }
        }
        Exported::DeadLetters { up_to, rejected }
    }

    fn check_order(&self, exports: &[Export<String, i64>]) {
        let mut last: BTreeMap<&str, Timestamp> = BTreeMap::new();
        for export in exports {
            let before = last.insert(&export.key, export.sequence);
            if before.is_some_and(|before| before >= export.sequence) {
                self.0.violation(format!(
                    "D5: the parcel {} of {:?} is exported after that of {before:?}",
                    export.sequence, export.key
                ));
            }
        }
    }
}
