//! The designs that a user can name.

use anyhow::Result;
use clap::{Args, Command, FromArgMatches};
use serde::Serialize;

use super::DesignArguments;

/// A design, as it is shown in the list.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Known {
    #[serde(rename = "design")]
    pub(crate) name: &'static str,
    /// Description in one line.
    pub(crate) about: &'static str,
    /// Settings that complete the design, as arguments; empty if it needs none.
    #[serde(skip)]
    example: &'static str,
}

/// All designs.
pub(crate) const KNOWN: [Known; 9] = [
    Known {
        name: "row-hasher",
        about: "a prefix and a hash of 4 characters before the row, as in Apache Fluo; for reads of single rows",
        example: "--prefix p",
    },
    Known {
        name: "modulo",
        about: "a bucket before the row: the hash or number of the row modulo a count, as in Java programs",
        example: "",
    },
    Known {
        name: "digest-salt",
        about: "digits of MD5 or SHA-1 before the row, of the whole row or its beginning; scans stay possible",
        example: "",
    },
    Known {
        name: "web-table",
        about: "URLs with the parts of the host reversed, so the pages of a domain are adjacent",
        example: "",
    },
    Known {
        name: "reversed",
        about: "the row backwards, for rows that count up and are read one by one or by suffix",
        example: "--length 10",
    },
    Known {
        name: "reverse-time",
        about: "a time counted down, after or before the subject of the row; the newest comes first",
        example: "",
    },
    Known {
        name: "random-salt",
        about: "a randomly drawn bucket before the row; a row has no computable key, so every read scans all buckets",
        example: "--buckets 16",
    },
    Known {
        name: "composite",
        about: "several fields in order, each ascending or descending by its value",
        example: "--field text --field time:desc",
    },
    Known {
        name: "unsalted",
        about: "the row as it is, for keys that are already spread or must not change",
        example: "",
    },
];

/// Returns the names of all designs.
pub(super) fn names() -> [&'static str; KNOWN.len()] {
    KNOWN.map(|known| known.name)
}

/// Returns example arguments for a design of this name, and their text. `None` if the design needs
/// no settings.
pub(super) fn example_of(name: &str) -> Result<Option<(DesignArguments, &'static str)>> {
    let known = KNOWN.iter().find(|known| known.name == name);
    let Some(known) = known.filter(|known| !known.example.is_empty()) else {
        return Ok(None);
    };
    let words = ["fluo", "--design", name].into_iter();
    let command = DesignArguments::augment_args(Command::new("fluo"));
    let matches = command.try_get_matches_from(words.chain(known.example.split(' ')))?;
    Ok(Some((
        DesignArguments::from_arg_matches(&matches)?,
        known.example,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_completes_its_design_and_is_needed() {
        for known in KNOWN {
            let command = DesignArguments::augment_args(Command::new("fluo"));
            let bare = command.try_get_matches_from(["fluo", "--design", known.name]);
            let bare = bare
                .ok()
                .map(|matches| DesignArguments::from_arg_matches(&matches).unwrap());
            let is_design = bare.is_some_and(|arguments| arguments.design().is_ok());
            match example_of(known.name).unwrap() {
                None => assert!(is_design, "{}", known.name),
                Some((example, _)) => {
                    assert!(!is_design, "{}", known.name);
                    assert_eq!(example.design().unwrap().name(), known.name);
                }
            }
        }
    }
}
