//! The reference implementation: applications in memory, as simple as the contract allows.

mod applications;
mod coordination;

pub use applications::MemoryApplications;
