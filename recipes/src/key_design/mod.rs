//! The ways in which people spread and order keys, behind one handle.
//!
//! # What a design is
//!
//! A key that is stored is made of two things, one after the other:
//!
//! ```text
//!  salt + separator     from a part of the row, of a fixed width; designs without a salt have neither
//!  form                 the row itself, written so that its order is the one that is wanted
//! ```
//!
//! The *salt* decides in which tablet a row lies; the *form* decides what follows what within one salt. A
//! [`KeyDesign`] is one of each, made by the settings of a named design ([`DesignSettings`]). All that a design can
//! do follows from its two halves: the key of a row and back, the split points, which scans remain possible and over
//! how many pieces of the table, and the order in which they come.
//!
//! # Rules
//!
//! - **K1, inverse.** [`remove`](KeyDesign::remove) of [`add`](KeyDesign::add) is the row, or, where a design
//!   normalises rows, the normalised row.
//! - **K2, no misreading.** A key is read back only if the design can have made it: a salt that can be computed is
//!   computed again and compared.
//! - **K3, ranges.** The spans that [`spans`](KeyDesign::spans) gives for a set of rows hold the key of a row if and
//!   only if the row, or the normalised row, is in the set. A set for which that cannot be done is refused with a
//!   sentence.
//! - **K4, order.** Within each of those spans keys have the order of their unsalted part, which is
//!   [`KeyDesign::order`]; so merging the spans by [`unsalted`](KeyDesign::unsalted) gives one sequence.
//! - **K5, fixed width.** All salts of a design have one width, so that nothing is escaped.
//!
//! # What it does not do
//!
//! It reads and writes no table, and draws no random numbers: a design with random salts is given their source.

mod design;
mod designs;
mod error;
mod explain;
mod form;
mod part;
mod reach;
mod rows;
mod salt;
mod salted;
mod shape;
mod shown;
mod spans;
#[cfg(test)]
mod tests;

pub use design::KeyDesign;
pub use designs::{
    CompositeRows, DesignSettings, DigestSalt, HashedRows, Modulo, RandomSalt, ReverseTime,
    Reversed, SaltSettings, Unsalted, WebTable,
};
pub use error::{DesignError, DesignErrorKind};
pub use explain::KeyField;
pub(crate) use form::is_web_address;
pub use form::{
    Composite, DomainText, Field, FieldKind, FieldOrder, FieldSettings, ReversedUnit, RowAlphabet,
    RowLength, TimeEncoding, TimePlace, WebPart,
};
pub use part::SaltedPart;
pub use reach::{KeyOrder, Reach, Scans};
pub use rows::Rows;
pub(crate) use salt::MOST_BUCKETS;
pub use salt::{Digest, DigestEnd, ModuloOf};
pub(crate) use spans::MOST_PIECES;
