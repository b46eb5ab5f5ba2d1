//! The state of the applications in the directory: their nodes, timestamps and dead letters in the
//! file, and the open applications in memory.

mod application;
mod check;
pub(crate) mod dead_letters;
mod locked;
pub(crate) mod nodes;
mod registry;
mod stamps;

pub(crate) use application::EmbeddedApplication;
pub(crate) use check::check;
pub(crate) use registry::Registry;
