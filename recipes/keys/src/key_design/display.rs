//! The one-line description of a design: its name, and the settings on which its keys depend.

use std::fmt;

use fluo_table::{Escaped, counted};

use super::design::KeyDesign;
use super::encoding::RowEncoding;
use super::salt::SaltSpec;
use super::salted_part::SaltedPart;

impl fmt::Display for KeyDesign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let salt = self.parts.salt.as_ref();
        let salt = salt.map(|salt| salt.text(&*self.parts.encoding));
        let leading_point = self
            .parts
            .leading_point
            .then(|| "a leading point".to_owned());
        let details = [salt, self.parts.encoding.detail(), leading_point];
        let details: Vec<_> = details.into_iter().flatten().collect();
        if details.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", details.join("; "))
    }
}

impl SaltSpec {
    /// Describes the salt and its input, and the separator if it is not the usual one.
    fn text(&self, encoding: &dyn RowEncoding) -> String {
        let separator = match self.separator.as_str() {
            separator if separator == self.usual_separator => String::new(),
            "" => ", without a separator".to_owned(),
            separator => format!(", then `{}`", Escaped(separator.as_bytes())),
        };
        let part = encoding.part_text(&self.part);
        format!("{}{part}{separator}", self.salt.meaning())
    }
}

/// Writes the salted part, or nothing for the whole row.
impl fmt::Display for SaltedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Before(text) => {
                write!(f, " of the text before `{}`", Escaped(text.as_bytes()))
            }
            Self::First(1) => f.write_str(" of the first byte"),
            Self::First(bytes) => write!(f, " of the first {}", counted(*bytes, "byte")),
            Self::Fields(1) => f.write_str(" of the first field"),
            Self::Fields(fields) => write!(f, " of the first {}", counted(*fields, "field")),
            Self::Entity => f.write_str(" of the entity"),
        }
    }
}
