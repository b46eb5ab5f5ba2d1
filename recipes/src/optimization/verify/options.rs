//! The options of a verification.

use fluo_core::Authorizations;

use super::max_skew::MaxSkew;
use super::row_counting::RowCounting;

/// The options of [`TableOptimizations::verify`](crate::TableOptimizations::verify) as one value,
/// to use them several times.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// Whether split points that no recipe asked for pass.
    pub allow_extra_splits: bool,
    /// How rows are counted.
    pub rows: RowCounting,
    /// What the counting scan may see. Rows all of whose cells need other authorizations are not
    /// counted.
    pub authorizations: Authorizations,
    /// How many times the mean the fullest tablet of a recipe or a group, or the fullest server,
    /// may hold; 2 unless given.
    pub max_skew: MaxSkew,
    /// Whether rows that belong to no recipe pass. Refused unless given.
    pub other_rows: OtherRows,
    /// Whether the verdict fails if there are too few rows to prove that they lie evenly: none in
    /// the table or of a recipe, fewer than would show a tablet that is too full, or rows that are
    /// not counted.
    pub require_rows: bool,
}

/// Whether rows that belong to no recipe pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherRows {
    /// They are a difference.
    #[default]
    Refused,
    /// They pass, as long as no tablet holds too many of them.
    Allowed,
}
