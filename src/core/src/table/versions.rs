//! How many versions of a column a table shows.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// How many versions of a column a table shows and, once compacted, keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Versions {
    /// All of them: what transactions need.
    All,
    /// The newest ones; counts above [`MOST`](Self::MOST) mean that.
    Latest(NonZeroU32),
}

impl Default for Versions {
    /// The newest one, as a new Accumulo table has it.
    fn default() -> Self {
        Self::Latest(NonZeroU32::MIN)
    }
}

const SCOPES: [&str; 3] = ["minc", "majc", "scan"];
const ITERATOR: &str = "20,org.apache.accumulo.core.iterators.user.VersioningIterator";

impl Versions {
    /// The highest count that the iterator on a server reads: the largest signed 32-bit number.
    pub const MOST: u32 = i32::MAX.cast_unsigned();

    /// The table properties that say it: those which Accumulo sets for its versioning iterator, so that a
    /// table reads alike on both.
    pub fn to_properties(self) -> BTreeMap<String, String> {
        let Self::Latest(count) = self else {
            return BTreeMap::new();
        };
        let count = count.get().min(Self::MOST);
        let of_scope = |scope: &str| {
            let name = format!("table.iterator.{scope}.vers");
            let option = format!("{name}.opt.maxVersions");
            [(name, ITERATOR.to_owned()), (option, count.to_string())]
        };
        SCOPES.iter().flat_map(|scope| of_scope(scope)).collect()
    }

    /// How many versions a scan shows, by the properties of a table.
    ///
    /// An iterator whose count is missing or is not a positive number shows one, which is its default.
    pub fn shown(properties: &BTreeMap<String, String>) -> Self {
        Self::of_scope("scan", properties)
    }

    /// How many versions a compaction keeps: what the properties say of compactions, and never fewer than a scan
    /// shows.
    pub fn kept(properties: &BTreeMap<String, String>) -> Self {
        match (Self::of_scope("majc", properties), Self::shown(properties)) {
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
        Self::Latest(
            count
                .and_then(|count| count.parse().ok())
                .unwrap_or(NonZeroU32::MIN),
        )
    }

    /// Whether a version is shown that has `newer` visible versions before it.
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
    fn properties_say_the_same_as_the_value() {
        for versions in [
            Versions::All,
            Versions::default(),
            latest(7),
            latest(Versions::MOST),
        ] {
            let properties = versions.to_properties();
            assert_eq!(Versions::shown(&properties), versions);
            assert_eq!(Versions::kept(&properties), versions);
        }
        assert_eq!(
            Versions::shown(&latest(u32::MAX).to_properties()),
            latest(Versions::MOST)
        );
    }

    #[test]
    fn a_compaction_keeps_what_its_own_scope_says_and_no_less_than_is_shown() {
        let scopes = |scan: Option<u32>, majc: Option<u32>| {
            let mut properties = BTreeMap::new();
            for (scope, count) in [("scan", scan), ("majc", majc)] {
                if let Some(count) = count {
                    properties.insert(format!("table.iterator.{scope}.vers"), ITERATOR.to_owned());
                    let option = format!("table.iterator.{scope}.vers.opt.maxVersions");
                    properties.insert(option, count.to_string());
                }
            }
            Versions::kept(&properties)
        };
        assert_eq!(scopes(Some(1), None), Versions::All);
        assert_eq!(scopes(None, Some(1)), Versions::All);
        assert_eq!(scopes(Some(1), Some(3)), latest(3));
        assert_eq!(scopes(Some(3), Some(1)), latest(3));
    }
}
