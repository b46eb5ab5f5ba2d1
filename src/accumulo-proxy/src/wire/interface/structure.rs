//! Declarations of enumerations and structures.
//!
//! A structure on the wire is a sequence of fields, each with a number and a type, and an end mark.
//! An absent field is left out. A field with an unknown number is skipped.

use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TOutputProtocol, TStructIdentifier, TType, field_id,
};

use super::value::WireValue;

/// Declares enumerations. A number that is not declared is a valid value, because a newer proxy may
/// send it.
macro_rules! enumerations {
    ($($name:ident { $($value:ident = $number:literal),* $(,)? })*) => {
        $(
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
            pub(crate) struct $name(pub(crate) i32);

            impl $name {
                $(pub(crate) const $value: Self = Self($number);)*
            }

            impl super::value::WireValue for $name {
                const TYPE: thrift::protocol::TType = thrift::protocol::TType::I32;

                fn read(input: &mut dyn thrift::protocol::TInputProtocol) -> thrift::Result<Self> {
                    input.read_i32().map(Self)
                }

                fn write(
                    &self,
                    output: &mut dyn thrift::protocol::TOutputProtocol,
                ) -> thrift::Result<()> {
                    output.write_i32(self.0)
                }
            }
        )*

        /// The declared enumerations, with the names and numbers of their values.
        #[cfg(test)]
        pub(crate) const ENUMERATIONS: &[(&str, &[(&str, i32)])] =
            &[$((stringify!($name), &[$((stringify!($value), $number)),*])),*];
    };
}

/// Declares a structure whose fields are all optional.
macro_rules! structure {
    ($(#[$derive:meta])* $name:ident { $($id:literal: $field:ident: $type:ty),* $(,)? }) => {
        #[derive(Debug)]
        $(#[$derive])*
        pub(crate) struct $name {
            $(pub(crate) $field: Option<$type>,)*
        }

        impl $name {
            /// The declaration of the structure.
            #[cfg(test)]
            pub(crate) const DECLARED: super::structure::Declared = (
                stringify!($name),
                &[$(($id, stringify!($field), stringify!($type))),*],
            );

            #[allow(dead_code, reason = "the tests construct the values of a server")]
            #[allow(clippy::too_many_arguments, reason = "a call may have many arguments")]
            pub(crate) fn new($($field: impl Into<Option<$type>>),*) -> Self {
                Self { $($field: $field.into()),* }
            }
        }

        impl super::value::WireValue for $name {
            const TYPE: thrift::protocol::TType = thrift::protocol::TType::Struct;

            #[allow(unused_mut, unused_variables, reason = "a structure may have no fields")]
            fn read(input: &mut dyn thrift::protocol::TInputProtocol) -> thrift::Result<Self> {
                let mut structure = Self { $($field: None),* };
                super::structure::read_fields(input, &mut |id, input| {
                    Ok(match id {
                        $($id => {
                            structure.$field = Some(super::value::WireValue::read(input)?);
                            true
                        })*
                        _ => false,
                    })
                })?;
                Ok(structure)
            }

            fn write(
                &self,
                output: &mut dyn thrift::protocol::TOutputProtocol,
            ) -> thrift::Result<()> {
                super::structure::write_begin(output)?;
                $(super::structure::write_field(output, $id, &self.$field)?;)*
                super::structure::write_end(output)
            }
        }
    };
}

/// Declares structures that are parts of others, and are therefore copied and compared.
macro_rules! structures {
    ($($name:ident { $($fields:tt)* })*) => {
        $(super::structure::structure! {
            #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
            $name { $($fields)* }
        })*

        /// The declared structures.
        #[cfg(test)]
        pub(crate) const STRUCTURES: &[super::structure::Declared] = &[$($name::DECLARED),*];
    };
}

pub(super) use {enumerations, structure, structures};

/// The name of a structure, and the number, the name and the type of each field.
#[cfg(test)]
pub(crate) type Declared = (&'static str, &'static [(i16, &'static str, &'static str)]);

/// Reads the fields of a structure with `read`, which returns `false` for an unknown number.
pub(super) fn read_fields(
    input: &mut dyn TInputProtocol,
    read: &mut dyn FnMut(i16, &mut dyn TInputProtocol) -> thrift::Result<bool>,
) -> thrift::Result<()> {
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        if field.field_type == TType::Stop {
            break;
        }
        if !read(field_id(&field)?, input)? {
            input.skip(field.field_type)?;
        }
        input.read_field_end()?;
    }
    input.read_struct_end()
}

/// Starts a structure. Neither protocol of a proxy sends the names of structures and fields.
pub(super) fn write_begin(output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
    output.write_struct_begin(&TStructIdentifier::new(String::new()))
}

/// Writes a field, unless it is absent.
pub(super) fn write_field<T: WireValue>(
    output: &mut dyn TOutputProtocol,
    id: i16,
    value: &Option<T>,
) -> thrift::Result<()> {
    let Some(value) = value else {
        return Ok(());
    };
    output.write_field_begin(&TFieldIdentifier {
        name: None,
        field_type: T::TYPE,
        id: Some(id),
    })?;
    value.write(output)?;
    output.write_field_end()
}

/// Ends a structure.
pub(super) fn write_end(output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
    output.write_field_stop()?;
    output.write_struct_end()
}
