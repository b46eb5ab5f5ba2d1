//! Applications: their creation, opening and removal.

pub mod admin;
mod application_handle;
mod instance_ext;

pub use application_handle::ApplicationHandle;
pub use instance_ext::InstanceExt;
