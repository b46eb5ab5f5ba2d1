//! The memory limit for decoding a reply, and the check of its types.
//!
//! # Cost
//!
//! A structure that takes a byte on the wire takes hundreds in memory. Before the elements of a
//! container are read, the number of elements that it claims is therefore charged against a budget,
//! which grows with the frame that really arrived. Strings need no charge: a string that is longer
//! than the frame is rejected, and all strings together are not longer than the frame.
//!
//! A charge covers an element both in its form on the wire and in its public form, because for a
//! moment both exist.
//!
//! # Types
//!
//! A structure reads a field that it declares as the declared type, whatever type the wire
//! announces: it would use a number as the length of a string. This reader requires that every read
//! has the announced type. That also protects the budget: a list that is announced with small
//! elements and read with large ones fails at its first element.

use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier, TMessageIdentifier,
    TSetIdentifier, TStructIdentifier, TType,
};
use thrift::{ProtocolError, ProtocolErrorKind};

/// Charge for an element of a list that is a structure or a container, in bytes.
const STRUCT_BYTES: usize = 576;
/// Charge for any other element of a list, in bytes.
const PLAIN_BYTES: usize = 96;
/// Factor for elements of maps and sets: nodes of a tree are half full.
const TREE_FACTOR: usize = 2;
/// Minimum number of elements to charge for a map or set that is not empty, because its node has
/// space for that many.
const TREE_LEAST_ELEMENTS: usize = 6;
/// Bytes of budget for each byte of a frame. The most expensive valid reply, locality groups with
/// names of one letter, needs almost all of it.
const BUDGET_PER_FRAME_BYTE: usize = 512;

/// A protocol to read from, with a budget.
pub(crate) struct Budgeted<P> {
    inner: P,
    /// The remaining budget in bytes.
    left: usize,
    /// The values that are being read, the innermost last.
    open: Vec<Open>,
}

/// A partially read value with parts.
#[derive(Clone, Copy)]
enum Open {
    /// A structure, with the type of the announced field that is not read yet.
    Struct(Option<TType>),
    /// A list or set with elements of this type.
    Sequence(TType),
    /// A map, with the type of the next value and of the one after it.
    Map(TType, TType),
    /// A container without elements, and so without a type.
    Empty,
}

impl<P> Budgeted<P> {
    /// Creates a budget for a frame of `frame_bytes`. Together with the frame and its strings, it
    /// is at most `most_bytes`.
    pub(crate) fn new(inner: P, frame_bytes: usize, most_bytes: usize) -> Self {
        let frame_and_strings = frame_bytes.saturating_mul(2);
        let left = frame_bytes
            .saturating_mul(BUDGET_PER_FRAME_BYTE)
            .min(most_bytes.saturating_sub(frame_and_strings));
        Self { inner, left, open: Vec::new() }
    }

    fn charge(&mut self, elements: i32, cost: usize) -> thrift::Result<()> {
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(protocol_error(
                ProtocolErrorKind::SizeLimit,
                format!(
                    "a container claims {elements} elements, more than its frame can contain \
                     or this client accepts"
                ),
            )),
        }
    }

    /// Checks that a value of type `found`, which is about to be read, has the announced type.
    fn expect(&mut self, found: TType) -> thrift::Result<()> {
        let announced = match self.open.last_mut() {
            None => return Ok(()),
            Some(Open::Struct(field)) => field.take(),
            Some(Open::Sequence(element)) => Some(*element),
            Some(Open::Map(next, then)) => {
                std::mem::swap(next, then);
                Some(*then)
            }
            Some(Open::Empty) => None,
        };
        match announced {
            Some(announced) if announced == found => Ok(()),
            Some(announced) => Err(protocol_error(
                ProtocolErrorKind::InvalidData,
                format!("found type {announced}, expected type {found}"),
            )),
            None => Err(protocol_error(
                ProtocolErrorKind::InvalidData,
                format!("found no value, expected type {found}"),
            )),
        }
    }
}

fn protocol_error(kind: ProtocolErrorKind, message: String) -> thrift::Error {
    thrift::Error::Protocol(ProtocolError::new(kind, message))
}

fn list_cost(elements: i32, element: TType) -> usize {
    count(elements).saturating_mul(room(element))
}

fn tree_cost(elements: i32, types: &[TType]) -> usize {
    if elements == 0 {
        return 0;
    }
    let each: usize = types.iter().copied().map(room).sum();
    count(elements).max(TREE_LEAST_ELEMENTS).saturating_mul(each).saturating_mul(TREE_FACTOR)
}

/// Converts a number of elements. A negative one exceeds every budget.
fn count(elements: i32) -> usize {
    usize::try_from(elements).unwrap_or(usize::MAX)
}

