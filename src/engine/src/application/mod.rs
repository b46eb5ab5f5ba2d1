//! Applications: their creation, opening and removal.

mod application_handle;
mod binding;
mod initialize;
mod remove;
mod status;

pub use application_handle::{ApplicationHandle, InstanceExt};
pub use initialize::is_set_up;
pub use status::{Status, applications_of};
