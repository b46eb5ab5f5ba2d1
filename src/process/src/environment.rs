//! Variables of the environment.

use std::env;
use std::ffi::OsString;

use fluo_table::{Error, Result};

/// Returns the value of a variable, unless it is unset or empty.
pub(crate) fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the value of a variable, unless it is unset or empty.
///
/// # Errors
///
/// [`Invalid`](fluo_table::ErrorKind::Invalid) if it is not UTF-8 text. The error does not contain
/// the value, which may be a password.
pub(crate) fn text(name: &str) -> Result<Option<String>> {
    let text = set(name).map(OsString::into_string).transpose();
    text.map_err(|_| Error::invalid(format!("the value of {name} is not UTF-8 text")))
}
