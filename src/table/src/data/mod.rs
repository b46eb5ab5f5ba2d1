//! The data of a table: bytes, columns, keys, cells, and the spans that denote parts of a table.
//!
//! All of it has one order, which [`Key`] defines.

mod column;
mod count;
mod escape;
mod key;
mod span;
mod timestamp;
mod transactor_id;
mod visibility;

pub mod property;

pub use bytes::Bytes;
pub use column::{Column, RowColumn};
pub use count::{Grouped, counted};
pub(crate) use escape::shown;
pub use escape::{Escaped, Excerpt, unescape};
pub use key::{Cell, Key, KeyRef, prefix_successor, row_successor};
pub use span::Span;
pub use timestamp::Timestamp;
pub use transactor_id::TransactorId;
pub use visibility::{Authorizations, can_see_column};
