//! The data of a table: bytes, columns, keys, cells, and the spans that denote parts of a table.
//!
//! All of it has one order, which [`Key`] defines.

mod cell;
mod column;
mod counted;
mod escape;
mod excerpt;
mod grouped;
mod key;
mod prefix;
mod row_column;
mod span;
mod timestamp;
mod transactor_id;
mod visibility;

pub mod property;

pub use bytes::Bytes;
pub use cell::Cell;
pub use column::Column;
pub use counted::counted;
pub use escape::{EscapeError, Escaped, unescape};
pub use excerpt::Excerpt;
pub use grouped::Grouped;
pub use key::{Key, KeyRef};
pub use prefix::{prefix_successor, row_successor};
pub use row_column::RowColumn;
pub use span::Span;
pub use timestamp::Timestamp;
pub use transactor_id::TransactorId;
pub use visibility::{Authorizations, Visibility, VisibilityError};
