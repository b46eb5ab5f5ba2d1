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

mod advisor;
mod epochs;
mod java_quote;
mod key_design;
mod optimization;
mod row_hasher;
mod salted_scan;

pub use advisor::{
    Advice, AdviceSettings, AdvisedDesign, AdvisedSpec, AdvisorReport, Alphabet, AlphabetProfile,
    Arrivals, Candidate, ChiSquare, DesignForecast, DesignVerdict, Distinct, Estimate, Example,
    FieldCut, Finding, ForecastResult, FrequentPrefix, HeatMap, HotField, KeyProfile, KeySample,
    LeadingFields, LengthProfile, LoadForecast, OrderProfile, PositionAlphabet, PrefixProfile,
    ProfileBuilder, ProfileSettings, Read, SampledKey, ScanCost, ScanCosts, Standing, TabletAdvice,
    TailForecast, Weight,
};
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
    WebPart, WebTable,
};
pub use optimization::{
    Applied, ApplyError, ApplyEvent, Contribution, ContributionBuilder, ContributionError,
    EvennessOf, FoundBalancer, GroupForecast, GroupVerdict, Leftover, OverlapError, Plan,
    PlanOptions, PropertyVerdict, RowCounting, RowsVerdict, SplitsVerdict, Step, StraySplit,
    TableOptimizations, TabletRun, UnrequestedProperty, Verdict, VerifyOptions, apply, groups,
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
