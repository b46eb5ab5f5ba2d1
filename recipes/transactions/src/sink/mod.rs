//! Receivers of exports.
//!
//! A [`TableSink`] writes exports as mutations of a table, each exactly once if the transactions
//! that export one key conflict with each other
//! ([contract](crate::export_queue#contract)). Without that, it drops an export that commits late.
//!
//! # Layout
//!
//! Beside the cells of a mutation, its row gets one cell for each key whose exports write to the
//! row: the family `fluoRecipes`, the qualifier `seq:`, the id of the queue, `:` and the bytes of
//! the key. Its value is the sequence of the last export, in decimal digits. All cells have the
//! sequence of their export as timestamp, as those of
//! `org.apache.fluo.recipes.accumulo.export.function.AccumuloExporter`.
//!
//! The sink never deletes these cells. A row keeps one for each key that has ever written to it,
//! even after all other cells of the row are deleted.
//!
//! # Queues that are created again
//!
//! An application that is removed and created again starts with small timestamps again. The cells
//! in the table still have the large sequences, so the sink would ignore the new exports. Give the
//! queue another id then, or write to a new table.

mod planned_export;
mod table_sink;
mod targets;

pub use table_sink::TableSink;
