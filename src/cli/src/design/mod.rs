//! The design of keys, as arguments or a spec name it.

mod arguments;
mod draw;
mod expected;
mod given;
mod known;
pub(crate) mod settings;
mod values;

pub(crate) use self::arguments::DesignArguments;
pub(crate) use self::known::{KNOWN, Known};
