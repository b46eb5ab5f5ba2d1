//! The designs that a user can name, and their settings.

use fluo_keys::{
    CompositeRows, DesignSettings, DigestSalt, HashedRows, Modulo, RandomSalt, ReverseTime,
    Reversed, Unsalted, WebTable,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::de::Deserializer;

/// A design, as it is shown in the list.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Known {
    #[serde(rename = "design")]
    pub(crate) name: &'static str,
    /// Description in one line.
    pub(crate) about: &'static str,
    #[serde(skip)]
    pub(crate) settings: &'static [Setting],
    /// Settings that complete the design, as in the argument; empty if it needs none.
    #[serde(skip)]
    pub(crate) example: &'static str,
    #[serde(skip)]
    pub(super) parse: Parse,
}

type Parse = fn(Deserializer<'_>) -> Result<DesignSettings, toml::de::Error>;

/// A setting of a design.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// The valid values, and the default.
    pub(crate) about: &'static str,
    /// True if there is no default.
    pub(crate) is_required: bool,
}

/// The design of the tables `[[row_hasher]]`.
pub(crate) const ROW_HASHER: Known = Known {
    name: "row-hasher",
    about: "a prefix and a hash of 4 characters before the row, as in Apache Fluo; for reads of single rows",
    settings: &[
        required("prefix", "the start of every key, before the first `:`"),
        optional(
            "scheme",
            "the hash of the rows: murmur3-base36, unless given, or sha1-base32",
        ),
    ],
    example: "prefix=p",
    parse: parse::<HashedRows>,
};

/// All designs.
pub(crate) const KNOWN: [Known; 9] = [
    ROW_HASHER,
    Known {
        name: "modulo",
        about: "a bucket before the row: the hash or number of the row modulo a count, as in Java programs",
        settings: &[
            optional(
                "buckets",
                "the number of buckets, 1 to 1,000,000; 10 unless given",
            ),
            optional(
                "of",
                "the value whose modulus is the bucket: java-hash, unless given, or number",
            ),
            AFTER_BUCKET,
            OVER,
        ],
        example: "",
        parse: parse::<Modulo>,
    },
    Known {
        name: "digest-salt",
        about: "digits of MD5 or SHA-1 before the row, of the whole row or its beginning; scans stay possible",
        settings: &[
            optional("digest", "the digest: md5, unless given, or sha1"),
            optional(
                "end",
                "the end of the digest's text to use: first, unless given, or last",
            ),
            DIGITS,
            optional(
                "separator",
                "the text between the salt and the row; empty unless given",
            ),
            OVER,
        ],
        example: "",
        parse: parse::<DigestSalt>,
    },
    Known {
        name: "web-table",
        about: "URLs with the parts of the host reversed, so the pages of a domain are adjacent",
        settings: &[
            DIGITS,
            optional(
                "over",
                "the part of the host that determines the salt: registrable-domain, unless given, or host",
            ),
            optional(
                "text",
                "the direction of the domain in the digest: forward, unless given, or reversed",
            ),
            optional(
                "leading_point",
                "true to start the split points with the first salt, as in tables made by guides; false unless given",
            ),
            optional(
                "list",
                "the version of the Public Suffix List with which the rows were written; not checked unless given",
            ),
        ],
        example: "",
        parse: parse::<WebTable>,
    },
    Known {
        name: "reversed",
        about: "the row backwards, for rows that count up and are read one by one or by suffix",
        settings: &[
            required(
                "length",
                "the length of all rows, as in length.fixed = 10, or \"stored\", to store it with each row, so that a \
                 key that was cut short is no other row; a digest-salt accepts rows of any length",
            ),
            optional(
                "unit",
                "the unit that changes places: bytes, unless given, or characters",
            ),
            optional(
                "alphabet",
                "the alphabet of the rows, for even split points: digits, hex, lower, printable or bytes",
            ),
        ],
        example: "length.fixed=10",
        parse: parse::<Reversed>,
    },
    Known {
        name: "reverse-time",
        about: "a time counted down, after or before the subject of the row; the newest comes first",
        settings: &[
            optional(
                "time",
                "the position of the time: last, unless given, or first",
            ),
            optional(
                "encoding",
                "the encoding of the time: decimal, unless given, or binary",
            ),
            optional(
                "separator",
                "the text between the subject and the time; `|` unless given",
            ),
            optional(
                "salt",
                "a table with the design of a salt, which is modulo, digest-salt or random-salt, and the settings of \
                 that design, as in salt.design = \"digest-salt\", salt.over = \"entity\"; no salt unless given",
            ),
        ],
        example: "",
        parse: parse::<ReverseTime>,
    },
    Known {
        name: "random-salt",
        about: "a randomly drawn bucket before the row; a row has no computable key, so every read scans all buckets",
        settings: &[
            required(
                "buckets",
                "the number of buckets, 2 to 65,536, which determines the width of the salt in a key",
            ),
            AFTER_BUCKET,
        ],
        example: "buckets=16",
        parse: parse::<RandomSalt>,
    },
    Known {
        name: "composite",
        about: "several fields in order, each ascending or descending by its value",
        settings: &[
            required(
                "fields",
                "an array of tables, one for each field in its order, each with a kind (text, bytes, signed, unsigned, float or time) and, if \
                 wanted, a name and an order, as in [{ kind = \"text\" }, { name = \"at\", kind = \"time\", order = \
                 \"descending\" }]",
            ),
            optional(
                "separator",
                "the character between the fields of a row; a tab unless given",
            ),
            optional(
                "salt",
                "a table with the design of a salt, which is modulo, digest-salt or random-salt, and the settings of \
                 that design, as in salt.design = \"digest-salt\", salt.over.fields = 1; no salt unless given",
            ),
        ],
        example: "fields=[{kind=\"text\"},{kind=\"time\",order=\"descending\"}]",
        parse: parse::<CompositeRows>,
    },
    Known {
        name: "unsalted",
        about: "the row as it is, for keys that are already spread or must not change",
        settings: &[],
        example: "",
        parse: parse::<Unsalted>,
    },
];

