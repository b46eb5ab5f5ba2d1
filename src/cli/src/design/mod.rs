//! The key designs, by name, with their settings.

mod argument;
mod known;
mod reading;

pub(crate) use self::argument::read_argument;
pub(crate) use self::known::{KNOWN, Known, ROW_HASHER, Setting};
pub(crate) use self::reading::{DESIGN, read_design};
