//! The balancer and its properties.

use std::collections::BTreeMap;

use serde::Serialize;

/// A property, as it is wanted and as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyVerdict {
    /// Its name.
    pub name: String,
    /// The value that it should have.
    pub expected: String,
    /// The value that it has, if any.
    pub found: Option<String>,
}

pub(super) fn compare(
    wanted: Vec<(&'static str, String)>,
    found: &BTreeMap<String, String>,
) -> Vec<PropertyVerdict> {
    let verdict = |(name, expected): (&str, String)| PropertyVerdict {
        name: name.to_owned(),
        expected,
        found: found.get(name).cloned(),
    };
    wanted.into_iter().map(verdict).collect()
}

impl PropertyVerdict {
    /// Whether the property is as wanted.
    pub fn is_as_expected(&self) -> bool {
        self.found.as_ref() == Some(&self.expected)
    }

    pub(super) fn difference(&self) -> Option<String> {
        let Self {
            name,
            expected,
            found,
        } = self;
        match found {
            Some(found) if found == expected => None,
            Some(found) => Some(format!(
                "property {name} is `{found}`, it should be `{expected}`"
            )),
            None => Some(format!(
                "property {name} is not set, it should be `{expected}`"
            )),
        }
    }
}
