//! Table requirements: the split points and the group that one recipe requests.

use std::ops::RangeInclusive;

use fluo_table::balancer::{GroupPattern, PatternError};
use fluo_table::{Bytes, Escaped, Grouped, Tablets, Versions, prefix_successor};

use crate::error::RecipeError;
use crate::java_quote;
use crate::key_design::KeyDesign;
use crate::key_migration::KeyMigration;

/// The request of one recipe to its table: its split points and, if its rows have a common prefix,
/// its group. The [builder](TableRequirementBuilder) describes the parts.
#[derive(Clone, Debug)]
pub struct TableRequirement {
    /// The recipe and its configuration, as shown in messages.
    pub(crate) owner: String,
    pub(super) prefix: Bytes,
    pub(super) splits: Vec<Bytes>,
    pub(super) group_regex: Option<String>,
    /// The design of its keys, after earlier ones in which some rows may still be written. A row
    /// under the prefix that is a key of none of them is a foreign row.
    pub(super) designs: Option<KeyMigration>,
    pub(crate) shares: Option<Vec<u64>>,
    pub(super) is_transient: bool,
}

/// A builder of a [`TableRequirement`]. [`build`](TableRequirementBuilder::build) checks all parts.
///
/// # Examples
///
/// ```
/// use fluo_keys::{TableRequirement, TableOptimizations};
///
/// // A queue whose rows begin with `queue:` and a digit.
/// let queue = TableRequirement::builder("the queue")
///     .prefix("queue:")
///     .splits((1..=3).map(|digit| format!("queue:{digit}")))
///     .build()?;
/// let optimizations = TableOptimizations::from(queue);
/// assert_eq!(optimizations.group_pattern().as_deref(), Some(r"(\Qqueue:\E).*"));
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct TableRequirementBuilder {
    requirement: TableRequirement,
    has_group: bool,
}

impl TableRequirement {
    /// Creates the requirement of a key design whose rows are spread over a number of tablets.
    ///
    /// # Errors
    ///
    /// The design cannot split into this number of tablets, or its rows have no alphabet that could
    /// be split evenly; for such designs use [given split points](Self::for_key_design_at).
    pub fn for_key_design(design: &KeyDesign, tablets: u32) -> Result<Self, RecipeError> {
        let (splits, shares) = design.split(tablets)?;
        Ok(Self { splits, shares, ..Self::of_design(design) })
    }

    /// Creates the requirement of a key design with given split points, possibly none. It has no
    /// expected shares of the tablets.
    ///
    /// # Errors
    ///
    /// Split points that are not ascending, or that cannot be between keys of the design.
    pub fn for_key_design_at(
        design: &KeyDesign,
        splits: impl IntoIterator<Item = Bytes>,
    ) -> Result<Self, RecipeError> {
        let requirement = Self { splits: splits.into_iter().collect(), ..Self::of_design(design) };
        requirement.check()?;
        Ok(requirement)
    }

    /// Adds earlier designs, in which some rows may be written until
    /// [`KeyMigration`] has moved them. Such rows are counted apart from rows of no design.
    ///
    /// # Errors
    ///
    /// As [`KeyMigration::new`].
    pub fn after(
        mut self,
        earlier: impl IntoIterator<Item = KeyDesign>,
    ) -> Result<Self, RecipeError> {
        let mut designs: Vec<_> = earlier.into_iter().collect();
        if let Some(own) = self.designs.as_ref().filter(|_| !designs.is_empty()) {
            designs.extend(own.designs().cloned());
            self.designs = Some(KeyMigration::new(designs, Versions::All)?);
        }
        Ok(self)
    }

    /// Returns a builder, for recipes outside of this crate.
    pub fn builder(owner: impl Into<String>) -> TableRequirementBuilder {
        let requirement = Self {
            owner: owner.into(),
            prefix: Bytes::new(),
            splits: Vec::new(),
            group_regex: None,
            designs: None,
            shares: None,
            is_transient: false,
        };
        TableRequirementBuilder { requirement, has_group: false }
    }

    fn of_design(design: &KeyDesign) -> Self {
        let owner = match design.row_hasher() {
            Some(hasher) => format!("row hasher `{}`", hasher.prefix()),
            None => format!("key design {}", design.name()),
        };
        Self {
            prefix: design.prefix(),
            group_regex: design.group_regex(),
            designs: Some(KeyMigration::of_one(design)),
            ..Self::builder(owner).requirement
        }
    }

    /// Returns the split points, ascending.
    pub fn splits(&self) -> &[Bytes] {
        &self.splits
    }

    pub(super) fn pattern(&self) -> Result<Option<GroupPattern>, PatternError> {
        let regex = self.group_regex.as_ref();
        regex.map(|regex| GroupPattern::parse(&format!("({regex}).*"))).transpose()
    }

    pub(crate) fn design(&self) -> Option<&KeyDesign> {
        self.designs.as_ref()?.designs().last()
    }

