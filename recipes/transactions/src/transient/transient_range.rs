//! A range of rows whose cells live for a short time: [`TransientRange`].

use std::collections::BTreeMap;
use std::fmt;

use data_encoding::{HEXUPPER, HEXUPPER_PERMISSIVE};
use fluo_engine::{Bytes, Error, Result, Span};
use fluo_table::Escaped;

/// The start of the names of the settings with transient ranges. The rest of a name is the id.
const SETTING: &str = "recipes.transientRange.";

/// A range of rows whose cells live for a short time, with the id under which an application stores
/// it.
///
/// The range begins after the row `after`, exclusive, and ends with the row `until`, inclusive, as
/// the range of a compaction in Accumulo. An empty `after` is the start of the table. An empty
/// `until` is the end of the table; Fluo Recipes can store such a range and not read it.
///
/// As in Fluo Recipes, the setting `recipes.transientRange.ID` stores the range `ID`: the two rows
/// in hexadecimal digits, with `:` between them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TransientRange {
    id: String,
    after: Bytes,
    until: Bytes,
}

impl TransientRange {
    /// Creates the range of the rows from `after`, exclusive, to `until`, inclusive. An empty row
    /// is the start or the end of the table.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) if the id is empty, or if the range has no
    /// rows because `until` is not after `after`.
    pub fn new(
        id: impl Into<String>,
        after: impl Into<Bytes>,
        until: impl Into<Bytes>,
    ) -> Result<Self> {
        let (id, after, until) = (id.into(), after.into(), until.into());
        if id.is_empty() {
            return Err(Error::invalid(
                "the id of a transient range is empty; give it at least one character",
            ));
        }
        if !until.is_empty() && until <= after {
            return Err(Error::invalid(format!(
                "transient range `{id}` has no rows, because its last row `{}` is not after `{}`; exchange them",
                Escaped(&until),
                Escaped(&after)
            )));
        }
        Ok(Self { id, after, until })
    }

    /// Reads the range from a setting of an application, whose name errors have.
    fn from_setting(name: &str, value: &str) -> Result<Self> {
        let id = name.strip_prefix(SETTING).unwrap_or_default();
        if id.is_empty() {
            return Err(Error::invalid(format!(
                "setting `{name}` cannot hold a transient range; name it `{SETTING}ID`, with the id of the range"
            )));
        }
        // Lower-case digits are accepted.
        let row = |hex: &str| HEXUPPER_PERMISSIVE.decode(hex.as_bytes()).ok();
        let rows = value.split_once(':');
        let Some((after, until)) = rows.and_then(|(from, to)| row(from).zip(row(to))) else {
            return Err(Error::invalid(format!(
                "setting `{name}`: `{value}` is not a range of rows; write two rows in hexadecimal digits, such as `6A6F6223:6A6F623A7E`"
            )));
        };
        let in_setting = |error| Error::invalid(format!("setting `{name}`: {error}"));
        Self::new(id, after, until).map_err(in_setting)
    }

    /// Reads all ranges from the settings of an application, in the order of their ids. Settings
    /// whose name does not begin with `recipes.transientRange.` are ignored.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for the first of them without an id, whose
    /// value is not of the form `HEX:HEX`, or whose range has no rows. The message names it.
    pub fn all_from_settings(settings: &BTreeMap<String, String>) -> Result<Vec<Self>> {
        settings
            .iter()
            .filter(|(name, _)| name.starts_with(SETTING))
            .map(|(name, value)| Self::from_setting(name, value))
            .collect()
    }

    /// Returns the name and the value of the setting that stores the range.
    pub fn to_setting(&self) -> (String, String) {
        let [after, until] = [&self.after, &self.until].map(|row| HEXUPPER.encode(row));
        (format!("{SETTING}{}", self.id), format!("{after}:{until}"))
    }

    /// The id, such as `cfm.m1`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the part of the table that has the rows of the range.
    pub fn span(&self) -> Span {
        Span::tablet(bound(&self.after), bound(&self.until))
    }
}

fn bound(row: &Bytes) -> Option<&[u8]> {
    (!row.is_empty()).then_some(row.as_ref())
}

impl fmt::Display for TransientRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match bound(&self.after) {
            Some(after) => write!(f, "({}, ", Escaped(after))?,
            None => f.write_str("(start of table, ")?,
        }
        match bound(&self.until) {
            Some(until) => write!(f, "{}]", Escaped(until)),
            None => f.write_str("end of table)"),
        }
    }
}

#[cfg(test)]
mod tests;
