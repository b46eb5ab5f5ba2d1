//! The fate of a table for which a handle was opened.

use std::collections::BTreeMap;

use accumulo_proxy::Error as ProxyError;
use fluo_table::{Error, ErrorKind};

use crate::error::port_error;

/// The present state of a table that had this name and id before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The table exists under its name.
    Same,
    /// The table has this name now.
    Renamed(String),
    /// The table was deleted, and no table has its name.
    Deleted,
    /// The table was deleted, and another table has its name.
    Replaced,
}

impl Fate {
    /// Returns the fate of the table that had this name and this id, from the ids by name.
    pub(crate) fn new(ids: &BTreeMap<String, String>, name: &str, id: &str) -> Fate {
        let owner = ids.iter().find(|(_, found)| *found == id);
        match owner {
            Some((found, _)) if found == name => Fate::Same,
            Some((found, _)) => Fate::Renamed(found.clone()),
            None if ids.contains_key(name) => Fate::Replaced,
            None => Fate::Deleted,
        }
    }
}

/// Converts the error of a write to a table that has this fate by now.
pub(crate) fn of_write(table: &str, fate: &Fate, error: ProxyError) -> Error {
    let Some(what) = became(table, fate) else {
        return port_error(error);
    };
    let kind = match error.may_have_taken_effect() {
        true if *fate != Fate::Deleted => ErrorKind::Uncertain,
        // Rows that may have been written were deleted together with the table.
        _ => ErrorKind::NotFound,
    };
    Error::with_source(kind, format!("{what} ({error})"), error)
}

fn became(table: &str, fate: &Fate) -> Option<String> {
    Some(match fate {
        Fate::Same => return None,
        Fate::Deleted => {
            format!("table `{table}` was deleted during the call, together with its rows")
        }
        Fate::Renamed(name) => format!("table `{table}` was renamed to `{name}` during the call"),
        Fate::Replaced => {
            format!(
                "table `{table}` was deleted during the call, and another table was created under its name"
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifies_a_table_by_its_id() {
        let ids = |pairs: &[(&str, &str)]| {
            let owned = |(name, id): &(&str, &str)| ((*name).to_owned(), (*id).to_owned());
            pairs.iter().map(owned).collect()
        };
        let fate = |pairs: &[(&str, &str)]| Fate::new(&ids(pairs), "t", "1");
        assert_eq!(fate(&[("s", "2"), ("t", "1")]), Fate::Same);
        assert_eq!(fate(&[("t", "2"), ("u", "1")]), Fate::Renamed("u".into()));
        assert_eq!(fate(&[("s", "2")]), Fate::Deleted);
        assert_eq!(fate(&[("t", "2")]), Fate::Replaced);
    }

    #[test]
    fn names_the_fate_of_the_table() {
        assert_eq!(became("t", &Fate::Same), None);
        for (fate, message) in [
            (Fate::Deleted, "table `t` was deleted during the call, together with its rows"),
            (Fate::Renamed("u".to_owned()), "table `t` was renamed to `u` during the call"),
            (
                Fate::Replaced,
                "table `t` was deleted during the call, and another table was created under its name",
            ),
        ] {
            assert_eq!(became("t", &fate).as_deref(), Some(message));
        }
    }
}
