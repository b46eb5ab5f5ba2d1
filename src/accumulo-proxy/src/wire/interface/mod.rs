//! The interface of the proxy: its calls, and the values in their arguments and results.
//!
//! ```text
//! calls/        the table of calls
//! call.rs       the rules of a call
//! data.rs       the enumerations and structures in arguments and results
//! structure.rs  the encoding of enumerations and structures, as macros
//! value.rs      the encoding of numbers, text and containers
//! ```
//!
//! The declarations contain the numbers and types of `idl/proxy.thrift`, and a test compares them.
//! Every field is optional, so that absent and empty are different. This module uses no other part
//! of the crate, because the tests include it to write a server.

mod call;
mod calls;
mod data;
mod structure;
mod value;

pub(crate) use call::{Call, Exception, Patience, Reply, Resend};
pub(crate) use calls::*;
pub(crate) use data::*;
#[cfg(test)]
pub(crate) use structure::Declared;
pub(crate) use value::WireValue;
