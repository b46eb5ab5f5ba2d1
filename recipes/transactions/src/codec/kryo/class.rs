//! The classes of Java in Kryo's bytes.

use fluo_table::Excerpt;

use super::input::{Damage, Input};
use super::string::read_string;

/// A class that Kryo registers by default, under the id that is its position here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Integer,
    String,
    Float,
    Boolean,
    Byte,
    Character,
    Short,
    Long,
    Double,
}

/// The marker of `null`.
const NULL: u64 = 0;
/// The marker of a class that has no id: its name follows.
const NAMED: u64 = 1;
/// The difference of the marker and the id of a class.
const FIRST_ID: u8 = 2;

impl Class {
    const ALL: [Self; 9] = [
        Self::Integer,
        Self::String,
        Self::Float,
        Self::Boolean,
        Self::Byte,
        Self::Character,
        Self::Short,
        Self::Long,
        Self::Double,
    ];

    /// Returns the byte that begins a value of the class.
    pub(super) const fn marker(self) -> u8 {
        let id = match self {
            Self::Integer => 0,
            Self::String => 1,
            Self::Float => 2,
            Self::Boolean => 3,
            Self::Byte => 4,
            Self::Character => 5,
            Self::Short => 6,
            Self::Long => 7,
            Self::Double => 8,
        };
        id + FIRST_ID
    }

    /// Returns the name of the class in Java.
    pub(super) const fn java_name(self) -> &'static str {
        match self {
            Self::Integer => "java.lang.Integer",
            Self::String => "java.lang.String",
            Self::Float => "java.lang.Float",
            Self::Boolean => "java.lang.Boolean",
            Self::Byte => "java.lang.Byte",
            Self::Character => "java.lang.Character",
            Self::Short => "java.lang.Short",
            Self::Long => "java.lang.Long",
            Self::Double => "java.lang.Double",
        }
    }

    /// Returns the name of the class without its package.
    pub(super) fn noun(self) -> &'static str {
        let name = self.java_name();
        name.strip_prefix("java.lang.").unwrap_or(name)
    }

    /// Returns the name with its article.
    fn phrase(self) -> String {
        let article = if self == Self::Integer { "an" } else { "a" };
        format!("{article} {}", self.noun())
    }
}

/// Reads the class of a value, and returns what is wrong as the rest of a sentence if it is not the
/// expected one.
pub(super) fn expect_class(input: &mut Input<'_>, expected: Class) -> Result<(), String> {
    let found = match input.varint() {
        Ok(marker) if marker == u64::from(expected.marker()) => return Ok(()),
        Ok(NULL) => "null".to_owned(),
        Ok(NAMED) => {
            named(input).unwrap_or_else(|_| "an object of a damaged class name".to_owned())
        }
        Ok(marker) => registered(marker),
        Err(damage) => format!("no Kryo value: {damage}"),
    };
    Err(format!("is {found}, expected {}", expected.phrase()))
}

/// Describes a value whose class has an id.
fn registered(marker: u64) -> String {
    let class = Class::ALL.iter().find(|class| u64::from(class.marker()) == marker);
    class.map_or_else(
        || {
            let id = marker - u64::from(FIRST_ID);
            format!("an object of the class that is registered as {id}")
        },
        |class| class.phrase(),
    )
}

/// Describes a value whose class has no id: the number of the name and the name follow.
fn named(input: &mut Input<'_>) -> Result<String, Damage> {
    input.varint()?;
    let name = read_string(input)?;
    Ok(format!("an object of class {}", Excerpt::new(name.as_bytes())))
}
