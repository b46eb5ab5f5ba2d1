//! The options of a verification.

use fluo_table::Authorizations;

use super::max_skew::MaxSkew;
use super::row_counting::RowCounting;

/// The options of [`TableOptimizations::verify`](crate::TableOptimizations::verify).
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct VerifyOptions {
    pub(super) allow_extra_splits: bool,
    pub(super) rows: RowCounting,
    pub(super) authorizations: Authorizations,
    pub(super) max_skew: MaxSkew,
    pub(super) other_rows: OtherRows,
    pub(super) require_rows: bool,
}

impl VerifyOptions {
    /// Returns the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether split points that no recipe requests are accepted. Default: no.
    pub fn allow_extra_splits(mut self, allow: bool) -> Self {
        self.allow_extra_splits = allow;
        self
    }

    /// Sets the way to count rows. Default: by reading them, if the table has at most ten million
    /// entries.
    pub fn rows(mut self, rows: RowCounting) -> Self {
        self.rows = rows;
        self
    }

    /// Sets the authorizations of the counting scan. Rows all of whose cells need others are not
    /// counted. Default: none.
    pub fn authorizations(mut self, authorizations: Authorizations) -> Self {
        self.authorizations = authorizations;
        self
    }

    /// Sets the maximum load of the fullest tablet of a recipe, and of the fullest server, as a
    /// multiple of the mean. A limit above the number of servers accepts that one has everything.
    /// Default: 2.
    pub fn max_skew(mut self, max_skew: MaxSkew) -> Self {
        self.max_skew = max_skew;
        self
    }

    /// Sets whether rows that belong to no recipe are accepted. Default: no.
    pub fn other_rows(mut self, other_rows: OtherRows) -> Self {
        self.other_rows = other_rows;
        self
    }

    /// Sets whether the verdict fails without enough rows to prove that they are spread evenly: the
    /// table or a recipe has none, there are fewer than would show a tablet that is too full, or
    /// rows are not counted. Default: no.
    pub fn require_rows(mut self, require: bool) -> Self {
        self.require_rows = require;
        self
    }
}

/// The handling of rows that belong to no recipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherRows {
    /// Such rows are a difference.
    #[default]
    Refused,
    /// Such rows are accepted, unless a tablet holds too many of them.
    Allowed,
}
