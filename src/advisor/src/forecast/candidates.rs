//! The designs that are tried on the keys.

use fluo_keys::{
    DesignSettings, DigestSalt, HashInput, HashScheme, HashedRows, Modulo, RandomSalt, ReverseTime,
    Reversed, RowAlphabet, RowLength, SaltSettings, SaltedPart, Unsalted, WebTable,
};
use fluo_table::{Bytes, Escaped};
use serde::Serialize;

use crate::KeyProfile;
use crate::profile::{FieldCut, SampledKey};
use fluo_keys::number::float_len;

const PREFIX: &str = "r";
/// The number of buckets in the guide whose keys are `NN|key`.
const GUIDE_BUCKETS: u32 = 10;
const TWO_DIGITS: u32 = 256;
/// The maximum number of salts that are tried: those of four hexadecimal digits.
const MAX_SALTS: u32 = 65_536;

/// The maximum share of rejected keys in the sample with which a design is still possible; the
/// others decide its suitability. One odd URL of 30,000 is a mistake; one of ten shows that the
/// design does not suit.
pub(crate) const MAX_REJECTED: f64 = 0.01;

/// A design to be tried, with its number of tablets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The name of the candidate in a report.
    pub label: String,
    /// The design.
    pub settings: DesignSettings,
    /// The number of tablets; at most as many as the design has salts.
    pub tablets: u32,
    /// The ends of the tablets, if a table gives them and they are not the design's own.
    #[serde(skip)]
    pub split_points: Option<Vec<Bytes>>,
}

impl Candidate {
    /// Creates a candidate with this many tablets.
    pub fn new(
        label: impl Into<String>,
        settings: impl Into<DesignSettings>,
        tablets: u32,
    ) -> Self {
        Self { label: label.into(), settings: settings.into(), tablets, split_points: None }
    }

    /// Creates a candidate in a table that is split at these points.
    pub(crate) fn with_split_points(
        label: impl Into<String>,
        settings: impl Into<DesignSettings>,
        points: &[Bytes],
    ) -> Self {
        let tablets = u32::try_from(points.len()).unwrap_or(u32::MAX);
        let candidate = Self::new(label, settings, tablets.saturating_add(1));
        Self { split_points: Some(points.to_vec()), ..candidate }
    }

    /// Returns the designs that suit keys of such a profile, each with this many tablets or its
    /// maximum.
    ///
    /// These are all named designs except `composite`, because lines of text do not show the fields
    /// of keys and their types. `web-table` is tried on web addresses, with a scheme or without,
    /// `reversed` on keys of one length, and `reverse-time` on keys that consist of a field, a
    /// separator and a whole number. One key in a hundred may be different.
    pub(crate) fn all_for(profile: &KeyProfile, tablets: u32) -> Vec<Self> {
        let mut all = vec![Self::new("unsalted", Unsalted {}, tablets)];
        let mut add = |label: &str, settings: DesignSettings, most_tablets: u32| {
            all.push(Self::new(label, settings, tablets.min(most_tablets)));
        };
        let prefix = PREFIX.to_owned();
        let scheme = HashScheme::default();
        add("row-hasher", HashedRows { prefix, scheme }.into(), u32::MAX);
        add("digest-salt, 4 digits", digest(4, SaltedPart::Whole), MAX_SALTS);
        add("digest-salt, 2 digits", digest(2, SaltedPart::Whole), TWO_DIGITS);
        let cut = profile.leading_fields.cut;
        // Also if the first field is the same in every key: users salt it, and the report warns
        // them. Nothing is before a separator with which keys begin.
        let begins = |byte: &u8| profile.common_prefix.first() == Some(byte);
        let separator = cut.and_then(FieldCut::separator);
        if let Some(byte) = separator.filter(|byte| byte.is_ascii() && !begins(byte)) {
            let before = SaltedPart::Before(char::from(byte).to_string());
            let label = format!("digest-salt of what is before `{}`", Escaped(&[byte]));
            add(&label, digest(2, before), TWO_DIGITS);
        }
        if matches!(cut, Some(FieldCut::UrlHost | FieldCut::Host)) {
            add("web-table", WebTable::default().into(), TWO_DIGITS);
        }
        if let Some(settings) = reverse_time(profile) {
            add("reverse-time, salted by entity", settings.into(), TWO_DIGITS);
        }
        if let Some(settings) = reversed(profile) {
            add("reversed", settings.into(), u32::MAX);
        }
        for settings in moduli(profile, tablets.min(MAX_SALTS)) {
            let buckets = settings.buckets;
            let of = match settings.of {
                HashInput::Number => " of the number",
                _ => "",
            };
            add(&format!("modulo {buckets}{of}"), settings.into(), buckets);
        }
        let buckets = tablets.clamp(2, MAX_SALTS);
        let random = RandomSalt::new(buckets);
        add(&format!("random-salt {buckets}"), random.into(), buckets);
        all
    }
}

