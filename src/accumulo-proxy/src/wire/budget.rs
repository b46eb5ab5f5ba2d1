//! What a reply may cost to decode, and whether it holds the types that it says.
//!
//! # Cost
//! A structure that takes a byte on the wire takes hundreds in memory. So every container is charged for the elements
//! that it claims against a budget that grows with the frame that really arrived, before one is read. Strings need
//! no charge: one that is longer than the frame is refused, and all together are not longer than it.
//!
//! A charge covers an element as the wire has it and as users see it, because for a moment both are there.
//!
//! # Types
//! Generated code reads a field that it knows as the type that it knows, whatever the wire says: a number would be
//! taken for the length of a string. Here every read must be of the type that was announced. That holds the
//! budget too: a list that is announced as one of small elements and read as one of large ones ends at its first.

use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier, TMessageIdentifier,
    TSetIdentifier, TStructIdentifier, TType,
};
use thrift::{ProtocolError, ProtocolErrorKind};

/// Room that an element of a list that is a structure or a container is charged, in bytes.
const STRUCT_BYTES: usize = 576;
/// Room that any other element of a list is charged, in bytes.
const PLAIN_BYTES: usize = 96;
/// Elements of maps and sets cost this many times as much: nodes of a tree are half full.
const TREE_FACTOR: usize = 2;
/// A map or set that is not empty has a node, which has the room of so many elements.
const TREE_LEAST_ELEMENTS: usize = 6;
/// Bytes of budget for each byte of a frame. The dearest honest reply, locality groups with names of one letter, needs
/// almost all of it.
const BUDGET_PER_FRAME_BYTE: usize = 512;

/// A protocol to read from, with a budget.
pub(crate) struct Budgeted<P> {
    inner: P,
    /// What may still be charged, in bytes.
    left: usize,
    /// What is being read, the innermost last.
    open: Vec<Open>,
}

/// A value with parts, of which some are read.
#[derive(Clone, Copy)]
enum Open {
    /// The type of the field that was announced and is not read yet.
    Struct(Option<TType>),
    /// Each element has this type.
    Sequence(TType),
    /// The type of what comes next, and of what comes after that.
    Map(TType, TType),
    /// No element, so no type.
    Empty,
}

impl<P> Budgeted<P> {
    /// A budget for a frame of `frame_bytes`: with the frame and its strings, it is never above `most_bytes`.
    pub(crate) fn new(inner: P, frame_bytes: usize, most_bytes: usize) -> Self {
        let frame_and_strings = frame_bytes.saturating_mul(2);
        let left = frame_bytes
            .saturating_mul(BUDGET_PER_FRAME_BYTE)
            .min(most_bytes.saturating_sub(frame_and_strings));
        Self {
            inner,
            left,
            open: Vec::new(),
        }
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
                    "a container claims {elements} elements, more than its frame can hold or \
                     this client takes"
                ),
            )),
        }
    }

    /// A value of type `found` is about to be read: it must be what was announced.
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
                format!("type {announced} stands where type {found} belongs"),
            )),
            None => Err(protocol_error(
                ProtocolErrorKind::InvalidData,
                format!("nothing stands where type {found} belongs"),
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
    count(elements)
        .max(TREE_LEAST_ELEMENTS)
        .saturating_mul(each)
        .saturating_mul(TREE_FACTOR)
}

/// A negative number is more than any budget.
fn count(elements: i32) -> usize {
    usize::try_from(elements).unwrap_or(usize::MAX)
}

fn room(kind: TType) -> usize {
    match kind {
        TType::Struct | TType::Map | TType::Set | TType::List => STRUCT_BYTES,
        _ => PLAIN_BYTES,
    }
}

/// Methods that only pass on.
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
    use crate::wire::generated as wire;

    #[test]
    fn a_charge_covers_what_an_element_takes_here_and_there() {
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
    fn one_element_of_a_tree_is_charged_a_whole_node() {
        assert_eq!(tree_cost(0, &[TType::String]), 0);
        assert_eq!(tree_cost(1, &[TType::String]), 6 * 2 * PLAIN_BYTES);
        assert_eq!(tree_cost(7, &[TType::String]), 7 * 2 * PLAIN_BYTES);
        assert_eq!(tree_cost(-1, &[TType::String]), usize::MAX);
    }
}
