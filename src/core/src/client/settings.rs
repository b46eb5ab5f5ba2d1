//! What can be set for a client.

use std::time::Duration;

use crate::error::{Error, Result};

/// How a [`Client`](crate::Client) waits, gives up and bounds what it holds. Each duration is at least a millisecond and
/// at most 365 days.
///
/// ```
/// use std::time::Duration;
/// use fluo_core::ClientSettings;
///
/// let settings = ClientSettings { rollback_after: Duration::from_secs(30), ..ClientSettings::default() };
/// assert!(settings.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// How long a lock of a live transaction is waited for before it is rolled back all the same. Fluo's
    /// `fluo.tx.rollback.time`. Default: 5 minutes.
    pub rollback_after: Duration,
    /// The first pause before a lock is looked at again; each is twice the one before. Default: 5 milliseconds.
    pub first_wait: Duration,
    /// The longest pause before a lock is looked at again. Default: 1 second.
    pub longest_wait: Duration,
    /// How long a call is repeated whose outcome is unknown, or that a table or the coordination refuses for the
    /// moment, before the transaction gives up. Default: 1 minute.
    pub give_up_after: Duration,
    /// How often the oldest active timestamp is published, and the horizon of garbage collection moved up to the
    /// oldest of all; and how long, at most, it takes until a client notices that its session has ended. Fluo's
    /// `fluo.impl.timestamp.update.period`. Default: 1 minute.
    pub horizon_period: Duration,
    /// The age from which on an open transaction or snapshot no longer holds back garbage collection, which is looked
    /// at once in every [`horizon_period`](Self::horizon_period). A leaked one is let go of so. As long as the horizon
    /// has not passed it, it is served as before. From then on each of its reads, those of a scan that has begun too,
    /// and its commit fail with [`Stale`](crate::Stale), which a runner tries again; it never reads wrong data. Default:
    /// 1 hour.
    pub max_transaction_age: Duration,
    /// Most bytes of rows, columns and values that one transaction may set. Default: 64 MiB.
    pub max_transaction_bytes: usize,
    /// Most transactions that are being committed in the background at once; 1 to 1,000,000. Default: 4,096.
    pub max_commits_in_flight: usize,
    /// Most bytes of transactions that are being committed in the background at once. One that is larger than
    /// this is committed alone. Fluo's `fluo.impl.tx.commit.memory`. Default: 20 MiB.
    pub max_commit_bytes_in_flight: usize,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            rollback_after: Duration::from_secs(300),
            first_wait: Duration::from_millis(5),
            longest_wait: Duration::from_secs(1),
            give_up_after: Duration::from_secs(60),
            horizon_period: Duration::from_secs(60),
            max_transaction_age: Duration::from_secs(3_600),
            max_transaction_bytes: 64 << 20,
            max_commits_in_flight: 4_096,
            max_commit_bytes_in_flight: 20 << 20,
        }
    }
}

/// The shortest of the durations: below it a pause is none.
const LEAST: Duration = Duration::from_millis(1);

/// The longest of the durations: no clock goes on for ever, and a moment after its end cannot be told.
const MOST: Duration = Duration::from_secs(365 * 24 * 3_600);

impl ClientSettings {
    /// Checks every bound; opening a client does it too.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid): the first field that is out of its bounds, and what they are.
    pub fn check(&self) -> Result<()> {
        for (name, duration) in [
            ("rollback_after", self.rollback_after),
            ("first_wait", self.first_wait),
            ("longest_wait", self.longest_wait),
            ("give_up_after", self.give_up_after),
            ("horizon_period", self.horizon_period),
            ("max_transaction_age", self.max_transaction_age),
        ] {
            if duration < LEAST {
                return Err(Error::invalid(format!(
                    "setting `{name}` is {duration:?}; it must be at least {LEAST:?}"
                )));
            }
            if duration > MOST {
                return Err(Error::invalid(format!(
                    "setting `{name}` is {duration:?}; it must be at most {MOST:?}, which is 365 days"
                )));
            }
        }
        if self.longest_wait < self.first_wait {
            return Err(Error::invalid(format!(
                "setting `longest_wait` is {:?}; it must be at least `first_wait`, which is {:?}",
                self.longest_wait, self.first_wait
            )));
        }
        for (name, number, most) in [
            (
                "max_transaction_bytes",
                self.max_transaction_bytes,
                usize::MAX,
            ),
            (
                "max_commits_in_flight",
                self.max_commits_in_flight,
                1_000_000,
            ),
            (
                "max_commit_bytes_in_flight",
                self.max_commit_bytes_in_flight,
                MOST_BYTES,
            ),
        ] {
            if number == 0 || number > most {
                return Err(Error::invalid(format!(
                    "setting `{name}` is {number}; it must be at least 1 and at most {most}"
                )));
            }
        }
        Ok(())
    }
}

/// What a semaphore can count.
const MOST_BYTES: usize = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_out_of_bounds_is_named_with_its_bounds() {
        let message = |change: fn(&mut ClientSettings)| {
            let mut settings = ClientSettings::default();
            change(&mut settings);
            settings.check().unwrap_err().to_string()
        };
        assert_eq!(
            message(|settings| settings.rollback_after = Duration::ZERO),
            "setting `rollback_after` is 0ns; it must be at least 1ms"
        );
        assert_eq!(
            message(|settings| settings.give_up_after = Duration::from_secs(31_536_001)),
            "setting `give_up_after` is 31536001s; it must be at most 31536000s, which is 365 days"
        );
        assert_eq!(
            message(|settings| settings.longest_wait = Duration::from_millis(2)),
            "setting `longest_wait` is 2ms; it must be at least `first_wait`, which is 5ms"
        );
        assert_eq!(
            message(|settings| settings.max_commits_in_flight = 0),
            "setting `max_commits_in_flight` is 0; it must be at least 1 and at most 1000000"
        );
    }
}