fn room(kind: TType) -> usize {
    match kind {
        TType::Struct | TType::Map | TType::Set | TType::List => STRUCT_BYTES,
        _ => PLAIN_BYTES,
    }
}

/// Methods that only forward.
macro_rules! forward {
    ($($method:ident -> $result:ty;)*) => {
        $(fn $method(&mut self) -> thrift::Result<$result> {
            self.inner.$method()
        })*
    };
}

/// Methods that read a value of a type.
macro_rules! typed {
    ($($method:ident -> $result:ty, $kind:ident;)*) => {
        $(fn $method(&mut self) -> thrift::Result<$result> {
            self.expect(TType::$kind)?;
            self.inner.$method()
        })*
    };
}

/// Methods that end a value with parts.
macro_rules! ending {
    ($($method:ident;)*) => {
        $(fn $method(&mut self) -> thrift::Result<()> {
            self.open.pop();
            self.inner.$method()
        })*
    };
}

impl<P: TInputProtocol> TInputProtocol for Budgeted<P> {
    fn read_struct_begin(&mut self) -> thrift::Result<Option<TStructIdentifier>> {
        self.expect(TType::Struct)?;
        let identifier = self.inner.read_struct_begin()?;
        self.open.push(Open::Struct(None));
        Ok(identifier)
    }

    fn read_field_begin(&mut self) -> thrift::Result<TFieldIdentifier> {
        let field = self.inner.read_field_begin()?;
        if let Some(Open::Struct(announced)) = self.open.last_mut() {
            *announced = Some(field.field_type);
        }
        Ok(field)
    }

    fn read_list_begin(&mut self) -> thrift::Result<TListIdentifier> {
        self.expect(TType::List)?;
        let list = self.inner.read_list_begin()?;
        let cost = list_cost(list.size, list.element_type);
        self.charge(list.size, cost)?;
        self.open.push(Open::Sequence(list.element_type));
        Ok(list)
    }

    fn read_set_begin(&mut self) -> thrift::Result<TSetIdentifier> {
        self.expect(TType::Set)?;
        let set = self.inner.read_set_begin()?;
        self.charge(set.size, tree_cost(set.size, &[set.element_type]))?;
        self.open.push(Open::Sequence(set.element_type));
        Ok(set)
    }

    fn read_map_begin(&mut self) -> thrift::Result<TMapIdentifier> {
        self.expect(TType::Map)?;
        let map = self.inner.read_map_begin()?;
        let open = match (map.key_type, map.value_type) {
            (Some(key), Some(value)) => {
                self.charge(map.size, tree_cost(map.size, &[key, value]))?;
                Open::Map(key, value)
            }
            _ => Open::Empty,
        };
        self.open.push(open);
        Ok(map)
    }

    typed! {
        read_bool -> bool, Bool;
        read_bytes -> Vec<u8>, String;
        read_string -> String, String;
        skip_binary -> (), String;
        read_i8 -> i8, I08;
        read_i16 -> i16, I16;
        read_i32 -> i32, I32;
        read_i64 -> i64, I64;
        read_double -> f64, Double;
    }

    ending! {
        read_struct_end;
        read_list_end;
        read_set_end;
        read_map_end;
    }

    forward! {
        read_message_begin -> TMessageIdentifier;
        read_message_end -> ();
        read_field_end -> ();
        read_byte -> u8;
    }

    fn read_uuid(&mut self) -> thrift::Result<uuid::Uuid> {
        self.expect(TType::Uuid)?;
        self.inner.read_uuid()
    }
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use super::*;
    use crate::data;
    use crate::wire::interface as wire;

    #[test]
    fn a_charge_covers_both_forms_of_an_element() {
        let both = [
            size_of::<wire::KeyValue>() + size_of::<data::Entry>(),
            size_of::<wire::ActiveScan>() + size_of::<data::ActiveScan>(),
            size_of::<wire::ActiveCompaction>() + size_of::<data::ActiveCompaction>(),
            size_of::<wire::Range>() + size_of::<data::Range>(),
            size_of::<wire::DiskUsage>() + size_of::<data::DiskUsage>(),
            size_of::<wire::IteratorSetting>() + size_of::<data::IteratorSetting>(),
        ];
        assert!(both.iter().all(|bytes| *bytes <= STRUCT_BYTES), "{both:?}");
        assert!(size_of::<Vec<u8>>() + size_of::<data::Bytes>() <= PLAIN_BYTES);
    }

    #[test]
    fn charges_a_whole_node_for_one_element_of_a_tree() {
        assert_eq!(tree_cost(0, &[TType::String]), 0);
        assert_eq!(tree_cost(1, &[TType::String]), 6 * 2 * PLAIN_BYTES);
        assert_eq!(tree_cost(7, &[TType::String]), 7 * 2 * PLAIN_BYTES);
        assert_eq!(tree_cost(-1, &[TType::String]), usize::MAX);
    }
}
