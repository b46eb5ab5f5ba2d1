//! Key designs: the common ways to spread and order keys, behind one handle.
//!
//! # Parts of a design
//!
//! A stored key consists of two parts, one after the other:
//!
//! ```text
//!  salt + separator     from a part of the row, of fixed width; absent in designs without a salt
//!  encoded row          the row itself, written so that it sorts in the wanted order
//! ```
//!
//! The *salt* decides which tablet holds a row; the *encoding* decides the order of rows within one
//! salt. A [`KeyDesign`] combines one of each, built from the settings of a named design
//! ([`DesignSettings`]). Everything else follows from the two: the key of a row and back, the split
//! points, the scans that remain possible, the number of pieces of the table that they read, and
//! their order.
//!
//! # Rules
//!
//! - **K1, inverse.** [`decode_key`](KeyDesign::decode_key) of
//!   [`encode_row`](KeyDesign::encode_row) returns the row or, if the design normalizes rows, the
//!   normalized row.
//! - **K2, no misreading.** A key is decoded only if the design can have made it: a salt that can
//!   be computed is computed again and compared.
//! - **K3, ranges.** The spans that [`spans`](KeyDesign::spans) returns for a set of rows contain
//!   the key of a row if and only if the row, or the normalized row, is in the set. A set for which
//!   this is impossible is rejected with an error.
//! - **K4, order.** Within each of those spans, keys are ordered by their unsalted part, which is
//!   the order [`KeyDesign::order`]. So merging the spans by [`unsalted`](KeyDesign::unsalted)
//!   yields one sequence.
//! - **K5, fixed width.** All salts of a design have the same width, so no byte is escaped.
//!
//! # What it does not do
//!
//! It reads and writes no table, and it generates no random numbers: the caller supplies them to a
//! design with random salts.

mod design;
mod designs;
mod encoding;
mod escape;
mod hash_input;
mod location;
mod row_selection;
mod salt;
mod scan_cost;
#[cfg(test)]
mod tests;

pub use design::KeyDesign;
pub use designs::{
    Composite, CompositeRows, DesignSettings, DigestSalt, Field, FieldKind, FieldOrder,
    FieldSettings, HashedRows, Modulo, RandomSalt, ReverseTime, Reversed, ReversedUnit,
    RowAlphabet, RowLength, SaltSettings, TimeEncoding, TimePosition, Unsalted,
};
#[cfg(feature = "web-table")]
pub use designs::{DomainDirection, WebPart, WebTable};
pub use encoding::KeyField;
pub use hash_input::HashInput;
pub(crate) use row_selection::RowRange;
pub use row_selection::RowSelection;
pub use salt::{Digest, DigestSide, SaltedPart};
pub use scan_cost::{KeyOrder, ScanCost, Scans};
