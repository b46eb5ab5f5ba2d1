//! The options that both queues have.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;

use fluo_table::{Error, Result};

use crate::queue::Buckets;

/// The number of buckets of a tablet, if no other is set.
const BUCKETS_PER_TABLET: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// The options of a queue, as the configuration of an application stores them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueOptions {
    pub(crate) buckets: Buckets,
    pub(crate) buckets_per_tablet: NonZeroU32,
    pub(crate) buffer_bytes: usize,
    default_buffer_bytes: usize,
}

impl QueueOptions {
    pub(crate) fn new(default_buffer_bytes: usize) -> Self {
        Self {
            buckets: Buckets::DEFAULT,
            buckets_per_tablet: BUCKETS_PER_TABLET,
            buffer_bytes: default_buffer_bytes,
            default_buffer_bytes,
        }
    }

    /// Returns the settings under a prefix such as `recipes.cfm.wc.`. A default is not stored,
    /// apart from the number of buckets.
    pub(crate) fn to_settings(&self, prefix: &str) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        let mut set = |name: &str, value: String| settings.insert(format!("{prefix}{name}"), value);
        set("buckets", self.buckets.count().to_string());
        if self.buckets_per_tablet != BUCKETS_PER_TABLET {
            set("bucketsPerTablet", self.buckets_per_tablet.to_string());
        }
        if self.buffer_bytes != self.default_buffer_bytes {
            set("bufferSize", self.buffer_bytes.to_string());
        }
        settings
    }

    /// Loads the options that [`to_settings`](Self::to_settings) has returned or a Java application
    /// has stored.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a missing or a wrong setting.
    pub(crate) fn load(&mut self, prefix: &str, settings: &BTreeMap<String, String>) -> Result<()> {
        let name = format!("{prefix}buckets");
        let buckets = number(&name, settings)?.ok_or_else(|| {
            Error::invalid(format!("the setting `{name}` is missing; set the number of buckets"))
        })?;
        self.buckets = Buckets::new(buckets)?;
        if let Some(per_tablet) = number(&format!("{prefix}bucketsPerTablet"), settings)? {
            self.buckets_per_tablet = per_tablet;
        }
        let bytes = number::<NonZeroUsize>(&format!("{prefix}bufferSize"), settings)?;
        if let Some(bytes) = bytes {
            self.buffer_bytes = bytes.get();
        }
        Ok(())
    }
}

/// Returns a number among the settings. `None` if it is not set.
pub(crate) fn number<N: FromStr>(
    name: &str,
    settings: &BTreeMap<String, String>,
) -> Result<Option<N>> {
    let Some(text) = settings.get(name) else {
        return Ok(None);
    };
    text.parse().map(Some).map_err(|_| {
        Error::invalid(format!("the setting `{name}` is `{text}`; set a positive number"))
    })
}
