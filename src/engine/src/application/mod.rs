//! Applications: their creation, opening and removal.

mod application_handle;
mod application_table;
mod binding;
mod initialize;
mod remove;
mod status;

pub use application_handle::{ApplicationHandle, InstanceExt};
pub use application_table::is_set_up;
pub use status::{Status, applications_of};
