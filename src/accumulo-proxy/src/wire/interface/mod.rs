//! The interface of the proxy: its calls, and the values in their arguments and results.
//!
//! ```text
//! calls/        the table of calls
//! call.rs       the rules of a call
//! data.rs       the numbers of the enumerations and structures in arguments and results
//! structure.rs  the encoding of enumerations and structures, as macros
//! value.rs      the encoding of numbers, text and containers
//! ```
//!
//! A test compares the declarations with the service in `tests/frames/proxy_1x.thrift`. This module
//! uses only `data` and `error` of the crate, because the tests include it to write a server.

mod call;
mod calls;
mod data;
mod structure;
mod value;

pub(crate) use call::{Call, Patience, Reply, Resend};
pub(crate) use calls::*;
pub(crate) use data::*;
#[cfg(test)]
pub(crate) use structure::{Fields, Structure};
pub(crate) use value::{Reader, WireValue};
