//! Structures and enumerations on the wire.
//!
//! A structure is a sequence of fields, each with a number and a type, and an end mark. An absent
//! field is left out. A field with an unknown number is skipped.

use thrift::ProtocolErrorKind;
use thrift::protocol::{TFieldIdentifier, TOutputProtocol, TStructIdentifier, TType, field_id};

use super::value::{Reader, WireValue, error};

macro_rules! enumerations {
    ($($name:ident { $($value:ident = $number:literal),* $(,)? })*) => {
        $(
            impl super::value::WireValue for $name {
                const TYPE: thrift::protocol::TType = thrift::protocol::TType::I32;

                fn read(reader: &mut super::value::Reader<'_>) -> thrift::Result<Self> {
                    match reader.input.read_i32()? {
                        $($number => Ok(Self::$value),)*
                        other => Err(super::structure::invalid(format!(
                            "{other} is not a value of {} that this client supports", stringify!($name)
                        ))),
                    }
                }

                fn write(
                    &self,
                    output: &mut dyn thrift::protocol::TOutputProtocol,
                ) -> thrift::Result<()> {
                    output.write_i32(match self {
                        $(Self::$value => $number,)*
                    })
                }
            }
        )*

        /// The enumerations, with the names and numbers of their values.
        #[cfg(test)]
        pub(crate) const ENUMERATIONS: &[(&str, &[(&str, i32)])] =
            &[$((stringify!($name), &[$((stringify!($value), $number)),*])),*];
    };
}

/// Implements the encoding of a structure. A field that is not an `Option` is always written. If it
/// is absent in a reply, it has the value after `=`, or the reply is damaged.
macro_rules! structure {
    ($name:ty { $($id:literal: $field:ident $(= $default:expr)?),* $(,)? }) => {
        impl super::value::WireValue for $name {
            const TYPE: thrift::protocol::TType = thrift::protocol::TType::Struct;

            #[allow(unused_mut, unused_variables, reason = "a structure may have no fields")]
            fn read(reader: &mut super::value::Reader<'_>) -> thrift::Result<Self> {
                $(let mut $field = None;)*
                super::structure::read_fields(reader, &mut |id, found, reader| {
                    Ok(match id {
                        $($id => {
                            $field = Some(super::structure::Field::read_field(reader, found)?);
                            true
                        })*
                        _ => false,
                    })
                })?;
                Ok(Self {
                    $($field: super::structure::present(
                        $field $(.or_else(|| Some($default)))?,
                        stringify!($field),
                    )?),*
                })
            }

            fn write(
                &self,
                output: &mut dyn thrift::protocol::TOutputProtocol,
            ) -> thrift::Result<()> {
                super::structure::write_begin(output)?;
                $(super::structure::Field::write_field(&self.$field, output, $id)?;)*
                super::structure::write_end(output)
            }
        }

        #[cfg(test)]
        impl super::structure::Structure for $name {
            fn fields() -> super::structure::Fields {
                vec![$(($id, stringify!($field), super::structure::type_name(|it: &Self| &it.$field))),*]
            }
        }
    };
}

/// Declares a structure that only the wire has. Its fields are optional, so that absent and empty
/// are different.
macro_rules! message {
    ($name:ident { $($id:literal: $field:ident: $type:ty),* $(,)? }) => {
        #[derive(Clone, Debug)]
        pub(crate) struct $name {
            $(pub(crate) $field: Option<$type>,)*
        }

        impl $name {
            #[allow(dead_code, reason = "the tests construct the values of a server")]
            #[allow(clippy::too_many_arguments, reason = "a call may have many arguments")]
            pub(crate) fn new($($field: impl Into<Option<$type>>),*) -> Self {
                Self { $($field: $field.into()),* }
            }
        }

        super::structure::structure! { $name { $($id: $field),* } }
    };
}

