//! Conversion between the public types and the types of the wire, all in this module.
//!
//! Every public value converts to the wire. A value from the wire fails to convert if a required
//! field is absent or if a number is not a value of its enumeration. The error is a sentence that
//! becomes the reason of an [`ErrorKind::Protocol`](crate::ErrorKind::Protocol).

mod enumerations;
mod options;
mod structures;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use crate::data::{Bytes, IteratorScope};
use crate::wire::interface as wire;

/// The reason why a value from the wire has no meaning.
pub(crate) type Meaningless = String;

/// A value that converts to its form on the wire.
pub(crate) trait ToWire {
    /// The form on the wire.
    type Wire;

    /// Converts the value.
    fn to_wire(&self) -> Self::Wire;
}

/// A value that is created from its form `W` on the wire.
pub(crate) trait FromWire<W>: Sized {
    /// Converts the value.
    fn from_wire(wire: W) -> Result<Self, Meaningless>;
}

/// Converts many values to their form on the wire.
pub(crate) fn all_to_wire<T: ToWire>(values: &[T]) -> Vec<T::Wire> {
    values.iter().map(ToWire::to_wire).collect()
}

/// Converts byte strings to a set on the wire.
pub(crate) fn bytes_set<'a>(values: impl IntoIterator<Item = &'a Bytes>) -> BTreeSet<Vec<u8>> {
    values.into_iter().map(|value| value.to_vec()).collect()
}

/// Returns a required value, or an error if it is absent.
pub(crate) fn present<T>(value: Option<T>, name: &str) -> Result<T, Meaningless> {
    value.ok_or_else(|| format!("the reply lacks `{name}`"))
}

/// Implements conversions of values that have the same form on the wire.
macro_rules! same {
    ($($type:ty),*) => {
        $(
            impl ToWire for $type {
                type Wire = Self;

                fn to_wire(&self) -> Self {
                    self.clone()
                }
            }

            impl FromWire<$type> for $type {
                fn from_wire(wire: Self) -> Result<Self, Meaningless> {
                    Ok(wire)
                }
            }
        )*
    };
}

same!((), bool, i32, String);

impl ToWire for str {
    type Wire = String;

    fn to_wire(&self) -> String {
        self.to_owned()
    }
}

/// An absent row is the edge of the table.
impl ToWire for Option<&[u8]> {
    type Wire = Option<Vec<u8>>;

    fn to_wire(&self) -> Option<Vec<u8>> {
        self.map(<[u8]>::to_vec)
    }
}

/// A maximum. Without one, and above the greatest that the wire can express, all are meant.
impl ToWire for Option<usize> {
    type Wire = i32;

    fn to_wire(&self) -> i32 {
        self.map_or(i32::MAX, |most| i32::try_from(most).unwrap_or(i32::MAX))
    }
}

impl ToWire for Option<NonZeroUsize> {
    type Wire = i32;

    fn to_wire(&self) -> i32 {
        self.map(NonZeroUsize::get).to_wire()
    }
}

impl ToWire for [IteratorScope] {
    type Wire = BTreeSet<wire::IteratorScope>;

    fn to_wire(&self) -> BTreeSet<wire::IteratorScope> {
        self.iter().map(ToWire::to_wire).collect()
    }
}

impl<V: Clone> ToWire for BTreeMap<String, V> {
    type Wire = Self;

    fn to_wire(&self) -> Self {
        self.clone()
    }
}

impl FromWire<Vec<u8>> for Bytes {
    fn from_wire(bytes: Vec<u8>) -> Result<Self, Meaningless> {
        Ok(bytes.into())
    }
}

impl<W, T: FromWire<W>> FromWire<Option<W>> for Option<T> {
    fn from_wire(wire: Option<W>) -> Result<Self, Meaningless> {
        wire.map(T::from_wire).transpose()
    }
}

impl<W, T: FromWire<W>> FromWire<Vec<W>> for Vec<T> {
    fn from_wire(values: Vec<W>) -> Result<Self, Meaningless> {
        values.into_iter().map(T::from_wire).collect()
    }
}

impl<W, T: FromWire<W> + Ord> FromWire<Vec<W>> for BTreeSet<T> {
    fn from_wire(values: Vec<W>) -> Result<Self, Meaningless> {
        values.into_iter().map(T::from_wire).collect()
    }
}

impl<W, T: FromWire<W> + Ord> FromWire<BTreeSet<W>> for BTreeSet<T> {
    fn from_wire(values: BTreeSet<W>) -> Result<Self, Meaningless> {
        values.into_iter().map(T::from_wire).collect()
    }
}

impl<K: Ord, W, T: FromWire<W>> FromWire<BTreeMap<K, W>> for BTreeMap<K, T> {
    fn from_wire(entries: BTreeMap<K, W>) -> Result<Self, Meaningless> {
        let entries = entries.into_iter();
        entries.map(|(key, value)| Ok((key, T::from_wire(value)?))).collect()
    }
}
