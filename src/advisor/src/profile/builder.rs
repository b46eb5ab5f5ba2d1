//! A profile of keys, and its builder.

use fluo_table::Bytes;
use serde::Serialize;

use super::alphabet::{Alphabet, ByteSet};
use super::distinct::{Distinct, DistinctKeys};
use super::heat_map::HeatMap;
use super::leading_fields::{HotField, LeadingFieldCounter, LeadingFields, escaped};
use super::lengths::{LengthProfile, Lengths};
use super::order::{Arrivals, Order, OrderProfile};
use super::sample::{KeySample, KeySampler};
use fluo_keys::number::count;

/// The properties of a set of keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KeyProfile {
    /// The number of keys.
    pub keys: u64,
    /// The number of bytes of all keys together.
    pub bytes: u64,
    /// The lengths of the keys.
    pub lengths: LengthProfile,
    /// The number of keys that end with a carriage return.
    pub ending_in_return: u64,
    /// The bytes that the keys consist of.
    pub alphabet: Alphabet,
    /// The bytes with which all keys begin.
    #[serde(serialize_with = "escaped")]
    pub common_prefix: Bytes,
    /// The relation of the order of arrival to the order of the keys.
    pub order: OrderProfile,
    /// The leading fields that many keys share.
    pub leading_fields: LeadingFields,
    /// The number of different keys.
    pub distinct: Distinct,
    /// The most frequent row of the sample, if it is in more than one key.
    pub hottest_row: Option<HotField>,
    /// The keys by their arrival and by their place in the table. It is not serialized: it has
    /// ten thousand numbers for a picture.
    #[serde(skip)]
    pub heat_map: HeatMap,
    /// A uniform sample of the keys.
    pub sample: KeySample,
}

/// Returns the most frequent row of a sample, if several keys repeat it.
fn hottest_row(sample: &KeySample) -> Option<HotField> {
    let equal = sample.keys.chunk_by(|a, b| a.key == b.key);
    let most = equal.max_by_key(|equal| equal.len())?;
    let first = most.first().filter(|_| most.len() > 1)?;
    Some(HotField::new(first.key.clone(), count(most.len()), sample.len))
}

/// Builds a [`KeyProfile`] from keys in their order of arrival.
#[derive(Debug, Default)]
pub struct ProfileBuilder {
    arrivals: Arrivals,
    lengths: Lengths,
    ending_in_return: u64,
    bytes: ByteSet,
    common: Option<Vec<u8>>,
    order: Order,
    fields: LeadingFieldCounter,
    distinct: DistinctKeys,
    sampler: KeySampler,
}

impl ProfileBuilder {
    /// Creates a builder without keys, which will be in an order of this meaning.
    #[must_use]
    pub fn new(arrivals: Arrivals) -> Self {
        Self { arrivals, ..Self::default() }
    }

    /// Adds the next key.
    pub fn push(&mut self, key: &[u8]) {
        let arrival = self.lengths.keys;
        self.lengths.push(key);
        self.ending_in_return += u64::from(key.ends_with(b"\r"));
        self.bytes.push(key);
        match &mut self.common {
            Some(common) => {
                let equal = common.iter().zip(key).take_while(|(a, b)| a == b);
                common.truncate(equal.count());
            }
            none => *none = Some(key.to_vec()),
        }
        self.order.push(key);
        self.fields.push(key);
        self.distinct.push(key);
        self.sampler.push(arrival, key);
    }

    /// Returns the number of keys so far.
    pub fn keys(&self) -> u64 {
        self.lengths.keys
    }

    /// Returns the profile of the keys so far.
    #[must_use]
    pub fn finish(self) -> KeyProfile {
        let keys = self.lengths.keys;
        let sample = self.sampler.finish();
        KeyProfile {
            keys,
            bytes: self.lengths.bytes,
            ending_in_return: self.ending_in_return,
            alphabet: self.bytes.alphabet(),
            lengths: self.lengths.finish(),
            common_prefix: self.common.unwrap_or_default().into(),
            order: self.order.finish(self.arrivals, &sample.keys),
            leading_fields: self.fields.finish(keys),
            distinct: self.distinct.finish(),
            hottest_row: hottest_row(&sample),
            heat_map: HeatMap::new(&sample.keys, keys),
            sample,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_of_no_keys_is_empty() {
        let profile = ProfileBuilder::default().finish();
        assert_eq!(profile.keys, 0);
        assert!(profile.sample.is_complete && profile.sample.keys.is_empty());
        assert_eq!(profile.leading_fields, LeadingFields::default());
    }

    #[test]
    fn serializes_without_the_keys_of_the_sample() {
        let mut builder = ProfileBuilder::new(Arrivals::Unordered);
        for key in [b"a:\xff".as_slice(), b"a:\x00", b"b:<"] {
            builder.push(key);
        }
        let json = serde_json::to_value(builder.finish()).unwrap();
        assert_eq!(json["leading_fields"]["hot"][0]["field"], "a");
        assert_eq!(json["order"]["arrivals"], "unordered");
        let sample = serde_json::json!({"len": 3, "is_complete": true, "too_long": 0});
        assert_eq!(json["sample"], sample);
        assert!(json.get("heat_map").is_none() && json["hottest_row"].is_null());
    }
}
