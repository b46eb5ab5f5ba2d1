//! The designs that can be named.

use anyhow::Result;
use clap::{Args, Command, FromArgMatches};
use serde::Serialize;

use super::DesignArguments;

/// A design, as the list of all shows it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Known {
    #[serde(rename = "design")]
    pub(crate) name: &'static str,
    /// What it does, in a line.
    pub(crate) about: &'static str,
    /// Settings with which it is a design, as arguments; empty where it is one without any.
    #[serde(skip)]
    example: &'static str,
}

/// All of them.
pub(crate) const KNOWN: [Known; 9] = [
    Known {
        name: "row-hasher",
        about: "a prefix and a hash of 4 characters before the row, as Apache Fluo has it; for reads one by one",
        example: "--prefix p",
    },
    Known {
        name: "modulo",
        about: "a bucket before the row, the hash or number of the row modulo some, as Java programs compute it",
        example: "",
    },
    Known {
        name: "digest-salt",
        about: "digits of MD5 or SHA-1 before the row, of all of it or of its beginning; scans stay possible",
        example: "",
    },
    Known {
        name: "web-table",
        about: "URLs with their host from the top level down, so that the pages of a domain lie together",
        example: "",
    },
    Known {
        name: "reversed",
        about: "the row backwards, for rows that count up and are read one by one or by their end",
        example: "--length 10",
    },
    Known {
        name: "reverse-time",
        about: "a time counted down, behind or before what the row is about; the newest comes first",
        example: "",
    },
    Known {
        name: "random-salt",
        about: "a bucket before the row that is drawn; no row can be fetched by its key, every read looks into all",
        example: "--buckets 16",
    },
    Known {
        name: "composite",
        about: "several fields in order, each ascending or descending by its value",
        example: "--field text --field time:desc",
    },
    Known {
        name: "unsalted",
        about: "the row as it is, for keys that are spread already or have to stay as they are",
        example: "",
    },
];

/// Their names.
pub(super) fn names() -> [&'static str; KNOWN.len()] {
    KNOWN.map(|known| known.name)
}

/// Arguments with which a design of this name is one, and how they are written. None where it needs none.
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
    fn every_design_is_made_by_its_example_and_only_by_it_where_it_has_one() {
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
