//! The effect of a design on the keys: the sample is written as the design writes it, and counted
//! by tablet.

mod candidates;
mod load;
mod scans;
mod splits;
mod written;

pub use self::candidates::Candidate;
pub(crate) use self::candidates::MAX_REJECTED;
pub(crate) use self::load::Crowd;
pub use self::load::LoadForecast;
pub use self::scans::ScanCosts;
pub(crate) use self::splits::Splits;
pub(crate) use self::written::Written;
