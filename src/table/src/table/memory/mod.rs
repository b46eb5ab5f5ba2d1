//! The reference implementation: tables in memory, as simple as the contract allows.
//!
//! The other implementations are compared with it, and tests that need no durability use it.

mod admin;
mod store;
mod table;

pub use admin::MemoryTables;
