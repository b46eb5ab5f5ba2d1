//! The transient ranges of an application: [`TransientRanges`].

use std::collections::BTreeMap;

use super::TransientRange;
use super::transient_range::SETTING;
use fluo_engine::Error;

/// The transient ranges of an application, each with its own id, in the order of the ids.
///
/// # Examples
///
/// ```
/// use fluo_recipes::transient::{TransientRange, TransientRanges};
///
/// # fn main() -> fluo_engine::Result<()> {
/// let ranges = TransientRanges::from_iter([TransientRange::new("foo", "pr1:g", "pr1:q")?]);
/// let settings = ranges.to_settings();
/// assert_eq!(settings["recipes.transientRange.foo"], "7072313A67:7072313A71");
/// assert_eq!(TransientRanges::from_settings(&settings)?, ranges);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransientRanges {
    by_id: BTreeMap<String, TransientRange>,
}

impl TransientRanges {
    /// Creates an empty set of ranges.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the ranges from the settings of an application. Settings whose name does not begin
    /// with `recipes.transientRange.` are ignored.
    ///
    /// # Errors
    ///
    /// Those of [`TransientRange::from_setting`] for the first setting that is not a range.
    pub fn from_settings(settings: &BTreeMap<String, String>) -> Result<Self, Error> {
        settings
            .iter()
            .filter(|(name, _)| name.starts_with(SETTING))
            .map(|(name, value)| TransientRange::from_setting(name, value))
            .collect()
    }

    /// Returns the settings that store the ranges.
    #[must_use]
    pub fn to_settings(&self) -> BTreeMap<String, String> {
        self.iter().map(TransientRange::to_setting).collect()
    }

    /// Adds a range. It replaces a range of the same id.
    pub fn insert(&mut self, range: TransientRange) {
        self.by_id.insert(range.id().to_owned(), range);
    }

    /// Returns the range with this id, or `None` if there is none.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&TransientRange> {
        self.by_id.get(id)
    }

    /// Returns the ranges in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &TransientRange> {
        self.by_id.values()
    }

    /// Returns the number of ranges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Checks whether there are no ranges.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }
}

/// Collects ranges. Of several ranges with the same id the last one is kept.
impl FromIterator<TransientRange> for TransientRanges {
    fn from_iter<I: IntoIterator<Item = TransientRange>>(ranges: I) -> Self {
        let by_id = |range: TransientRange| (range.id().to_owned(), range);
        Self {
            by_id: ranges.into_iter().map(by_id).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(id: &str, after: &'static str, until: &'static str) -> TransientRange {
        TransientRange::new(id, after, until).unwrap()
    }

    #[test]
    fn reads_back_each_registered_range() {
        let mut ranges = TransientRanges::new();
        ranges.insert(range("foo", "pr1:g", "pr1:q"));
        let read = TransientRanges::from_settings(&ranges.to_settings()).unwrap();
        assert!(read.iter().eq([&range("foo", "pr1:g", "pr1:q")]));

        ranges.insert(range("bar", "pr2:j", "pr2:m"));
        let read = TransientRanges::from_settings(&ranges.to_settings()).unwrap();
        assert!(read.iter().eq([
            &range("bar", "pr2:j", "pr2:m"),
            &range("foo", "pr1:g", "pr1:q")
        ]));
    }

    #[test]
    fn a_range_replaces_another_one_of_its_id() {
        let (first, second) = (range("foo", "a", "b"), range("foo", "c", "d"));
        let mut ranges = TransientRanges::from_iter([first.clone()]);
        ranges.insert(second.clone());
        assert_eq!(ranges, TransientRanges::from_iter([first, second.clone()]));
        assert_eq!((ranges.len(), ranges.get("foo")), (1, Some(&second)));
    }

    #[test]
    fn ignores_the_settings_of_others_and_rejects_a_wrong_one() {
        let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut settings = BTreeMap::from([
            setting("recipes.rowHasher.p.numTablets", "3"),
            setting("recipes.transientRanges", "x"),
            setting("recipes.transientRange.foo", "61:62"),
        ]);
        let ranges = TransientRanges::from_settings(&settings).unwrap();
        assert_eq!(ranges, TransientRanges::from_iter([range("foo", "a", "b")]));

        settings.extend([setting("recipes.transientRange.zoo", "61")]);
        let error = TransientRanges::from_settings(&settings).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the setting `recipes.transientRange.zoo` has")
        );
    }
}
