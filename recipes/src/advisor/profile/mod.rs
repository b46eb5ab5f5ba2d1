//! What keys look like: one pass, memory that does not grow with their number.
//!
//! | part | counted over | bound on memory |
//! |---|---|---|
//! | number, bytes, lengths, alphabets, what all begin with, ascending neighbours, new maxima | all keys | a few kilobytes and three keys |
//! | different keys | all keys: exact up to 1,048,576 of them, then HyperLogLog | 56 MB while exact, then 16 KB |
//! | hot leading fields | all keys, within a bound that is told | 4,096 fields of at most 256 bytes |
//! | sample, and from it rank correlation, frequent prefixes, heat map | 65,536 keys chosen uniformly | 64 MB of keys |

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

pub use self::alphabet::{Alphabet, AlphabetProfile, PositionAlphabet};
pub use self::builder::{KeyProfile, ProfileBuilder, ProfileSettings};
pub use self::distinct::Distinct;
pub use self::heat_map::HeatMap;
pub use self::leading_fields::{FieldCut, HotField, LeadingFields};
pub use self::lengths::LengthProfile;
pub use self::order::{Arrivals, OrderProfile};
pub use self::prefixes::{FrequentPrefix, PrefixProfile};
pub use self::sample::{KeySample, SampledKey};
