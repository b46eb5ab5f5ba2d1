//! The timestamps and the horizon of an open application.

use std::num::NonZeroU32;

use fluo_table::coordination::{ReservedTimestamps, TimestampBlock};
use fluo_table::{Result, Timestamp};

/// The timestamps of an open application, reserved in the file.
#[derive(Debug)]
pub(crate) struct Stamps {
    pub(crate) reserved: ReservedTimestamps,
    /// The horizon that is in force, and in the file.
    pub(crate) horizon: Timestamp,
}

impl Stamps {
    /// Hands out `count` timestamps, or returns `None` if fewer are reserved.
    pub(crate) fn take(&mut self, count: NonZeroU32) -> Result<Option<TimestampBlock>> {
        let first = self.reserved.take(count)?;
        Ok(first.map(|first| TimestampBlock { first, count, horizon: self.horizon }))
    }
}
