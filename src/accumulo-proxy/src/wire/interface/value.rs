//! Values on the wire: numbers, text and containers.

use std::collections::{BTreeMap, BTreeSet};

use thrift::protocol::{
    TInputProtocol, TListIdentifier, TMapIdentifier, TOutputProtocol, TSetIdentifier, TType,
};
use thrift::{ProtocolError, ProtocolErrorKind};

/// A value that can be read from the wire and written to it.
pub(crate) trait WireValue: Sized {
    /// The type that announces the value on the wire.
    const TYPE: TType;

    /// Reads a value.
    fn read(input: &mut dyn TInputProtocol) -> thrift::Result<Self>;

    /// Writes the value.
    fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()>;
}

/// Implements [`WireValue`] for types that a protocol reads and writes by itself.
macro_rules! plain {
    ($($type:ty = $kind:ident: $read:ident, $write:ident($($copied:tt)?);)*) => {
        $(
            impl WireValue for $type {
                const TYPE: TType = TType::$kind;

                fn read(input: &mut dyn TInputProtocol) -> thrift::Result<Self> {
                    input.$read()
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
    // Bytes and text have one type on the wire. A single byte is no `WireValue`, so this is not a
    // list.
    Vec<u8> = String: read_bytes, write_bytes();
}

// A container reserves no memory for the number of elements that it claims to contain.

impl<T: WireValue> WireValue for Vec<T> {
    const TYPE: TType = TType::List;

    fn read(input: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        let list = input.read_list_begin()?;
        let mut elements = Self::new();
        for _ in 0..list.size {
            elements.push(T::read(input)?);
        }
        input.read_list_end()?;
        Ok(elements)
    }

    fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        output.write_list_begin(&TListIdentifier::new(T::TYPE, size(self.len())?))?;
        for element in self {
            element.write(output)?;
        }
        output.write_list_end()
    }
}

impl<T: WireValue + Ord> WireValue for BTreeSet<T> {
    const TYPE: TType = TType::Set;

    fn read(input: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        let set = input.read_set_begin()?;
        let mut elements = Self::new();
        for _ in 0..set.size {
            elements.insert(T::read(input)?);
        }
        input.read_set_end()?;
        Ok(elements)
    }

    fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        output.write_set_begin(&TSetIdentifier::new(T::TYPE, size(self.len())?))?;
        for element in self {
            element.write(output)?;
        }
        output.write_set_end()
    }
}

impl<K: WireValue + Ord, V: WireValue> WireValue for BTreeMap<K, V> {
    const TYPE: TType = TType::Map;

    fn read(input: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        let map = input.read_map_begin()?;
        let mut entries = Self::new();
        for _ in 0..map.size {
            let key = K::read(input)?;
            entries.insert(key, V::read(input)?);
        }
        input.read_map_end()?;
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

/// Converts a number of elements to its form on the wire.
fn size(elements: usize) -> thrift::Result<i32> {
    i32::try_from(elements).map_err(|_| {
        thrift::Error::Protocol(ProtocolError::new(
            ProtocolErrorKind::SizeLimit,
            format!("a container has {elements} elements, more than Thrift can count"),
        ))
    })
}