const AFTER_BUCKET: Setting = optional(
    "separator",
    "the text between the salt and the row; `|` unless given",
);

const DIGITS: Setting = optional(
    "digits",
    "the number of hexadecimal digits, 1 to 8; 2 unless given",
);

const OVER: Setting = optional(
    "over",
    "the part of the row that determines the salt: whole, unless given, or as in over.before = \"/\" or over.first = 4",
);

const fn optional(name: &'static str, about: &'static str) -> Setting {
    Setting {
        name,
        about,
        is_required: false,
    }
}

const fn required(name: &'static str, about: &'static str) -> Setting {
    Setting {
        name,
        about,
        is_required: true,
    }
}

fn parse<T: DeserializeOwned + Into<DesignSettings>>(
    settings: Deserializer<'_>,
) -> Result<DesignSettings, toml::de::Error> {
    T::deserialize(settings).map(Into::into)
}

impl Known {
    /// Returns the design of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        const ALL: &[Known] = &KNOWN;
        ALL.iter().find(|known| known.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_argument;
    use super::*;

    #[test]
    fn every_example_completes_its_design_and_is_needed() {
        for known in KNOWN {
            let is_complete = read_argument(known.name).is_ok();
            assert_eq!(is_complete, known.example.is_empty(), "{}", known.name);
            let example = match known.example {
                "" => known.name.to_owned(),
                example => format!("{},{example}", known.name),
            };
            assert_eq!(read_argument(&example).unwrap().name(), known.name);
        }
    }

    /// Compares the settings with the message of serde about an unknown one, which lists them.
    #[test]
    fn lists_the_settings_that_serde_reads() {
        for known in KNOWN {
            let unknown = Deserializer::parse("unknown = 1").unwrap();
            let message = (known.parse)(unknown).unwrap_err().message().to_owned();
            let listed: Vec<_> = message.split('`').skip(3).step_by(2).collect();
            let mut names: Vec<_> = known.settings.iter().map(|setting| setting.name).collect();
            for name in &listed {
                let place = names.iter().position(|known| known == name);
                names.remove(place.unwrap_or_else(|| panic!("{}: {name}", known.name)));
            }
            assert!(names.is_empty(), "{}: {names:?}", known.name);
        }
    }
}
