//! Key designs with their settings, in TOML or as the argument `--design`.

mod argument;
mod catalog;
mod grammar;
mod source;

pub(crate) use self::argument::read_argument;
pub(crate) use self::catalog::{Described, described};
pub(crate) use self::grammar::{Name, read_design};
pub(crate) use self::source::Source;
