//! The designs that are tried on the keys.

use fluo_core::Bytes;
use serde::Serialize;

use super::without_key::is_nearly_all;
use crate::advisor::KeyProfile;
use crate::advisor::profile::FieldCut;
use crate::key_design::{
    DesignSettings, DigestSalt, HashedRows, MOST_BUCKETS, MOST_PIECES, Modulo, ModuloOf,
    RandomSalt, ReverseTime, Reversed, RowAlphabet, RowLength, SaltSettings, SaltedPart, Unsalted,
    WebTable,
};
use crate::row_hasher::HashScheme;

/// The prefix of the row hasher that is tried.
const PREFIX: &str = "r";
/// The buckets of the guide whose keys are `NN|key`.
const GUIDE_BUCKETS: u32 = 10;
/// The salts of two hexadecimal digits.
const TWO_DIGITS: u32 = 256;
/// The salts of four.
const FOUR_DIGITS: u32 = 65_536;

/// A design that is tried, and in how many tablets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Candidate {
    /// What it is called among the others.
    pub label: String,
    /// The design.
    pub settings: DesignSettings,
    /// How many tablets; never more than the design has salts.
    pub tablets: u32,
    /// Where the tablets end, if a table says so and the points are not the design's own.
    #[serde(skip)]
    pub split_points: Option<Vec<Bytes>>,
}

impl Candidate {
    /// A design to be tried in this many tablets.
    pub fn new(
        label: impl Into<String>,
        settings: impl Into<DesignSettings>,
        tablets: u32,
    ) -> Self {
        Self {
            label: label.into(),
            settings: settings.into(),
            tablets,
            split_points: None,
        }
    }

    /// A design to be tried in a table that is split at these points.
    pub fn at(
        label: impl Into<String>,
        settings: impl Into<DesignSettings>,
        points: &[Bytes],
    ) -> Self {
        let tablets = u32::try_from(points.len()).unwrap_or(u32::MAX);
        Self {
            split_points: Some(points.to_vec()),
            ..Self::new(label, settings, tablets.saturating_add(1))
        }
    }

    /// The keys as they are, in a table that is split where the keys seen so far say.
    #[must_use]
    pub fn unsalted(tablets: u32) -> Self {
        Self::new("unsalted", Unsalted {}, tablets)
    }

    /// The designs that suit keys of such a profile, each in this many tablets or in as many as it can have.
    ///
    /// Every named design but `composite`: lines of text do not say of which fields, of which types, keys are made.
    /// `web-table` is tried on web addresses, with a scheme or without, `reversed` on keys of one length,
    /// `reverse-time` on keys that are a field, a separator and a whole number. One key in a hundred may be of another
    /// kind.
    #[must_use]
    pub fn all_for(profile: &KeyProfile, tablets: u32) -> Vec<Self> {
        let mut all = vec![
            Self::unsalted(tablets),
            Self::new(
                "row-hasher",
                HashedRows {
                    prefix: PREFIX.to_owned(),
                    scheme: HashScheme::default(),
                },
                tablets,
            ),
        ];
        all.extend(digest_salts(profile, tablets));
        if matches!(
            profile.leading_fields.cut,
            Some(FieldCut::UrlHost | FieldCut::Host)
        ) {
            let tablets = tablets.min(TWO_DIGITS);
            all.push(Self::new("web-table", WebTable::default(), tablets));
        }
        all.extend(reverse_time(profile, tablets));
        all.extend(reversed(profile, tablets));
        all.extend(modulo(profile, tablets));
        let most = u32::try_from(MOST_PIECES).unwrap_or(u32::MAX);
        let buckets = tablets.clamp(2, most);
        all.push(Self::new(
            format!("random-salt {buckets}"),
            RandomSalt::new(buckets),
            tablets.min(buckets),
        ));
        all
    }
}

