//! The design of keys, as arguments or a spec name it.

mod arguments;
mod draw;
mod given;
pub(crate) mod settings;
mod values;

pub(crate) use self::arguments::DesignArguments;
