//! The state of the applications in the directory: their nodes, timestamps and dead letters in the
//! file, and the open applications in memory.

mod application;
mod check;
pub(crate) mod dead_letters;
pub(crate) mod nodes;

pub(crate) use application::{EmbeddedApplication, Registry, Stamps};
pub(crate) use check::check;
