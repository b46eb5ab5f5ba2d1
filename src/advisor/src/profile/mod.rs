//! The profile of a set of keys, built in one pass with bounded memory.
//!
//! | part | counted over | bound on memory |
//! |---|---|---|
//! | number, lengths, alphabets, common prefix, order | all keys | some kilobytes, and three keys |
//! | different keys | all keys | 56 MB while exact, then 16 KB |
//! | hot leading fields | all keys, within a stated bound | 4,096 fields of at most 256 bytes |
//! | sample | 65,536 keys, chosen uniformly | 64 MB of keys |
//!
//! The number of different keys is exact up to 1,048,576 of them, and then an estimate of a
//! HyperLogLog. Rank correlation, frequent prefixes and the heat map are computed from the sample.

mod alphabet;
mod builder;
mod distinct;
mod heat_map;
mod leading_fields;
mod lengths;
mod order;
mod prefixes;
mod sample;
mod text;
mod windows;

pub use self::alphabet::{Alphabet, AlphabetProfile, PositionAlphabet};
pub use self::builder::{KeyProfile, ProfileBuilder, ProfileOptions};
pub use self::distinct::Distinct;
pub use self::heat_map::HeatMap;
pub use self::leading_fields::{FieldCut, HotField, LeadingFields};
pub use self::lengths::LengthProfile;
pub use self::order::{Arrivals, OrderProfile};
pub use self::prefixes::{FrequentPrefix, PrefixProfile};
pub use self::sample::{KeySample, SampledKey};
pub use self::windows::WindowSpread;
