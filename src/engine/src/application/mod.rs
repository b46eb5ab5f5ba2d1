//! Applications: their creation, opening and removal.

mod application_handle;
mod initialize;
mod remove;
mod status;

pub use application_handle::{ApplicationHandle, InstanceExt};
pub use status::{Status, applications_of};
