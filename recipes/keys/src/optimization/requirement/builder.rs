//! A builder of requirements, and the checks of their parts.

use fluo_table::balancer::GroupPattern;
use fluo_table::{Bytes, Escaped};

use super::TableRequirement;
use crate::error::RecipeError;
use crate::java_quote;
use crate::key_design::KeyDesign;

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

impl TableRequirementBuilder {
    pub(super) fn new(owner: String) -> Self {
        Self {
            requirement: TableRequirement {
                owner,
                prefix: Bytes::new(),
                splits: Vec::new(),
                group_regex: None,
                design: None,
                earlier: Vec::new(),
                shares: None,
                is_transient: false,
            },
            has_group: false,
        }
    }

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

    /// Sets the design of the keys, whose prefix must be that of the recipe. With a design,
    /// [`verify`](crate::TableOptimizations::verify) finds rows under the prefix that are not keys
    /// of it; without one, all rows under the prefix belong to the recipe.
    pub fn design(mut self, design: KeyDesign) -> Self {
        self.requirement.design = Some(design);
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
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{TableRequirement, TableOptimizations};
    ///
    /// let queue = TableRequirement::builder("the queue").prefix("queue:");
    /// let queue = queue.splits(["queue:1", "queue:2"]).transient().build()?;
    /// assert!(queue.is_transient());
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn transient(mut self) -> Self {
        self.requirement.is_transient = true;
        self
    }

    /// Checks the parts and returns the requirement.
    ///
    /// # Errors
    ///
    /// The owner is empty; the prefix is not that of the design; the split points are not ascending
    /// or do not begin with the prefix; the group cannot be parsed or does not contain all split
    /// points; or there is not one share for each tablet.
    pub fn build(mut self) -> Result<TableRequirement, RecipeError> {
        if !self.has_group && !self.requirement.prefix.is_empty() {
            let prefix = std::str::from_utf8(&self.requirement.prefix);
            self.requirement.group_regex = prefix.ok().map(java_quote);
        }
        self.requirement.check()?;
        Ok(self.requirement)
    }
}

impl TableRequirement {
    /// Checks that the parts fit together.
    pub(super) fn check(&self) -> Result<(), RecipeError> {
        if self.owner.is_empty() {
            return Err(RecipeError::settings(
                "the name of the recipe is empty; give the name that messages show",
            ));
        }
        self.check_prefix()
            .and_then(|()| self.check_splits())
            .and_then(|()| self.check_group())
            .and_then(|()| self.check_shares())
            .map_err(|what| RecipeError::settings(format!("{}: {what}", self.owner)))
    }

    fn check_prefix(&self) -> Result<(), String> {
        let Some(design) = &self.design else {
            return Ok(());
        };
        let (name, common) = (design.name(), design.prefix());
        if common == self.prefix {
            return Ok(());
        }
        let given = Escaped(&self.prefix);
        if common.is_empty() {
            return Err(format!(
                "its prefix is `{given}`, but keys of its design {name} can begin with any bytes; leave out the prefix, \
                 and use no other recipe in the table"
            ));
        }
        let common = Escaped(&common);
        Err(format!(
            "its prefix is `{given}`, but every key of its design {name} begins with `{common}`; use that as the prefix"
        ))
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
        let mut pairs = self.splits.iter().zip(self.splits.iter().skip(1));
        match pairs.find(|(one, next)| one >= next) {
            None => Ok(()),
            Some((one, next)) => Err(format!(
                "its split points are not ascending: `{}` comes after `{}`",
                Escaped(next),
                Escaped(one)
            )),
        }
    }

