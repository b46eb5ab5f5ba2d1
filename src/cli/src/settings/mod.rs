//! Settings in TOML, from a file or an argument: every error names its place.

mod section;
mod source;

pub(crate) use self::section::{Section, one_of};
pub(crate) use self::source::Source;
