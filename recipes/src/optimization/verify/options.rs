//! The options of a verification.

use fluo_table::Authorizations;

use super::max_skew::MaxSkew;
use super::row_counting::RowCounting;

/// The options of [`TableOptimizations::verify`](crate::TableOptimizations::verify) as one value,
/// to use them several times.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// `true` if split points that no recipe requests are accepted.
    pub allow_extra_splits: bool,
    /// The way to count rows.
    pub rows: RowCounting,
    /// The authorizations of the counting scan. Rows all of whose cells need other authorizations
    /// are not counted.
    pub authorizations: Authorizations,
    /// The maximum load of the fullest tablet of a recipe or a group, and of the fullest server, as
    /// a multiple of the mean; 2 unless set.
    pub max_skew: MaxSkew,
    /// The handling of rows that belong to no recipe; they are a difference unless set otherwise.
    pub other_rows: OtherRows,
    /// `true` if the verdict fails without enough rows to prove that they are spread evenly: the
    /// table or a recipe has none, there are fewer than would show a tablet that is too full, or
    /// rows are not counted.
    pub require_rows: bool,
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
