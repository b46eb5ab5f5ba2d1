//! Every design, with rows that it accepts and sets of them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fluo_keys::{
    CompositeRows, Digest, DigestSalt, DigestSide, FieldKind, FieldOrder, FieldSettings, HashInput,
    HashScheme, HashedRows, KeyDesign, Modulo, RandomSalt, ReverseTime, Reversed, RowLength,
    RowSelection, SaltSettings, SaltedPart, TimePosition, Unsalted, WebTable,
};
use fluo_table::Bytes;
use proptest::prelude::*;
use proptest::sample::select;

/// A design and the kind of its rows.
pub(crate) struct Case {
    pub(crate) design: KeyDesign,
    pub(crate) kind: Kind,
    /// `true` if the design has too many salts to read all rows by spans.
    pub(crate) is_too_wide: bool,
}

impl Case {
    /// Returns the part of the key of a row by which rows are ordered.
    pub(crate) fn unsalted(&self, row: &[u8]) -> Bytes {
        let key = self.design.encode_row(row).unwrap();
        Bytes::copy_from_slice(self.design.unsalted(&key).unwrap())
    }
}

/// A kind of rows. It defines sets of rows without any design.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Any bytes.
    Bytes,
    /// Text in UTF-8.
    Text,
    /// Whole numbers.
    Numbers,
    /// Four bytes, read backwards.
    Backwards,
    /// A thing, `|` and a time, the newest first within a thing.
    TimeLast,
    /// A time, `|` and a thing, the newest first.
    TimeFirst,
    /// Bytes in hexadecimal digits, a tab and a number.
    Fields,
    /// Pages of the web.
    Pages,
}

impl Kind {
    pub(crate) fn row(self) -> BoxedStrategy<Bytes> {
        let text = |strategy: &'static str| strategy.prop_map(Bytes::from).boxed();
        let thing = || select(vec!["a", "a!", "ab", "b1"]);
        match self {
            Self::Bytes => bytes(0..5),
            Self::Backwards => bytes(4..5),
            Self::Text => text("[ab|~\u{0}é\u{10ffff}]{0,4}"),
            Self::Numbers => text("-?[0-9]{1,4}"),
            Self::TimeLast => {
                let row = |(thing, time): (_, i64)| format!("{thing}|{time}").into();
                (thing(), 0..1_200_i64).prop_map(row).boxed()
            }
            Self::TimeFirst => {
                let row = |(thing, time): (_, i64)| format!("{time}|{thing}").into();
                (thing(), 0..1_200_i64).prop_map(row).boxed()
            }
            Self::Fields => {
                let bytes = select(vec!["", "00", "61", "61ff", "6162", "ff", "ffff"]);
                let row = |(bytes, number): (_, i64)| format!("{bytes}\t{number}").into();
                (bytes, -300..300_i64).prop_map(row).boxed()
            }
            Self::Pages => {
                let host = select(vec![
                    "example.com",
                    "www.example.com",
                    "a.www.example.com",
                    "example2.com",
                    "example-x.com",
                    "example.co.uk",
                    "shop.example.co.uk",
                ]);
                let path = "/[a/]{0,2}";
                (host, path).prop_map(|(host, path)| format!("{host}{path}").into()).boxed()
            }
        }
    }

    /// Returns the sets that two rows suggest.
    pub(crate) fn sets(self, one: &Bytes, other: &Bytes) -> Vec<RowSelection> {
        let (first, last) = (one.min(other).clone(), one.max(other).clone());
        let mut sets = vec![RowSelection::All, RowSelection::Row(one.clone())];
        match self {
            Self::Bytes | Self::Text | Self::Numbers => {
                let half = one.slice(..one.len() / 2);
                sets.extend([
                    RowSelection::Prefix(half),
                    RowSelection::Prefix(one.clone()),
                    RowSelection::range(first.clone(), last),
                ]);
                sets.push(RowSelection::Range { start: first, end: None });
            }
            Self::Backwards => {
                sets.extend([
                    RowSelection::Suffix(one.slice(2..)),
                    RowSelection::Suffix(one.slice(1..)),
                    RowSelection::range(first, last),
                ]);
            }
            Self::TimeLast => {
                let (thing, time) = split(one, '|');
                let prefix = format!("{thing}|");
                sets.push(RowSelection::Prefix(prefix.clone().into()));
                sets.push(between(&prefix, time, split(other, '|').1));
                sets.push(between(&prefix, "100", "900"));
                sets.push(RowSelection::range("a", "b"));
            }
            Self::TimeFirst => {
                let (time, other) = (split(one, '|').0, split(other, '|').0);
                sets.push(RowSelection::Prefix(format!("{time}|").into()));
                sets.push(between("", time, other));
                sets.push(between("", "100", "900"));
            }
            Self::Fields => {
                let (bytes, number) = split(one, '\t');
                let prefix = format!("{bytes}\t");
                sets.push(RowSelection::Prefix(prefix.clone().into()));
                sets.push(RowSelection::Prefix(bytes.get(..2).unwrap_or("").to_owned().into()));
                sets.push(between(&prefix, number, split(other, '\t').1));
                sets.push(between(&prefix, "-100", "100"));
            }
            Self::Pages => {
                let host = split(one, '/').0;
                sets.push(RowSelection::domain(host));
                sets.push(RowSelection::domain_and_subdomains(host));
                sets.push(RowSelection::domain_and_subdomains("example.com"));
                sets.push(RowSelection::Prefix(format!("{host}/").into()));
            }
        }
        sets
    }
}

