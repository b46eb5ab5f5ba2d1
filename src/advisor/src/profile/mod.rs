//! The profile of a set of keys, built in one pass with bounded memory.
//!
//! | part | counted over | bound on memory |
//! |---|---|---|
//! | number, lengths, alphabet, common prefix, order | all keys | 32 KB, and two keys |
//! | different keys | all keys | 18 MB |
//! | hot leading fields | all keys, within a stated bound | 4,096 fields of at most 256 bytes |
//! | sample | 65,536 keys, chosen uniformly | 64 MB of keys |
//!
//! The number of different keys is exact up to 1,048,576 of them, and then an estimate. Rank
//! correlation, the hottest row and the heat map are computed from the sample.

mod alphabet;
mod builder;
mod distinct;
mod heat_map;
mod heavy_hitters;
mod leading_fields;
mod lengths;
mod order;
mod random_start;
mod reservoir;
mod sample;
mod windows;

pub use self::alphabet::Alphabet;
pub use self::builder::{KeyProfile, ProfileBuilder};
pub use self::distinct::Distinct;
pub use self::heat_map::HeatMap;
pub use self::leading_fields::{FieldCut, HotField, LeadingFields};
pub use self::lengths::LengthProfile;
pub use self::order::{Arrivals, Direction, OrderProfile};
pub(crate) use self::random_start::starts_randomly;
pub use self::reservoir::Reservoir;
pub use self::sample::KeySample;
pub(crate) use self::sample::SampledKey;
pub(crate) use self::windows::WindowSpread;
