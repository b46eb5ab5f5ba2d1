//! The table of calls, by group. `declare!` explains its form.
//!
//! Four calls of the proxy are not in the table: `createWriter`, `update`, `flush` and
//! `closeWriter`. `update` has no reply, so a writer of the proxy loses writes without an error.

mod client;
mod handles;
mod instance;
mod namespaces;
mod tables;
mod users;

pub(crate) use client::*;
pub(crate) use handles::*;
pub(crate) use instance::*;
pub(crate) use namespaces::*;
pub(crate) use tables::*;
pub(crate) use users::*;

use super::{call, data, structure, value};

/// The calls of a group.
#[cfg(test)]
pub(crate) struct Group {
    /// The heading of the group in the documentation.
    pub(crate) title: &'static str,
    /// The type with the methods of the group.
    pub(crate) owner: &'static str,
    pub(crate) calls: &'static [Declaration],
}

/// The declaration of a call.
#[cfg(test)]
pub(crate) struct Declaration {
    pub(crate) name: &'static str,
    pub(crate) request: structure::Declared,
    pub(crate) reply: structure::Declared,
    pub(crate) resend: call::Resend,
    pub(crate) patience: call::Patience,
    /// The public method that makes the call.
    pub(crate) method: &'static str,
}

/// All calls of the table.
#[cfg(test)]
pub(crate) const GROUPS: [Group; 6] = [
    client::GROUP,
    tables::GROUP,
    namespaces::GROUP,
    users::GROUP,
    instance::GROUP,
    handles::GROUP,
];
