//! How many versions of a column a table shows.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// How many versions of a column a table shows and, once compacted, keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Versions {
    /// All of them: what transactions need.
    All,
    /// The newest ones.
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
    /// The table properties that say it: those which Accumulo sets for its versioning iterator, so that a
    /// table reads alike on both.
    pub fn to_properties(self) -> BTreeMap<String, String> {
        let Self::Latest(count) = self else {
            return BTreeMap::new();
        };
        let of_scope = |scope: &str| {
            let name = format!("table.iterator.{scope}.vers");
            let option = format!("{name}.opt.maxVersions");
            [(name, ITERATOR.to_owned()), (option, count.to_string())]
        };
        SCOPES.iter().flat_map(|scope| of_scope(scope)).collect()
    }

    /// Reads what [`to_properties`](Self::to_properties) says of scans. An iterator whose count is missing or
    /// is not a positive number shows one version, which is that iterator's default.
    pub fn from_properties(properties: &BTreeMap<String, String>) -> Self {
        if !properties.contains_key("table.iterator.scan.vers") {
            return Self::All;
        }
        let count = properties.get("table.iterator.scan.vers.opt.maxVersions");
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

    #[test]
    fn properties_say_the_same_as_the_value() {
        for versions in [
            Versions::All,
            Versions::default(),
            Versions::Latest(NonZeroU32::new(7).unwrap()),
        ] {
            assert_eq!(
                Versions::from_properties(&versions.to_properties()),
                versions
            );
        }
    }
}
