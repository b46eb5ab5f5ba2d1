//! Applications: their creation, opening and removal.

mod application_handle;
mod initialize;
mod instance_ext;
mod remove;
mod status;

pub use application_handle::ApplicationHandle;
pub use instance_ext::InstanceExt;
pub use status::{Status, applications_of};
