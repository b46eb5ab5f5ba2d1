//! The design of keys, from arguments or a spec.

mod arguments;
mod draw;
mod expected;
mod given;
mod known;
pub(crate) mod settings;
mod values;

pub(crate) use self::arguments::DesignArguments;
pub(crate) use self::known::{KNOWN, Known};
