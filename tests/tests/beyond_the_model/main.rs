//! Tests of tables and clients that the simulation does not model: columns that a server compacted
//! in part, clients with different authorizations, clients that may not write, and applications of
//! earlier versions.
#![cfg(test)]

mod collecting;
mod damaged_entries;
mod entries;
mod gated;
mod labels;
mod openings;
mod parts_of_a_column;
mod reading_only;
mod void_read_locks;
