//! Recipes on a big sorted table: rows spread evenly over its tablets, and the proof.
//!
//! A recipe is configuration and a key prefix. It never commits, retries, sleeps or reads a clock, and what it asks
//! of its table is data. There is one so far, the [`RowHasher`]; what it asks for, split points and a group, is
//! brought to a live table by [`plan()`], [`apply()`] and [`verify()`], which need nothing but the ports of
//! `fluo-core`.
//!
//! ```
//! use fluo_core::{Authorizations, Column, MemoryTables, Mutation, TableAdmin, Versions};
//! use fluo_recipes::{PlanOptions, RowHasher, TableOptimizations, VerifyOptions, apply, plan, verify};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tables = MemoryTables::new();
//! tables.create_table("pages", Versions::default()).await?;
//!
//! // What the table should be like, made so.
//! let hasher = RowHasher::new("p")?;
//! let optimizations = TableOptimizations::of_row_hasher(&hasher, 20)?;
//! let plan = plan(&tables, "pages", &optimizations, PlanOptions::default()).await?;
//! apply(&tables, &plan, |_| ()).await?;
//!
//! // Rows go in through the hasher.
//! let pages = tables.open_table("pages", Authorizations::none()).await?;
//! let key = hasher.add(b"org.wikipedia/accumulo");
//! assert_eq!(key, "p:1yl0:org.wikipedia/accumulo");
//! pages.write(vec![Mutation::new(key).put(Column::new("page", "uri"), "wikipedia.org/accumulo")]).await?;
//!
//! // And the proof.
//! let verdict = verify(&tables, "pages", &optimizations, &VerifyOptions::default(), |_| ()).await?;
//! assert!(verdict.ok, "{:?}", verdict.differences);
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look
//! | question | answer |
//! |---|---|
//! | what are the bytes of a hashed row? | [`RowHasher::add`], and the page of its file, `row_hasher/key.rs` |
//! | which split points does it ask for? | [`RowHasher::splits`] |
//! | what does `apply` do, and in which order? | [`apply()`], [`Plan::steps`] |
//! | what does `verify` look at? | [`Verdict`] |

mod java_quote;
mod key_design;
mod optimization;
mod row_hasher;

pub use java_quote::java_quote;
pub use key_design::{
    DesignError, DesignErrorKind, DesignSettings, Digest, DigestEnd, DigestSalt, HashedRows,
    KeyDesign, KeyField, KeyOrder, Modulo, ModuloOf, Reach, Rows, SaltedPart, Scans,
};
pub use optimization::{
    Applied, ApplyError, ApplyEvent, Contribution, FoundBalancer, GroupForecast, GroupVerdict,
    Leftover, OverlapError, Plan, PlanOptions, PropertyVerdict, RowCounting, RowsVerdict,
    SplitsVerdict, Step, StraySplit, TableOptimizations, TabletRun, Verdict, VerifyOptions, apply,
    groups, plan, verify,
};
pub use row_hasher::{
    EmptyPrefix, Excerpt, HashScheme, KeyError, KeyParts, RowHasher, RowHasherBuilder,
    SplitFormula, SplitsError, UnknownScheme,
};
