//! A salt that is drawn for each row and cannot be computed again.

use std::fmt;
use std::sync::Arc;

use super::super::error::DesignError;
use super::super::spans::MOST_PIECES;
use super::decimal;
use crate::number::counted;

/// Buckets `0` to `count - 1`, in decimal digits of one width: two, or as many as the largest
/// needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct RandomBuckets {
    count: u32,
}

/// A source of random numbers for drawn salts.
#[derive(Clone)]
pub(in super::super) struct SaltSource(Arc<dyn Fn() -> u64 + Send + Sync>);

impl SaltSource {
    pub(in super::super) fn new(draw: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(draw))
    }
}

impl fmt::Debug for SaltSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SaltSource")
    }
}

impl RandomBuckets {
    pub(in super::super) fn new(count: u32) -> Result<Self, DesignError> {
        if !(2..=MOST_PIECES).contains(&u64::from(count)) {
            return Err(DesignError::settings(format!(
                "a random salt cannot have {}: give 2 to {MOST_PIECES}, because a read of one row scans every \
                 bucket",
                counted(usize::try_from(count).unwrap_or(usize::MAX), "bucket")
            )));
        }
        Ok(Self { count })
    }

    pub(super) fn count(self) -> u64 {
        self.count.into()
    }

    pub(super) fn width(self) -> usize {
        decimal::width(self.count)
    }

    pub(super) fn nth(self, number: u64) -> Vec<u8> {
        decimal::text(number, self.count)
    }

    /// Appends a drawn bucket. The count is far below 2^64, so the modulus favours no bucket
    /// measurably.
    pub(super) fn draw(
        self,
        source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), DesignError> {
        let Some(SaltSource(draw)) = source else {
            return Err(DesignError::settings(
                "this design has no source of random numbers for its salts: set one with `with_salt_source`",
            ));
        };
        key.extend_from_slice(&self.nth(draw() % self.count()));
        Ok(())
    }

    pub(super) fn check(self, salt: &[u8]) -> Result<(), String> {
        let number = std::str::from_utf8(salt)
            .ok()
            .and_then(|text| text.parse().ok());
        // The digits are compared as well, because `+1` also parses as a number.
        if number.is_some_and(|number| number < self.count() && self.nth(number) == salt) {
            return Ok(());
        }
        let (salt, first, last) = (
            fluo_table::Escaped(salt),
            self.nth(0),
            self.nth(self.count() - 1),
        );
        let (first, last) = (fluo_table::Escaped(&first), fluo_table::Escaped(&last));
        Err(format!(
            "its salt is `{salt}`, and salts are `{first}` to `{last}`"
        ))
    }

    pub(super) fn meaning(self) -> String {
        format!("drawn from {} buckets", self.count)
    }
}
