//! The traits of columns: [`Column`](crate::Column) of bytes, and columns whose values have a type.
//!
//! [`Snapshot::get`](crate::Snapshot::get) and [`Transaction::set`](crate::Transaction::set) take
//! any of them. `TypedColumn` of the crate `fluo-recipes` has codecs for common types.

pub use crate::transaction::column::{ReadColumn, WriteColumn};
