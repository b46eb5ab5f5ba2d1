//! A bound on what a reply may cost to decode.
//!
//! A container on the wire begins with its number of elements, and generated code makes room for that many
//! at once: eight bytes that claim ninety million structures would reserve twelve gigabytes. So every container
//! is charged, before its room is made, against a budget that grows with the frame that really arrived.

use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier, TMessageIdentifier,
    TSetIdentifier, TStructIdentifier, TType,
};
use thrift::{ProtocolError, ProtocolErrorKind};

/// Room that an element that is a structure or a container is charged, in bytes.
const STRUCT_BYTES: usize = 384;
/// Room that any other element is charged, in bytes.
const PLAIN_BYTES: usize = 48;
/// Bytes of budget for each byte of a frame. The smallest cell takes some 20 bytes on the wire, the smallest
/// string 1, so an honest reply stays below it.
const BUDGET_PER_FRAME_BYTE: usize = 64;

/// A protocol to read from, with a budget.
pub(crate) struct Budgeted<P> {
    inner: P,
    left: usize,
}

impl<P> Budgeted<P> {
    /// A budget for a frame of `frame_bytes`, never above `most_bytes`.
    pub(crate) fn new(inner: P, frame_bytes: usize, most_bytes: usize) -> Self {
        let left = frame_bytes
            .saturating_mul(BUDGET_PER_FRAME_BYTE)
            .min(most_bytes);
        Self { inner, left }
    }

    fn charge(&mut self, elements: i32, types: &[Option<TType>]) -> thrift::Result<()> {
        let each: usize = types.iter().flatten().map(|kind| room(*kind)).sum();
        let cost = usize::try_from(elements)
            .unwrap_or(usize::MAX)
            .saturating_mul(each);
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(thrift::Error::Protocol(ProtocolError::new(
                ProtocolErrorKind::SizeLimit,
                format!("a container claims {elements} elements, more than its frame can hold"),
            ))),
        }
    }
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

impl<P: TInputProtocol> TInputProtocol for Budgeted<P> {
    fn read_list_begin(&mut self) -> thrift::Result<TListIdentifier> {
        let list = self.inner.read_list_begin()?;
        self.charge(list.size, &[Some(list.element_type)])?;
        Ok(list)
    }

    fn read_set_begin(&mut self) -> thrift::Result<TSetIdentifier> {
        let set = self.inner.read_set_begin()?;
        self.charge(set.size, &[Some(set.element_type)])?;
        Ok(set)
    }

    fn read_map_begin(&mut self) -> thrift::Result<TMapIdentifier> {
        let map = self.inner.read_map_begin()?;
        self.charge(map.size, &[map.key_type, map.value_type])?;
        Ok(map)
    }

    forward! {
        read_message_begin -> TMessageIdentifier;
        read_message_end -> ();
        read_struct_begin -> Option<TStructIdentifier>;
        read_struct_end -> ();
        read_field_begin -> TFieldIdentifier;
        read_field_end -> ();
        read_bool -> bool;
        read_bytes -> Vec<u8>;
        read_i8 -> i8;
        read_i16 -> i16;
        read_i32 -> i32;
        read_i64 -> i64;
        read_double -> f64;
        read_string -> String;
        read_list_end -> ();
        read_set_end -> ();
        read_map_end -> ();
        skip_binary -> ();
        read_byte -> u8;
    }

    fn read_uuid(&mut self) -> thrift::Result<uuid::Uuid> {
        self.inner.read_uuid()
    }
}
