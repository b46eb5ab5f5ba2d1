//! Keys on tables: ordered scans of salted rows, rows of several designs in one table, and plans
//! that are interrupted.

#![cfg(test)]

mod apply_interrupted;
mod epochs;
mod salted_scan;
