//! Locality groups: column families that are stored separately. Table properties hold them, in
//! Accumulo's format.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::{Bytes, Escaped, unescape};
use crate::error::{Error, Result};

const GROUP: &str = "table.group.";
const ENABLED: &str = "table.groups.enabled";

/// Named sets of column families that a table stores separately, so that a scan of one set does not
/// read the rest.
///
/// # Examples
///
/// ```
/// use fluo_table::LocalityGroups;
///
/// let groups = LocalityGroups::default().with("notify", ["ntfy"]);
/// let properties = groups.to_properties()?;
/// assert_eq!(properties["table.group.notify"], "ntfy");
/// assert_eq!(LocalityGroups::from_properties(&properties)?, groups);
/// # Ok::<(), fluo_table::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalityGroups(BTreeMap<String, BTreeSet<Bytes>>);

impl LocalityGroups {
    /// Adds a group.
    #[must_use]
    pub fn with<F: Into<Bytes>>(
        mut self,
        name: impl Into<String>,
        families: impl IntoIterator<Item = F>,
    ) -> Self {
        self.0.insert(name.into(), families.into_iter().map(Into::into).collect());
        self
    }

    /// Returns the groups by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BTreeSet<Bytes>)> {
        self.0.iter().map(|(name, families)| (name.as_str(), families))
    }

    /// Returns the table properties of these groups: one for each group, and the list of the
    /// enabled groups.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for a name that is empty or has characters other than
    /// letters, digits and `_`; for a family in two groups; for the empty family, which the
    /// properties cannot represent.
    pub fn to_properties(&self) -> Result<BTreeMap<String, String>> {
        self.check()?;
        let names: Vec<_> = self.0.keys().map(String::as_str).collect();
        let groups = self.0.iter().map(|(name, families)| {
            let families: Vec<_> = families.iter().map(|family| encode(family)).collect();
            (format!("{GROUP}{name}"), families.join(","))
        });
        Ok(groups.chain([(ENABLED.to_owned(), names.join(","))]).collect())
    }

    /// Reads the enabled groups from table properties.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for a property with a family that is not in
    /// Accumulo's encoding.
    pub fn from_properties(properties: &BTreeMap<String, String>) -> Result<Self> {
        let enabled = properties.get(ENABLED).map(String::as_str).unwrap_or_default();
        let mut groups = BTreeMap::new();
        for name in enabled.split(',').filter(|name| !name.is_empty()) {
            let families = properties.get(&format!("{GROUP}{name}"));
            let families = families.map(String::as_str).unwrap_or_default().split(',');
            let decoded = families.filter(|family| !family.is_empty()).map(|family| {
                decode(family).ok_or_else(|| {
                    let what = format!("`{family}` is not an encoded family");
                    Error::invalid(format!("locality group `{name}`: {what}"))
                })
            });
            groups.insert(name.to_owned(), decoded.collect::<Result<_>>()?);
        }
        Ok(Self(groups))
    }

    fn check(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        for (name, families) in &self.0 {
            let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if name.is_empty() || !is_word {
                let name = name.escape_default();
                return Err(Error::invalid(format!(
                    "`{name}` cannot name a locality group: a name has letters, digits and `_`"
                )));
            }
            if families.first().is_some_and(Bytes::is_empty) {
                return Err(Error::invalid(format!(
                    "locality group `{name}` has the empty family, which cannot be in a group"
                )));
            }
            if let Some(twice) = families.iter().find(|family| !seen.insert((*family).clone())) {
                let family = encode(twice);
                return Err(Error::invalid(format!(
                    "family `{family}` is in locality group `{name}` and in another; it can be in one only"
                )));
            }
        }
        Ok(())
    }
}

/// Encodes a family: printable ASCII unchanged, a backslash doubled, a comma and every other byte
/// as `\xNN`.
fn encode(family: &[u8]) -> String {
    Escaped(family).in_ascii_and(b",").to_string().replace(r"\x5c", r"\\")
}

fn decode(text: &str) -> Option<Bytes> {
    unescape(&text.replace(r"\\", r"\x5c")).ok().filter(|_| text.is_ascii())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_family_belongs_to_one_group() {
        let groups = LocalityGroups::default().with("a", ["x"]).with("b", ["x"]);
        assert_eq!(
            groups.to_properties().unwrap_err().to_string(),
            "family `x` is in locality group `b` and in another; it can be in one only"
        );
        let empty = LocalityGroups::default().with("a", ["", "x"]);
        assert_eq!(
            empty.to_properties().unwrap_err().to_string(),
            "locality group `a` has the empty family, which cannot be in a group"
        );
        let named = LocalityGroups::default().with("a b", ["x"]);
        assert!(
            named.to_properties().unwrap_err().to_string().contains("cannot name a locality group")
        );
    }

    proptest! {
        #[test]
        fn any_family_survives_the_properties(family in proptest::collection::vec(any::<u8>(), 1..9)) {
            let groups = LocalityGroups::default().with("g", [family, b"other".to_vec()]);
            let properties = groups.to_properties().unwrap();
            prop_assert_eq!(LocalityGroups::from_properties(&properties).unwrap(), groups);
        }
    }
}