/// Declares the message of a request, whose fields are numbered from 1.
macro_rules! request {
    ($name:ident ($($fields:tt)*)) => {
        super::structure::request! { $name {} [1 2 3 4 5 6 7 8 9] $($fields)* }
    };
    ($name:ident $numbered:tt $numbers:tt) => {
        super::structure::message! { $name $numbered }
    };
    ($name:ident { $($numbered:tt)* } [$number:literal $($numbers:literal)*]
        $field:ident: $type:ty $(, $($fields:tt)*)?
    ) => {
        super::structure::request! {
            $name { $($numbered)* $number: $field: $type, } [$($numbers)*] $($($fields)*)?
        }
    };
}

pub(super) use {enumerations, message, request, structure};

/// The number, the name and the type of each field of a structure.
#[cfg(test)]
pub(crate) type Fields = Vec<(i16, &'static str, &'static str)>;

/// A structure, for the comparison with the IDL.
#[cfg(test)]
pub(crate) trait Structure {
    fn fields() -> Fields;
}

/// A field of a structure: a value, an optional one, or none.
pub(crate) trait Field: Sized {
    /// The value of an absent field, if it may be absent.
    const ABSENT: Option<Self>;

    /// Reads a field that was announced with type `found`.
    fn read_field(reader: &mut Reader<'_>, found: TType) -> thrift::Result<Self>;

    fn write_field(&self, output: &mut dyn TOutputProtocol, id: i16) -> thrift::Result<()>;
}

impl<T: WireValue> Field for T {
    const ABSENT: Option<Self> = None;

    fn read_field(reader: &mut Reader<'_>, found: TType) -> thrift::Result<Self> {
        reader.announced(found)
    }

    fn write_field(&self, output: &mut dyn TOutputProtocol, id: i16) -> thrift::Result<()> {
        let field = TFieldIdentifier { name: None, field_type: T::TYPE, id: Some(id) };
        output.write_field_begin(&field)?;
        self.write(output)?;
        output.write_field_end()
    }
}

impl<T: WireValue> Field for Option<T> {
    const ABSENT: Option<Self> = Some(None);

    fn read_field(reader: &mut Reader<'_>, found: TType) -> thrift::Result<Self> {
        reader.announced(found).map(Some)
    }

    fn write_field(&self, output: &mut dyn TOutputProtocol, id: i16) -> thrift::Result<()> {
        self.as_ref().map_or(Ok(()), |value| value.write_field(output, id))
    }
}

impl Field for () {
    const ABSENT: Option<Self> = Some(());

    fn read_field(reader: &mut Reader<'_>, found: TType) -> thrift::Result<Self> {
        reader.input.skip(found)
    }

    fn write_field(&self, _: &mut dyn TOutputProtocol, _: i16) -> thrift::Result<()> {
        Ok(())
    }
}

/// Returns the name of the type of the field that `get` returns.
#[cfg(test)]
pub(super) fn type_name<S, T>(_get: fn(&S) -> &T) -> &'static str {
    std::any::type_name::<T>()
}

/// Returns the value of a field, or an error if it is absent and required.
pub(super) fn present<T: Field>(value: Option<T>, name: &str) -> thrift::Result<T> {
    value.or(T::ABSENT).ok_or_else(|| invalid(format!("it lacks `{name}`")))
}

pub(super) fn invalid(reason: String) -> thrift::Error {
    error(ProtocolErrorKind::InvalidData, reason)
}

/// Reads the fields of a structure with `read`, which gets the number and the type, and returns
/// `false` for an unknown number.
pub(super) fn read_fields(
    reader: &mut Reader<'_>,
    read: &mut dyn FnMut(i16, TType, &mut Reader<'_>) -> thrift::Result<bool>,
) -> thrift::Result<()> {
    reader.input.read_struct_begin()?;
    loop {
        let field = reader.input.read_field_begin()?;
        if field.field_type == TType::Stop {
            break;
        }
        if !read(field_id(&field)?, field.field_type, reader)? {
            reader.input.skip(field.field_type)?;
        }
        reader.input.read_field_end()?;
    }
    reader.input.read_struct_end()
}

/// Starts a structure. Neither protocol of a proxy sends the names of structures and fields.
pub(super) fn write_begin(output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
    output.write_struct_begin(&TStructIdentifier::new(String::new()))
}

pub(super) fn write_end(output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
    output.write_field_stop()?;
    output.write_struct_end()
}