fn digest(digits: u8, over: SaltedPart) -> DesignSettings {
    let separator = ":".to_owned();
    DigestSalt { digits, separator, over, ..DigestSalt::default() }.into()
}

fn moduli(profile: &KeyProfile, buckets: u32) -> Vec<Modulo> {
    let modulo = |buckets, of| Modulo { buckets, of, ..Modulo::default() };
    let mut all = Vec::new();
    if buckets > 1 && buckets != GUIDE_BUCKETS {
        all.push(modulo(buckets, HashInput::JavaHash));
    }
    let is_number = |key: &[u8]| !key.is_empty() && key.iter().all(u8::is_ascii_digit);
    if buckets > 1 && is_nearly_all(&profile.sample.keys, is_number) {
        all.push(modulo(buckets, HashInput::Number));
    }
    all.push(modulo(GUIDE_BUCKETS, HashInput::JavaHash));
    all
}

/// An alphabet, and the check whether a byte is one of its symbols.
type Symbols = (RowAlphabet, fn(&u8) -> bool);

/// Returns the design that reverses keys, if nearly all keys have one length.
fn reversed(profile: &KeyProfile) -> Option<Reversed> {
    let length = usize::try_from(profile.lengths.median).ok()?;
    let keys = &profile.sample.keys;
    if length == 0 || !is_nearly_all(keys, |key| key.len() == length) {
        return None;
    }
    let alphabets: [Symbols; 3] = [
        (RowAlphabet::Digits, u8::is_ascii_digit),
        (RowAlphabet::Hex, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        (RowAlphabet::Lower, u8::is_ascii_lowercase),
    ];
    let is_made_of = |(_, is_symbol): &Symbols| {
        is_nearly_all(keys, |key| key.len() == length && key.iter().all(is_symbol))
    };
    let alphabet = alphabets.into_iter().find(is_made_of).map(|(alphabet, _)| alphabet);
    Some(Reversed { alphabet, ..Reversed::new(RowLength::Fixed(length)) })
}

/// Returns the design that counts times down within each entity, if nearly every key of the sample
/// consists of a field and a number.
fn reverse_time(profile: &KeyProfile) -> Option<ReverseTime> {
    let cut = profile.leading_fields.cut?;
    if matches!(cut, FieldCut::Separator { fields: 2.., .. }) {
        return None;
    }
    let byte = cut.separator()?;
    let is_timed = |key: &[u8]| {
        let place = memchr::memchr(byte, key);
        let time = place.and_then(|place| key.get(place + 1..)).unwrap_or_default();
        !time.is_empty() && time.iter().all(u8::is_ascii_digit)
    };
    if !byte.is_ascii() || !is_nearly_all(&profile.sample.keys, is_timed) {
        return None;
    }
    let over_the_entity =
        DigestSalt { separator: ":".to_owned(), over: SaltedPart::Entity, ..DigestSalt::default() };
    Some(ReverseTime {
        separator: char::from(byte).to_string(),
        salt: Some(SaltSettings::from(over_the_entity)),
        ..ReverseTime::default()
    })
}

/// Checks whether nearly all keys of a sample suit a design, so that it is worth a try.
fn is_nearly_all(keys: &[SampledKey], can: impl Fn(&[u8]) -> bool) -> bool {
    let most = float_len(keys.len()) * MAX_REJECTED;
    let rejected = keys.iter().filter(|sampled| !can(&sampled.key)).count();
    !keys.is_empty() && float_len(rejected) <= most
}
