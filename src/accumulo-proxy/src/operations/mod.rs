//! Operations, in the groups of Accumulo's own client.

mod table;

pub use table::TableOperations;
