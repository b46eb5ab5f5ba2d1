//! Recipes on Fluo: so far [`RowHasher`], which spreads rows evenly over a pre-split table.

mod java_quote;
mod optimization;
mod row_hasher;

pub use java_quote::java_quote;
pub use optimization::{
    Applied, ApplyError, ApplyEvent, Contribution, GroupForecast, GroupVerdict, Leftover,
    OverlapError, Plan, PlanOptions, PropertyVerdict, RowCounting, RowsVerdict, SplitsVerdict,
    Step, TableOptimizations, TabletRun, Verdict, VerifyOptions, apply, plan, verify,
};
pub use row_hasher::{
    EmptyPrefix, Excerpt, HashScheme, KeyError, KeyParts, RowHasher, RowHasherBuilder,
    SplitFormula, SplitsError, UnknownScheme,
};
