//! Values on the wire: numbers, text and containers.
//!
//! # Memory
//!
//! A structure that takes a byte on the wire takes hundreds in memory. Each element of a container
//! is therefore charged against a limit. A container reserves no memory for the number of elements
//! that it claims. Strings need no charge: all strings of a reply together are not longer than the
//! reply.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use thrift::protocol::{
    TInputProtocol, TListIdentifier, TMapIdentifier, TOutputProtocol, TSetIdentifier, TType,
};
use thrift::{ProtocolError, ProtocolErrorKind};

/// Charge for an element of a list, as a multiple of its size: a list that grows copies itself to
/// twice the room, and may become another container afterwards.
const LIST_FACTOR: usize = 4;
/// Charge for an element of a map or set, as a multiple of its size: nodes of a tree are half full.
const TREE_FACTOR: usize = 2;
/// Charge for the memory of a text in a tree, beside that of the element.
const TEXT_BYTES: usize = 32;
/// Number of elements for which a node of a tree has room.
const NODE_ELEMENTS: usize = 12;

pub(crate) trait WireValue: Sized {
    /// The type that announces the value on the wire.
    const TYPE: TType;

    fn read(reader: &mut Reader<'_>) -> thrift::Result<Self>;

    fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()>;
}

/// A message to read from, with a limit on the memory for its containers.
pub(crate) struct Reader<'a> {
    pub(crate) input: &'a mut dyn TInputProtocol,
    /// The number of bytes that are left.
    left: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(input: &'a mut dyn TInputProtocol, most_bytes: usize) -> Self {
        Self { input, left: most_bytes }
    }

    fn charge(&mut self, bytes: usize) -> thrift::Result<()> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let reason = "it takes more memory than this client accepts";
            error(ProtocolErrorKind::SizeLimit, reason.to_owned())
        })?;
        Ok(())
    }

    /// Reads an element of a list that was announced with type `found`.
    fn list_element<T: WireValue>(&mut self, found: TType) -> thrift::Result<T> {
        self.charge(size_of::<T>() * LIST_FACTOR)?;
        self.announced(found)
    }

    /// Reads an element of a tree that was announced with type `found`.
    fn tree_element<T: WireValue>(&mut self, found: TType) -> thrift::Result<T> {
        self.charge(size_of::<T>() * TREE_FACTOR + TEXT_BYTES)?;
        self.announced(found)
    }

    /// Charges for the first node of a tree of this number of elements.
    fn tree<T>(&mut self, elements: i32) -> thrift::Result<()> {
        let node = size_of::<T>() * NODE_ELEMENTS;
        if elements > 0 { self.charge(node) } else { Ok(()) }
    }

    /// Reads a value that was announced with type `found`. A structure of another type could pass
    /// for a number, and a number for the length of a string.
    pub(super) fn announced<T: WireValue>(&mut self, found: TType) -> thrift::Result<T> {
        if found == T::TYPE {
            return T::read(self);
        }
        let reason = format!("found type {found}, expected type {}", T::TYPE);
        Err(error(ProtocolErrorKind::InvalidData, reason))
    }
}

/// Implements [`WireValue`] for types that a protocol reads and writes by itself.
macro_rules! plain {
    ($($type:ty = $kind:ident: $read:ident, $write:ident($($copied:tt)?);)*) => {
        $(
            impl WireValue for $type {
                const TYPE: TType = TType::$kind;

                fn read(reader: &mut Reader<'_>) -> thrift::Result<Self> {
                    reader.input.$read().map(Self::from)
                }

                fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
                    output.$write($($copied)? self)
                }
            }
        )*
    };
}

plain! {
    bool = Bool: read_bool, write_bool(*);
    i32 = I32: read_i32, write_i32(*);
    i64 = I64: read_i64, write_i64(*);
    String = String: read_string, write_string();
    Bytes = String: read_bytes, write_bytes();
}

impl<T: WireValue> WireValue for Vec<T> {
    const TYPE: TType = TType::List;

    fn read(reader: &mut Reader<'_>) -> thrift::Result<Self> {
        let list = reader.input.read_list_begin()?;
        let mut elements = Self::new();
        for _ in 0..list.size {
            elements.push(reader.list_element(list.element_type)?);
        }
        reader.input.read_list_end()?;
        Ok(elements)
    }

    fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        output.write_list_begin(&TListIdentifier::new(T::TYPE, size(self.len())?))?;
        self.iter().try_for_each(|element| element.write(output))?;
        output.write_list_end()
    }
}

impl<T: WireValue + Ord> WireValue for BTreeSet<T> {
    const TYPE: TType = TType::Set;

    fn read(reader: &mut Reader<'_>) -> thrift::Result<Self> {
        let set = reader.input.read_set_begin()?;
        reader.tree::<T>(set.size)?;
        let mut elements = Self::new();
        for _ in 0..set.size {
            elements.insert(reader.tree_element(set.element_type)?);
        }
        reader.input.read_set_end()?;
        Ok(elements)
    }

    fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        output.write_set_begin(&TSetIdentifier::new(T::TYPE, size(self.len())?))?;
        self.iter().try_for_each(|element| element.write(output))?;
        output.write_set_end()
    }
}

impl<K: WireValue + Ord, V: WireValue> WireValue for BTreeMap<K, V> {
    const TYPE: TType = TType::Map;

    fn read(reader: &mut Reader<'_>) -> thrift::Result<Self> {
        let map = reader.input.read_map_begin()?;
        reader.tree::<(K, V)>(map.size)?;
        // A map without elements may have no types.
        let key_type = map.key_type.unwrap_or(K::TYPE);
        let value_type = map.value_type.unwrap_or(V::TYPE);
        let mut entries = Self::new();
        for _ in 0..map.size {
            let key = reader.tree_element(key_type)?;
            entries.insert(key, reader.tree_element(value_type)?);
        }
        reader.input.read_map_end()?;
        Ok(entries)
    }

    fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        let size = size(self.len())?;
        output.write_map_begin(&TMapIdentifier::new(K::TYPE, V::TYPE, size))?;
        for (key, value) in self {
            key.write(output)?;
            value.write(output)?;
        }
        output.write_map_end()
    }
}

fn size(elements: usize) -> thrift::Result<i32> {
    i32::try_from(elements).map_err(|_| {
        let reason = format!("a container has {elements} elements, more than Thrift can count");
        error(ProtocolErrorKind::SizeLimit, reason)
    })
}

pub(super) fn error(kind: ProtocolErrorKind, reason: String) -> thrift::Error {
    thrift::Error::Protocol(ProtocolError::new(kind, reason))
}
