//! Recipes on a big sorted table: rows spread evenly over its tablets, and the proof.
//!
//! A recipe is configuration and a key prefix. It never commits, retries, sleeps or reads a clock, and what it asks
//! of its table is data. The first is the [`RowHasher`]. It is one of the [`KeyDesign`]s, the ways in which people
//! spread and order keys. What a design asks for, split points and a group, is brought to a live table by [`plan()`],
//! [`apply()`] and [`verify()`], which need nothing but the ports of `fluo-core`; rows that it scattered are read in
//! their order by a [`SaltedScan`], and moved to another design through [`Epochs`].
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
//! | which ways are there to write keys, and what is still possible then? | [`KeyDesign`], [`DesignSettings`], [`KeyDesign::scans`] |
//! | which of them is right for my keys? | [`AdvisorReport`](advisor::AdvisorReport), made of a sample by a [`ProfileBuilder`](advisor::ProfileBuilder) |
//! | how do I scan rows that a salt has scattered? | [`SaltedScan`] |
//! | how do I change the salt of a table that is in use? | [`Epochs`] |
//! | what are the bytes of a hashed row? | [`RowHasher::add`], and the page of its file, `row_hasher/key.rs` |
//! | which split points does a design ask for? | [`RowHasher::splits`], [`KeyDesign::splits`] |
//! | how do I say what a recipe of my own asks for? | [`Contribution::builder`] |
//! | what does `apply` do, and in which order? | [`apply()`], [`Plan::steps`] |
//! | what does `verify` look at? | [`Verdict`] |

pub mod advisor;
mod epochs;
mod heavy_hitters;
mod java_quote;
mod key_design;
mod number;
mod optimization;
mod row_hasher;
mod salted_scan;

pub use epochs::{
    EpochCounts, EpochScan, Epochs, EpochsError, MigrateSettings, MigrationCursor,
    MigrationCursorError, MigrationStep,
};
pub use java_quote::java_quote;
pub use key_design::{
    Composite, CompositeRows, DesignError, DesignErrorKind, DesignSettings, Digest, DigestEnd,
    DigestSalt, DomainText, Field, FieldKind, FieldOrder, FieldSettings, HashedRows, KeyDesign,
    KeyField, KeyOrder, Modulo, ModuloOf, RandomSalt, Reach, ReverseTime, Reversed, ReversedUnit,
    RowAlphabet, RowLength, Rows, SaltSettings, SaltedPart, Scans, TimeEncoding, TimePlace,
    Unsalted, WebPart, WebTable,
};
pub use optimization::{
    Applied, ApplyError, ApplyEvent, CellsOfRecipe, CellsVerdict, Contribution,
    ContributionBuilder, ContributionError, EvennessOf, FoundBalancer, FullestTablet,
    GroupForecast, GroupVerdict, HotPart, Leftover, Load, LoadStanding, MaxSkew, MaxSkewError,
    OtherRows, OtherRowsVerdict, OverlapError, Plan, PlanOptions, PropertyVerdict, RowCounting,
    RowsVerdict, ServerLoad, SplitsVerdict, Step, StraySplit, TableOptimizations, TabletLoad,
    TabletRun, Unproved, UnrequestedProperty, UnseenVerdict, Verdict, VerifyOptions, apply, groups,
    plan, verify,
};
pub use row_hasher::{
    EmptyPrefix, Excerpt, HashScheme, KeyError, KeyParts, RowHasher, RowHasherBuilder,
    SplitFormula, SplitsError, UnknownScheme,
};
pub use salted_scan::{
    CursorError, ForeignKeys, RowBatch, SaltedRow, SaltedRows, SaltedScan, SaltedScanError,
    ScanCursor, ScanPlan,
};
