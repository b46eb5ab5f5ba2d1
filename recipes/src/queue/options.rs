//! The options that both queues have.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

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
    pub(crate) fn new(buckets: Buckets, default_buffer_bytes: usize) -> Self {
        Self {
            buckets,
            buckets_per_tablet: BUCKETS_PER_TABLET,
            buffer_bytes: default_buffer_bytes,
            default_buffer_bytes,
        }
    }

    /// Adds the settings under a prefix such as `recipes.cfm.wc.`. A default is not stored.
    pub(crate) fn store(&self, prefix: &str, settings: &mut BTreeMap<String, String>) {
        let mut set = |name: &str, value: String| settings.insert(format!("{prefix}{name}"), value);
        set("buckets", self.buckets.count().to_string());
        if self.buckets_per_tablet != BUCKETS_PER_TABLET {
            set("bucketsPerTablet", self.buckets_per_tablet.to_string());
        }
        if self.buffer_bytes != self.default_buffer_bytes {
            set("bufferSize", self.buffer_bytes.to_string());
        }
    }

    /// Loads the options that [`store`](Self::store) or a Java application has stored.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a missing or a wrong setting.
    pub(crate) fn load(
        prefix: &str,
        settings: &BTreeMap<String, String>,
        default_buffer_bytes: usize,
    ) -> Result<Self> {
        let name = format!("{prefix}buckets");
        let buckets = number::<u32>(&name, settings)?.ok_or_else(|| {
            Error::invalid(format!(
                "the setting `{name}` is missing; set the number of buckets"
            ))
        })?;
        let mut options = Self::new(Buckets::new(buckets)?, default_buffer_bytes);
        if let Some(per_tablet) = number(&format!("{prefix}bucketsPerTablet"), settings)? {
            options.buckets_per_tablet = per_tablet;
        }
        let name = format!("{prefix}bufferSize");
        if let Some(bytes) = number::<std::num::NonZeroUsize>(&name, settings)? {
            options.buffer_bytes = bytes.get();
        }
        Ok(options)
    }
}

/// Returns a number among the settings. `None` if it is not set.
pub(crate) fn number<N: std::str::FromStr>(
    name: &str,
    settings: &BTreeMap<String, String>,
) -> Result<Option<N>> {
    let Some(text) = settings.get(name) else {
        return Ok(None);
    };
    text.parse().map(Some).map_err(|_| {
        Error::invalid(format!(
            "the setting `{name}` is `{text}`; set a positive number"
        ))
    })
}
