//! The settings of an application that all its workers must agree on.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use fluo_table::{Error, Result};

/// The setting of the number of workers in a group: from twice as many on there are several groups.
/// Default: 7.
pub(super) const GROUP_SIZE: &str = "fluo.impl.worker.finder.partition.groupSize";
/// The setting of the longest pause, in milliseconds. Default: 300,000.
const MAX_SLEEP: &str = "fluo.impl.worker.finder.maxSleep";

/// The longest pause after a change of the shares, whatever the settings are.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// The shortest time from one check of the table's split points to the next.
const MIN_SPLITS_PERIOD: Duration = Duration::from_secs(1);

/// The settings of the workers of an application. Names and defaults are those of Java.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WorkerSettings {
    pub(super) group_size: NonZeroU32,
    /// The time after a change of the shares in which workers process nothing, so that those that
    /// have not noticed the change can do so.
    pub(super) pause: Duration,
    pub(super) splits_period: Duration,
    /// The time for which the place of a worker that was stopped waits for a successor. Shorter
    /// than the pause.
    pub(super) max_vacancy: Duration,
}

impl WorkerSettings {
    pub(super) fn from_settings(settings: &BTreeMap<String, String>) -> Result<Self> {
        let group_size = settings.get(GROUP_SIZE).map(|text| {
            let number = text.parse().ok().filter(|number| *number <= i32::MAX.cast_unsigned());
            let group_size = number.and_then(NonZeroU32::new);
            group_size.ok_or_else(|| invalid(GROUP_SIZE, text, "a number from 1 to 2147483647"))
        });
        let group_size = group_size.unwrap_or(Ok(const { NonZeroU32::new(7).unwrap() }))?;
        let max_sleep = settings.get(MAX_SLEEP).map(|text| {
            let millis = text.parse().map(Duration::from_millis);
            millis.map_err(|_| invalid(MAX_SLEEP, text, "a number of milliseconds"))
        });
        let max_sleep = max_sleep.unwrap_or(Ok(Duration::from_secs(300)))?;
        let pause = max_sleep.min(MAX_PAUSE);
        Ok(Self {
            group_size,
            pause,
            max_vacancy: pause / 3,
            splits_period: max_sleep.max(MIN_SPLITS_PERIOD),
        })
    }
}

fn invalid(setting: &str, text: &str, expected: &str) -> Error {
    Error::invalid(format!(
        "the setting `{setting}` of the application is `{}`; set it to {expected}",
        text.escape_debug()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: &[(&str, &str)]) -> Result<WorkerSettings> {
        let settings = settings.iter();
        let settings = settings.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        WorkerSettings::from_settings(&settings.collect())
    }

    #[test]
    fn has_the_defaults_of_java() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.group_size.get(), 7);
        assert_eq!(settings.pause, Duration::from_secs(60));
        assert_eq!(settings.splits_period, Duration::from_secs(300));
    }

    #[test]
    fn reads_the_settings_of_java() {
        let settings = read(&[(GROUP_SIZE, "3"), (MAX_SLEEP, "2000")]).unwrap();
        assert_eq!(settings.group_size.get(), 3);
        assert_eq!(settings.pause, Duration::from_secs(2));
        assert_eq!(settings.splits_period, Duration::from_secs(2));
        let settings = read(&[(MAX_SLEEP, "0")]).unwrap();
        assert_eq!(settings.pause, Duration::ZERO);
        assert_eq!(settings.splits_period, Duration::from_secs(1));
    }

    #[test]
    fn names_an_invalid_setting() {
        for value in ["0", "-1", "seven", "2147483648"] {
            assert_eq!(
                read(&[(GROUP_SIZE, value)]).unwrap_err().to_string(),
                format!(
                    "the setting `fluo.impl.worker.finder.partition.groupSize` of the application is `{value}`; set it to a \
                     number from 1 to 2147483647"
                )
            );
        }
        assert_eq!(
            read(&[(MAX_SLEEP, "5 min")]).unwrap_err().to_string(),
            "the setting `fluo.impl.worker.finder.maxSleep` of the application is `5 min`; set it to a number of \
             milliseconds"
        );
    }
}