/// Returns the design that reads keys backwards, if nearly all keys have one length.
fn reversed(profile: &KeyProfile, tablets: u32) -> Option<Candidate> {
    let length = usize::try_from(profile.lengths.median).ok()?;
    let keys = &profile.sample.keys;
    if length == 0 || !is_nearly_all(keys, |key| key.len() == length) {
        return None;
    }
    let is_made_of = |is_symbol: fn(&u8) -> bool| {
        is_nearly_all(keys, |key| key.len() == length && key.iter().all(is_symbol))
    };
    let alphabet = if is_made_of(u8::is_ascii_digit) {
        Some(RowAlphabet::Digits)
    } else if is_made_of(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        Some(RowAlphabet::Hex)
    } else if is_made_of(u8::is_ascii_lowercase) {
        Some(RowAlphabet::Lower)
    } else {
        None
    };
    let settings = Reversed {
        alphabet,
        ..Reversed::new(RowLength::Fixed(length))
    };
    Some(Candidate::new("reversed", settings, tablets))
}

/// Returns the design that counts times down within what they are about, if nearly every key of the sample is a field
/// and a number.
fn reverse_time(profile: &KeyProfile, tablets: u32) -> Option<Candidate> {
    let cut = profile.leading_fields.cut?;
    if matches!(cut, FieldCut::Separator { fields: 2.., .. }) {
        return None;
    }
    let byte = cut.separator()?;
    let is_timed = |key: &[u8]| {
        let place = memchr::memchr(byte, key);
        let time = place
            .and_then(|place| key.get(place + 1..))
            .unwrap_or_default();
        !time.is_empty() && time.iter().all(u8::is_ascii_digit)
    };
    if !byte.is_ascii() || !is_nearly_all(&profile.sample.keys, is_timed) {
        return None;
    }
    let over_the_entity = DigestSalt {
        separator: ":".to_owned(),
        over: SaltedPart::Entity,
        ..DigestSalt::default()
    };
    let settings = ReverseTime {
        separator: char::from(byte).to_string(),
        salt: Some(SaltSettings::from(over_the_entity)),
        ..ReverseTime::default()
    };
    Some(Candidate::new(
        "reverse-time, salted by entity",
        settings,
        tablets.min(TWO_DIGITS),
    ))
}

fn modulo(profile: &KeyProfile, tablets: u32) -> Vec<Candidate> {
    let buckets = tablets.min(MOST_BUCKETS);
    let mut all = Vec::new();
    if buckets != GUIDE_BUCKETS && buckets > 1 {
        let settings = Modulo {
            buckets,
            ..Modulo::default()
        };
        all.push(Candidate::new(
            format!("modulo {buckets}"),
            settings,
            buckets,
        ));
    }
    let is_number = |key: &[u8]| !key.is_empty() && key.iter().all(u8::is_ascii_digit);
    if buckets > 1 && is_nearly_all(&profile.sample.keys, is_number) {
        let settings = Modulo {
            buckets,
            of: ModuloOf::Number,
            ..Modulo::default()
        };
        all.push(Candidate::new(
            format!("modulo {buckets} of the number"),
            settings,
            buckets,
        ));
    }
    all.push(Candidate::new(
        format!("modulo {GUIDE_BUCKETS}"),
        Modulo {
            buckets: GUIDE_BUCKETS,
            ..Modulo::default()
        },
        tablets.min(GUIDE_BUCKETS),
    ));
    all
}

fn digest_salts(profile: &KeyProfile, tablets: u32) -> Vec<Candidate> {
    let salt = |digits: u8, over: SaltedPart| DigestSalt {
        digits,
        separator: ":".to_owned(),
        over,
        ..DigestSalt::default()
    };
    let mut all = vec![
        Candidate::new(
            "digest-salt, 4 digits",
            salt(4, SaltedPart::Whole),
            tablets.min(FOUR_DIGITS),
        ),
        Candidate::new(
            "digest-salt, 2 digits",
            salt(2, SaltedPart::Whole),
            tablets.min(TWO_DIGITS),
        ),
    ];
    // Where the first field is the same in every key too: people salt over it, and have to be told.
    if let Some(byte) = profile.leading_fields.cut.and_then(FieldCut::separator)
        && byte.is_ascii()
    {
        let before = char::from(byte).to_string();
        let label = format!(
            "digest-salt of what is before `{}`",
            fluo_core::Escaped(&[byte])
        );
        all.push(Candidate::new(
            label,
            salt(2, SaltedPart::Before(before)),
            tablets.min(TWO_DIGITS),
        ));
    }
    all
}