    /// Returns the beginnings of its rows, those of earlier designs included.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = Bytes> {
        let earlier = self.designs.iter().flat_map(KeyMigration::designs).map(KeyDesign::prefix);
        earlier.chain([self.prefix.clone()])
    }

    pub(super) fn planned_tablets(&self) -> usize {
        self.shares.as_ref().map_or(self.splits.len() + 1, Vec::len)
    }

    /// Returns an end row whose tablet is the last one with rows of the recipe. `None` if its rows
    /// extend to the end of the table.
    pub(super) fn last_end_row(&self) -> Option<Bytes> {
        match self.splits.last() {
            // There is no share of rows after the last split point.
            Some(last) if self.planned_tablets() == self.splits.len() => Some(last.clone()),
            _ => prefix_successor(&self.prefix),
        }
    }

    /// Returns the tablets that can hold rows of the recipe, as indices into the tablets of the
    /// table.
    pub(super) fn tablets_in(&self, tablets: &Tablets) -> RangeInclusive<usize> {
        let first = tablets.index_of(&self.prefix);
        let last = match self.last_end_row() {
            Some(end_row) => tablets.index_of(&end_row).max(first),
            None => tablets.as_slice().len().saturating_sub(1),
        };
        first..=last
    }

    fn check(&self) -> Result<(), RecipeError> {
        if self.owner.is_empty() {
            return Err(RecipeError::settings(
                "the name of the recipe is empty; give the name that messages show",
            ));
        }
        self.check_splits()
            .and_then(|()| self.check_group())
            .and_then(|()| self.check_shares())
            .map_err(|what| RecipeError::settings(format!("{}: {what}", self.owner)))
    }

    fn check_splits(&self) -> Result<(), String> {
        let prefix = &self.prefix;
        if let Some(wrong) = self.splits.iter().find(|split| !split.starts_with(prefix)) {
            let (wrong, prefix) = (Escaped(wrong), Escaped(prefix));
            return Err(format!(
                "its split point `{wrong}` does not begin with `{prefix}`, as all its rows do"
            ));
        }
        if self.splits.iter().any(Bytes::is_empty) {
            return Err("the empty row cannot be a split point: no row comes before it".to_owned());
        }
        match self.splits.windows(2).find(|pair| !pair.is_sorted_by(|one, next| one < next)) {
            Some([one, next]) => Err(format!(
                "its split points are not ascending: `{}` comes after `{}`",
                Escaped(next),
                Escaped(one)
            )),
            _ => Ok(()),
        }
    }

    fn check_group(&self) -> Result<(), String> {
        let pattern = self.pattern();
        let pattern =
            pattern.map_err(|error| format!("its group cannot be determined: {error}"))?;
        let (Some(pattern), Some(regex)) = (pattern, &self.group_regex) else {
            return Ok(());
        };
        let mut groups = pattern.groups_of(self.splits.iter().map(|split| Some(&**split)));
        match groups.position(|group| group.is_none()).and_then(|index| self.splits.get(index)) {
            None => Ok(()),
            Some(split) => Err(format!(
                "its group `{regex}` does not contain the tablet that ends at its split point `{}`",
                Escaped(split)
            )),
        }
    }

    fn check_shares(&self) -> Result<(), String> {
        let Some(shares) = &self.shares else {
            return Ok(());
        };
        let (splits, given) = (self.splits.len(), shares.len());
        if given == 0 || (given != splits && given != splits + 1) {
            let (given, splits) = (Grouped::new(given), Grouped::new(splits));
            return Err(format!(
                "shares: {given}, split points: {splits}; give one share for each tablet"
            ));
        }
        if shares.iter().all(|share| *share == 0) {
            return Err("all its shares are 0: give the weight of each tablet".to_owned());
        }
        Ok(())
    }
}

impl TableRequirementBuilder {
    /// Sets the common prefix of all rows of the recipe; empty unless set. A recipe without a
    /// prefix must be the only one of its table.
    pub fn prefix(mut self, prefix: impl Into<Bytes>) -> Self {
        self.requirement.prefix = prefix.into();
        self
    }

    /// Sets the split points, ascending; each begins with the prefix. Empty unless set.
    pub fn splits<R: Into<Bytes>>(mut self, splits: impl IntoIterator<Item = R>) -> Self {
        self.requirement.splits = splits.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the part of the balancer's pattern that matches the tablets of the recipe by their end
    /// rows. It contains no capturing group. The quoted prefix unless set.
    pub fn group_regex(mut self, regex: impl Into<String>) -> Self {
        self.requirement.group_regex = Some(regex.into());
        self.has_group = true;
        self
    }

    /// Leaves the tablets of the recipe without a group of their own.
    pub fn without_group(mut self) -> Self {
        self.requirement.group_regex = None;
        self.has_group = true;
        self
    }

    /// Sets the expected share of the rows in each tablet, as a weight: one for each split point,
    /// and one for the rows after the last unless there are none.
    /// [`verify`](crate::TableOptimizations::verify) compares counts with the shares.
    pub fn shares(mut self, shares: impl IntoIterator<Item = u64>) -> Self {
        self.requirement.shares = Some(shares.into_iter().collect());
        self
    }

    /// Declares that the rows of the recipe come and go, as those of a queue. So the loads of its
    /// tablets at one time are no property of its keys:
    /// [`verify`](crate::TableOptimizations::verify) returns them, and compares neither them nor
    /// the loads of the servers with these rows.
    pub fn transient(mut self) -> Self {
        self.requirement.is_transient = true;
        self
    }

    /// Checks the parts and returns the requirement.
    ///
    /// # Errors
    ///
    /// The owner is empty; the split points are not ascending or do not begin with the prefix; the
    /// group cannot be parsed or does not contain all split points; or there is not one share for
    /// each tablet.
    pub fn build(mut self) -> Result<TableRequirement, RecipeError> {
        if !self.has_group && !self.requirement.prefix.is_empty() {
            let prefix = std::str::from_utf8(&self.requirement.prefix);
            self.requirement.group_regex = prefix.ok().map(java_quote);
        }
        self.requirement.check()?;
        Ok(self.requirement)
    }
}

#[cfg(test)]
mod tests;
