//! Rows spread evenly over a pre-split table.
//!
//! # Why
//!
//! Rows that are written together often sort together, so one tablet server does all the work. A
//! [`RowHasher`] puts a short hash of the row before it: `cat` becomes `p:r2g7:cat`. The table is
//! split evenly in the space of the hashes, so rows fall evenly on its tablets from the first row
//! on.
//!
//! # Rules
//!
//! - The key is a function of the prefix, the scheme and the row; the hasher stores nothing.
//! - A key is decoded only if the hasher can have made it. The hash is computed again and compared,
//!   so a row of another prefix or another [`HashScheme`] is rejected, not misread.
//! - With the default scheme, keys and splits are those of Apache Fluo, byte for byte. The splits
//!   have one exception, for large numbers of tablets: see [`RowHasher::splits`].
//!
//! # What it does not do
//!
//! It is not an index: a scan over rows in their own order is no longer one range of the table. It
//! does not hide the row, and it does not spread the columns of one large row.

mod digits;
mod hasher;
mod key;
mod scheme;
mod splits;
#[cfg(test)]
mod tests;

pub use hasher::RowHasher;
pub use scheme::HashScheme;
