//! Receivers of exports.
//!
//! A [`TableSink`] writes exports as mutations of a table, each exactly once.
//!
//! # Layout
//!
//! Beside the cells of a mutation, its row gets one cell for each key whose exports write to the
//! row: the family `fluoRecipes`, the qualifier `seq:`, the id of the queue, `:` and the bytes of
//! the key. Its value is the sequence of the last export, in decimal digits. All cells have the
//! sequence of their export as timestamp, as those of Fluo's `AccumuloExporter`.

mod table_sink;
mod targets;

pub use table_sink::TableSink;