fn between(prefix: &str, from: &str, to: &str) -> RowSelection {
    RowSelection::between(prefix.to_owned(), from.to_owned(), to.to_owned())
}

fn text(row: &[u8]) -> &str {
    std::str::from_utf8(row).unwrap()
}

/// Returns the parts before and after the first occurrence of a character.
fn split(row: &[u8], separator: char) -> (&str, &str) {
    text(row).split_once(separator).unwrap()
}

fn bytes(length: std::ops::Range<usize>) -> BoxedStrategy<Bytes> {
    let byte = select(vec![0_u8, 1, b'a', b'|', 0xff]);
    proptest::collection::vec(byte, length).prop_map(Bytes::from).boxed()
}

fn case(settings: impl Into<fluo_keys::DesignSettings>, kind: Kind) -> Case {
    Case { design: KeyDesign::new(settings).unwrap(), kind, is_too_wide: false }
}

fn digest(digits: u8, digest: Digest, end: DigestSide, over: SaltedPart) -> DigestSalt {
    DigestSalt { digits, digest, end, over, separator: "-".to_owned() }
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all = vec![case(Unsalted {}, Kind::Bytes)];
    all.extend(salted());
    all.extend(timed());
    all.extend(composite());
    all.push(case(Reversed::new(RowLength::Fixed(4)), Kind::Backwards));
    all.push(case(Reversed::new(RowLength::Stored), Kind::Backwards));
    all.push(case(WebTable::default(), Kind::Pages));
    all
}

fn salted() -> Vec<Case> {
    let number = Modulo { of: HashInput::Number, buckets: 7, ..Modulo::default() };
    let whole = SaltedPart::Whole;
    let hashed = |scheme| Case {
        is_too_wide: true,
        ..case(HashedRows { prefix: "p".to_owned(), scheme }, Kind::Bytes)
    };
    // One bucket after the other, so that each one is drawn.
    let next = AtomicU64::new(0);
    let drawn = case(RandomSalt::new(5), Kind::Bytes);
    let drawn =
        Case { design: drawn.design.with_salt_source(move || next.fetch_add(1, Relaxed)), ..drawn };
    let mut all = vec![
        case(Modulo::default(), Kind::Text),
        case(number, Kind::Numbers),
        case(digest(1, Digest::Md5, DigestSide::First, whole.clone()), Kind::Bytes),
        case(digest(1, Digest::Md5, DigestSide::Last, whole.clone()), Kind::Bytes),
        case(digest(1, Digest::Sha1, DigestSide::First, whole.clone()), Kind::Bytes),
        case(digest(1, Digest::Sha1, DigestSide::Last, whole), Kind::Bytes),
        case(
            digest(2, Digest::Md5, DigestSide::First, SaltedPart::Before("|".to_owned())),
            Kind::Bytes,
        ),
        case(digest(1, Digest::Sha1, DigestSide::Last, SaltedPart::First(2)), Kind::Bytes),
        drawn,
    ];
    all.extend(HashScheme::ALL.iter().map(|scheme| hashed(*scheme)));
    all
}

fn timed() -> Vec<Case> {
    let over_the_entity = digest(1, Digest::Md5, DigestSide::First, SaltedPart::Entity);
    let salted =
        |salt: Option<SaltSettings>, time| ReverseTime { time, salt, ..ReverseTime::default() };
    let modulo = Modulo { buckets: 4, ..Modulo::default() };
    vec![
        case(salted(None, TimePosition::Last), Kind::TimeLast),
        case(salted(Some(over_the_entity.into()), TimePosition::Last), Kind::TimeLast),
        case(salted(None, TimePosition::First), Kind::TimeFirst),
        case(salted(Some(modulo.into()), TimePosition::First), Kind::TimeFirst),
    ]
}

fn composite() -> Vec<Case> {
    let fields = || {
        vec![
            FieldSettings::new("thing", FieldKind::Bytes),
            FieldSettings {
                order: FieldOrder::Descending,
                ..FieldSettings::new("number", FieldKind::Signed)
            },
        ]
    };
    let salted = |over| CompositeRows {
        salt: Some(digest(1, Digest::Md5, DigestSide::First, over).into()),
        ..CompositeRows::new(fields())
    };
    vec![
        case(CompositeRows::new(fields()), Kind::Fields),
        case(salted(SaltedPart::Whole), Kind::Fields),
        case(salted(SaltedPart::Fields(1)), Kind::Fields),
    ]
}