    fn check_group(&self) -> Result<(), String> {
        let Some(regex) = &self.group_regex else {
            return Ok(());
        };
        let pattern = GroupPattern::parse(&format!("({regex}).*"))
            .map_err(|error| format!("its group cannot be determined: {error}"))?;
        let outside = |split: &&Bytes| pattern.group_of(Some(split)).is_none();
        match self.splits.iter().find(outside) {
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
            return Err(format!(
                "shares: {given}, split points: {splits}; give one share for each split point, and one for the rows \
                 after the last unless there are none"
            ));
        }
        if shares.iter().all(|share| *share == 0) {
            return Err("all its shares are 0: give the weight of each tablet".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_design::Modulo;
    use crate::row_hasher::RowHasher;

    fn refused(builder: TableRequirementBuilder) -> String {
        builder.build().unwrap_err().to_string()
    }

    fn queue() -> TableRequirementBuilder {
        TableRequirement::builder("queue").prefix("q:")
    }

    #[test]
    fn rejects_parts_that_do_not_fit() {
        assert_eq!(
            refused(TableRequirement::builder("")),
            "the name of the recipe is empty; give the name that messages show"
        );
        assert_eq!(
            refused(queue().splits(["q:a", "p"])),
            "queue: its split point `p` does not begin with `q:`, as all its rows do"
        );
        assert_eq!(
            refused(TableRequirement::builder("all").splits([""])),
            "all: the empty row cannot be a split point: no row comes before it"
        );
        assert_eq!(
            refused(queue().splits(["q:a", "q:a"])),
            "queue: its split points are not ascending: `q:a` comes after `q:a`"
        );
        assert_eq!(
            refused(queue().splits(["q:a"]).group_regex("x")),
            "queue: its group `x` does not contain the tablet that ends at its split point `q:a`"
        );
        assert!(
            refused(queue().group_regex("(q)"))
                .starts_with("queue: its group cannot be determined: ")
        );
        for shares in [vec![], vec![1, 1, 1]] {
            assert_eq!(
                refused(queue().splits(["q:a"]).shares(shares.clone())),
                format!(
                    "queue: shares: {}, split points: 1; give one share for each split point, and one for the rows \
                     after the last unless there are none",
                    shares.len()
                )
            );
        }
        assert_eq!(
            refused(queue().splits(["q:a"]).shares([0, 0])),
            "queue: all its shares are 0: give the weight of each tablet"
        );
    }

    #[test]
    fn rejects_a_prefix_that_is_not_that_of_the_design() {
        let modulo = KeyDesign::new(Modulo::default()).unwrap();
        let hasher = KeyDesign::from(&RowHasher::new("p").unwrap());
        assert_eq!(
            refused(queue().splits(["q:5"]).design(modulo.clone())),
            "queue: its prefix is `q:`, but keys of its design modulo can begin with any bytes; leave out the prefix, \
             and use no other recipe in the table"
        );
        let other = TableRequirement::builder("links");
        for (builder, prefix) in [
            (other.clone().prefix("other:"), "other:"),
            (other.clone(), ""),
        ] {
            assert_eq!(
                refused(builder.design(hasher.clone())),
                format!(
                    "links: its prefix is `{prefix}`, but every key of its design row-hasher begins with `p:`; use that \
                     as the prefix"
                )
            );
        }
        other.clone().prefix("p:").design(hasher).build().unwrap();
        other.design(modulo).build().unwrap();
    }

    #[test]
    fn a_textual_prefix_is_the_default_group() {
        let group = |prefix: &'static [u8]| {
            let built = TableRequirement::builder("r")
                .prefix(prefix)
                .build()
                .unwrap();
            built.group_regex().map(str::to_owned)
        };
        assert_eq!(group(b"q:").as_deref(), Some(r"\Qq:\E"));
        assert_eq!(group(b""), None);
        assert_eq!(group(b"\xff"), None);
        let own = queue().splits(["q:1", "q:2"]).group_regex("q:[0-9]");
        assert_eq!(own.build().unwrap().group_regex(), Some("q:[0-9]"));
    }

    #[test]
    fn the_number_of_shares_decides_whether_rows_follow_the_last_split_point() {
        let with = |shares: &[u64]| {
            let built = queue().splits(["q:1", "q:2"]).shares(shares.to_vec());
            let built = built.build().unwrap();
            (built.ends_with_its_splits(), built.last_end_row().unwrap())
        };
        assert_eq!(with(&[1, 1]), (true, "q:2".into()));
        assert_eq!(with(&[1, 1, 1]), (false, "q;".into()));
    }
}
