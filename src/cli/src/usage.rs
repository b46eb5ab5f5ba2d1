//! The error of arguments that the parser accepts.

use std::error::Error;
use std::fmt;

/// Formats this error, for `bail!` and `ensure!`.
macro_rules! misuse {
    ($($text:tt)*) => { $crate::usage::Usage(format!($($text)*)) };
}

#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Usage {}
