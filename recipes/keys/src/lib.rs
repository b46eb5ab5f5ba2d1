//! Keys of a big sorted table: rows spread evenly over its tablets, and a check that they are.
//!
//! The first recipe is the [`RowHasher`]. It is one of the [`KeyDesign`]s, the common ways to
//! spread and order keys. [`TableOptimizations`] bring the split points and the group of a design
//! to a live table, and verify them. A [`SaltedScan`] reads scattered rows in row order, a
//! [`BulkLoad`] writes many, and a [`KeyMigration`] changes the salt of a table that is in use.
//! Nothing here uses a transaction: the ports of `fluo-table` are enough.
//!
//! ```
//! use fluo_keys::RowHasher;
//!
//! let hasher = RowHasher::new("p")?;
//! assert_eq!(hasher.add(b"org.wikipedia/accumulo"), "p:1yl0:org.wikipedia/accumulo");
//! assert_eq!(hasher.splits(3)?, ["p:c000", "p:o000", "p:~"]);
//! # Ok::<(), fluo_keys::RecipeError>(())
//! ```
//!
//! # Overview
//!
//! - [`KeyDesign`] and [`DesignSettings`] are the ways to write keys; [`KeyDesign::scans`] returns
//!   the scans that a design allows.
//! - [`RowHasher::add`] and the module page of `row_hasher/key.rs` describe the bytes of a hashed
//!   row.
//! - [`RowHasher::splits`] and [`KeyDesign::splits`] return the split points of a design.
//! - [`TableRequirement::builder`] declares the requirements of your own recipe on its table.
//! - [`Plan::apply`] and [`Plan::steps`] describe the changes of a plan and their order.
//! - [`ChiSquare`] tests whether rows are as even as chance makes them.
//! - [`Verdict`] lists everything that [`TableOptimizations::verify`] checks.
//!
//! # Features
//!
//! - `application`: a row hasher is a recipe of an application.
//! - `web-table`: the design of the same name, which pins `url`, `idna` and `psl`.

#[cfg(feature = "application")]
pub mod application;

mod bulk_load;
mod cells;
mod chi_square;
mod cursor;
mod error;
mod java_quote;
mod key_design;
mod key_migration;
#[doc(hidden)]
pub mod number;
mod optimization;
mod row_hasher;
mod salted_scan;

pub use bulk_load::{
    BulkLoad, BulkLoadCause, BulkLoadError, BulkLoadReport, ExistingRow, ExistingRows, RepeatedKeys,
};
pub use chi_square::ChiSquare;
pub use cursor::{MigrationCursor, ScanCursor};
pub use error::{RecipeError, RecipeErrorKind};
pub use java_quote::java_quote;
pub use key_design::{
    Composite, CompositeRows, DesignSettings, Digest, DigestSalt, DigestSide, Field, FieldKind,
    FieldOrder, FieldSettings, HashInput, HashedRows, KeyDesign, KeyField, KeyOrder, Modulo,
    RandomSalt, ReverseTime, Reversed, ReversedUnit, RowAlphabet, RowLength, RowSelection,
    SaltSettings, SaltedPart, ScanCost, Scans, TimeEncoding, TimePosition, Unsalted,
};
#[cfg(feature = "web-table")]
pub use key_design::{DomainDirection, WebPart, WebTable};
pub use key_migration::{KeyMigration, MigrationOptions, MigrationProgress, MigrationStep};
pub use optimization::{
    Applied, ApplyError, ApplyEvent, Applying, Difference, GroupForecast, GroupVerdict, Load,
    LoadStanding, MaxSkew, Place, Plan, Planning, PropertyVerdict, RollbackReport, RowCounting,
    RowsVerdict, Step, TableOptimizations, TableRequirement, TableRequirementBuilder, TabletRun,
    Unproved, Verdict, VerifyOptions, Verifying, WaitEvent, Waiting, groups,
};
pub use row_hasher::{HashScheme, RowHasher};
pub use salted_scan::{RowBatch, SaltedRow, SaltedRows, SaltedScan, ScanPlan, UnknownKeys};
