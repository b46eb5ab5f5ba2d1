//! Applications: their creation, opening and removal.

mod application_handle;
mod binding;
mod class_path;
mod setup;
mod status;

pub use application_handle::{ApplicationHandle, InstanceExt};
pub use setup::is_set_up;
pub use status::{Status, applications_of};
