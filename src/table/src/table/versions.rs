//! The number of versions of a column that a table shows.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// The number of versions of a column that a table shows and keeps after a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Versions {
    /// All versions, as transactions need.
    All,
    /// The newest versions; a count above [`MAX`](Self::MAX) means `MAX`.
    Latest(NonZeroU32),
}

impl Default for Versions {
    /// Returns one version, as in a new Accumulo table.
    fn default() -> Self {
        Self::Latest(NonZeroU32::MIN)
    }
}

const SCOPES: [&str; 3] = ["minc", "majc", "scan"];
const ITERATOR: &str = "20,org.apache.accumulo.core.iterators.user.VersioningIterator";

impl Versions {
    /// The highest count that the iterator on a server can read: the largest signed 32-bit number.
    pub const MAX: u32 = i32::MAX.cast_unsigned();

    /// Returns the table properties of this value. They are those of Accumulo's versioning
    /// iterator, so a table shows the same versions on all implementations.
    pub fn to_properties(self) -> BTreeMap<String, String> {
        let Self::Latest(count) = self else {
            return BTreeMap::new();
        };
        let count = count.get().min(Self::MAX);
        let of_scope = |scope: &str| {
            let name = format!("table.iterator.{scope}.vers");
            let option = format!("{name}.opt.maxVersions");
            [(name, ITERATOR.to_owned()), (option, count.to_string())]
        };
        SCOPES.iter().flat_map(|scope| of_scope(scope)).collect()
    }

    /// Returns the number of versions that a scan shows, according to the properties of a table.
    ///
    /// An iterator whose count is missing or is not a positive number shows one version, its
    /// default.
    pub fn for_scan(properties: &BTreeMap<String, String>) -> Self {
        Self::of_scope("scan", properties)
    }

    /// Returns the number of versions that a compaction keeps: the number in the properties for
    /// compactions, but never fewer than a scan shows.
    pub fn for_compaction(properties: &BTreeMap<String, String>) -> Self {
        match (Self::of_scope("majc", properties), Self::for_scan(properties)) {
            (Self::Latest(kept), Self::Latest(shown)) => Self::Latest(kept.max(shown)),
            _ => Self::All,
        }
    }

    fn of_scope(scope: &str, properties: &BTreeMap<String, String>) -> Self {
        let name = format!("table.iterator.{scope}.vers");
        if !properties.contains_key(&name) {
            return Self::All;
        }
        let count = properties.get(&format!("{name}.opt.maxVersions"));
        Self::Latest(count.and_then(|count| count.parse().ok()).unwrap_or(NonZeroU32::MIN))
    }

    /// Checks whether a version is shown that has `newer` visible versions before it.
    pub fn shows(self, newer: u32) -> bool {
        match self {
            Self::All => true,
            Self::Latest(count) => newer < count.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latest(count: u32) -> Versions {
        Versions::Latest(NonZeroU32::new(count).unwrap())
    }

    #[test]
    fn survives_a_round_trip_through_properties() {
        for versions in [Versions::All, Versions::default(), latest(7), latest(Versions::MAX)] {
            let properties = versions.to_properties();
            assert_eq!(Versions::for_scan(&properties), versions);
            assert_eq!(Versions::for_compaction(&properties), versions);
        }
        assert_eq!(Versions::for_scan(&latest(u32::MAX).to_properties()), latest(Versions::MAX));
    }

    #[test]
    fn a_compaction_keeps_its_own_count_and_no_less_than_a_scan_shows() {
        let scopes = |scan: Option<u32>, majc: Option<u32>| {
            let mut properties = BTreeMap::new();
            for (scope, count) in [("scan", scan), ("majc", majc)] {
                if let Some(count) = count {
                    properties.insert(format!("table.iterator.{scope}.vers"), ITERATOR.to_owned());
                    let option = format!("table.iterator.{scope}.vers.opt.maxVersions");
                    properties.insert(option, count.to_string());
                }
            }
            Versions::for_compaction(&properties)
        };
        assert_eq!(scopes(Some(1), None), Versions::All);
        assert_eq!(scopes(None, Some(1)), Versions::All);
        assert_eq!(scopes(Some(1), Some(3)), latest(3));
        assert_eq!(scopes(Some(3), Some(1)), latest(3));
    }
}
