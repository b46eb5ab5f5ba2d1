//! The leading fields of keys, such as a tenant, a host or a kind.

use fluo_keys::WebTable;
use fluo_table::{Bytes, Escaped};
use serde::{Serialize, Serializer};

use super::heavy_hitters::HeavyHitters;
use fluo_keys::number::share;

/// The maximum number of keys from which the cut is chosen.
const LOOKED_AT_KEYS: usize = 1_000;
const LOOKED_AT_BYTES: usize = 1 << 20;
/// The bytes that may separate fields, the most likely first.
const SEPARATORS: [u8; 12] = *b"\0\t|#:/;, _-.";
/// The least share of the keys that contain a separator, in percent.
const SEPARATED_PERCENT: usize = 90;
/// The maximum number of fields that are joined, to get past fields that are the same in every key.
const MAX_FIELDS: usize = 8;
const FIRST_BYTES: usize = 4;
const MAX_HOT: usize = 20;
/// The least share of the keys that makes a field hot, in percent.
const HOT_PERCENT: u64 = 1;

/// The end of the leading field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "cut")]
#[non_exhaustive]
pub enum FieldCut {
    /// After this many fields, including the separators between them.
    Separator {
        /// The separator.
        #[serde(serialize_with = "separator")]
        byte: u8,
        /// The number of fields; more than one if the first is the same in every key of the choice,
        /// and most of them have another separator.
        fields: usize,
    },
    /// At the end of the host of a URL: `https://example.com:80`.
    UrlHost,
    /// At the end of the host of a web address without a scheme: `example.com:80`.
    Host,
    /// After this many bytes, because no separator was found.
    FirstBytes {
        /// The number of bytes.
        bytes: usize,
    },
}

pub(super) fn escaped<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&Escaped(bytes))
}

fn separator<S: Serializer>(byte: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    escaped(&[*byte], serializer)
}

impl FieldCut {
    /// Returns the leading field of a key, or the whole key if it contains no separator.
    pub fn field(self, key: &[u8]) -> &[u8] {
        let end = match self {
            Self::Separator { byte, fields } => {
                memchr::memchr_iter(byte, key).nth(fields.saturating_sub(1))
            }
            Self::UrlHost => memchr::memmem::find(key, b"://").and_then(|scheme| {
                let host = scheme + 3;
                let ends_it = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
                Some(host + key.get(host..)?.iter().position(ends_it)?)
            }),
            Self::Host => key.iter().position(|byte| matches!(byte, b'/' | b'?')),
            Self::FirstBytes { bytes } => Some(bytes),
        };
        end.and_then(|end| key.get(..end)).unwrap_or(key)
    }

    /// Returns the byte that ends the leading field; `None` if no single byte ends it.
    pub(crate) fn separator(self) -> Option<u8> {
        match self {
            Self::Separator { byte, .. } => Some(byte),
            Self::Host => Some(b'/'),
            Self::UrlHost | Self::FirstBytes { .. } => None,
        }
    }

    fn for_keys(keys: &[Bytes]) -> Self {
        let is_most = |has: &dyn Fn(&Bytes) -> bool| {
            keys.iter().filter(|key| has(key)).count() * 100 >= keys.len() * SEPARATED_PERCENT
        };
        if is_most(&|key| memchr::memmem::find(key, b"://").is_some()) {
            return Self::UrlHost;
        }
        if is_most(&|key| WebTable::is_web_address(key)) {
            return Self::Host;
        }
        let found = SEPARATORS.into_iter().find(|separator| {
            // A separator at the beginning, as of a path, ends no field.
            is_most(&|key| key.iter().skip(1).any(|byte| byte == separator))
        });
        let Some(byte) = found else {
            return Self::FirstBytes { bytes: FIRST_BYTES };
        };
        let distinguishes = |fields: &usize| {
            let cut = Self::Separator { byte, fields: *fields };
            keys.iter().zip(keys.iter().skip(1)).any(|(a, b)| cut.field(a) != cut.field(b))
        };
        // Where most keys have no such separator, the field would be the whole key.
        let ends = |fields: &usize| {
            let has = |key: &&Bytes| memchr::memchr_iter(byte, key).count() >= *fields;
            keys.iter().filter(has).count() * 2 >= keys.len()
        };
        let fields = (1..=MAX_FIELDS).take_while(ends).find(distinguishes).unwrap_or(1);
        Self::Separator { byte, fields }
    }
}

/// The leading fields that many keys share.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeadingFields {
    /// The end of the field, chosen from the first 1,000 keys; `None` if there are no keys.
    pub cut: Option<FieldCut>,
    /// The fields that at least 1 % of the keys have, most frequent first; at most 20.
    pub hot: Vec<HotField>,
    /// The amount by which each count may be too low; counts are never too high. 0 if all are
    /// exact. A field that more keys have than this is never missed.
    pub error: u64,
}

/// A leading field, or a row, that many keys have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HotField {
    /// The bytes of the field, at most the first 256, or of the row.
    #[serde(serialize_with = "escaped")]
    pub field: Bytes,
    /// A lower bound on the number of its keys.
    pub keys: u64,
    /// Their share of all keys.
    pub share: f64,
}

impl HotField {
    pub(super) fn new(field: impl Into<Bytes>, keys: u64, of_keys: u64) -> Self {
        Self { field: field.into(), keys, share: share(keys, of_keys) }
    }
}

/// A counter that chooses the cut from the first keys.
#[derive(Debug, Default)]
pub(super) struct LeadingFieldCounter {
    first: Vec<Bytes>,
    first_bytes: usize,
    cut: Option<FieldCut>,
    hitters: HeavyHitters,
}

impl LeadingFieldCounter {
    pub(super) fn push(&mut self, key: &[u8]) {
        if let Some(cut) = self.cut {
            return self.hitters.push(cut.field(key));
        }
        self.first_bytes += key.len();
        self.first.push(Bytes::copy_from_slice(key));
        if self.first.len() == LOOKED_AT_KEYS || self.first_bytes >= LOOKED_AT_BYTES {
            self.choose();
        }
    }

    fn choose(&mut self) {
        let cut = FieldCut::for_keys(&self.first);
        for key in std::mem::take(&mut self.first) {
            self.hitters.push(cut.field(&key));
        }
        self.cut = Some(cut);
    }

    pub(super) fn finish(mut self, keys: u64) -> LeadingFields {
        if self.cut.is_none() && !self.first.is_empty() {
            self.choose();
        }
        let error = self.hitters.error;
        let least = (keys.saturating_mul(HOT_PERCENT) / 100).saturating_sub(error).max(2);
        let hot = self.hitters.at_least(least).into_iter().take(MAX_HOT);
        LeadingFields {
            cut: self.cut,
            hot: hot.map(|(field, of_field)| HotField::new(field, of_field, keys)).collect(),
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(keys: &[&str]) -> LeadingFields {
        let mut counter = LeadingFieldCounter::default();
        for key in keys {
            counter.push(key.as_bytes());
        }
        counter.finish(keys.len() as u64)
    }

    #[test]
    fn finds_the_end_of_fields() {
        for (keys, cut) in [
            (["a|b/c", "d|e"], FieldCut::Separator { byte: b'|', fields: 1 }),
            (["p:1:x", "p:2:y"], FieldCut::Separator { byte: b':', fields: 2 }),
            (["https://a.org/x", "http://b.org"], FieldCut::UrlHost),
            (["www.a.org/x", "b.co.uk"], FieldCut::Host),
            (["www.a.org/x", "main.rs"], FieldCut::Separator { byte: b'.', fields: 1 }),
            (["org.a/x", "org.b/y"], FieldCut::Separator { byte: b'/', fields: 1 }),
            (["/usr/a.so", "/etc/b.d"], FieldCut::Separator { byte: b'/', fields: 2 }),
            (["/usr/lib/x/a", "/usr/lib/y/b"], FieldCut::Separator { byte: b'/', fields: 4 }),
            (["123456", "789012"], FieldCut::FirstBytes { bytes: 4 }),
            (["/a", "/b"], FieldCut::FirstBytes { bytes: 4 }),
            // There is no second separator, although the keys differ.
            (["user-1", "user-2"], FieldCut::Separator { byte: b'-', fields: 1 }),
            (["user-1-x", "user-2"], FieldCut::Separator { byte: b'-', fields: 2 }),
        ] {
            assert_eq!(fields(&keys).cut, Some(cut), "{keys:?}");
        }
        assert_eq!(fields(&[]).cut, None);
    }

    #[test]
    fn cuts_a_field_off() {
        let url = FieldCut::UrlHost;
        assert_eq!(url.field(b"https://a.org:80/x/y"), b"https://a.org:80");
        assert_eq!(url.field(b"https://a.org"), b"https://a.org");
        assert_eq!(url.field(b"a.org/x"), b"a.org/x");
        let host = FieldCut::Host;
        assert_eq!(host.field(b"a.org:80/x/y"), b"a.org:80");
        assert_eq!(host.field(b"a.org?x"), b"a.org");
        assert_eq!(host.field(b"a.org"), b"a.org");
        let second = FieldCut::Separator { byte: b':', fields: 2 };
        assert_eq!(second.field(b"p:1:x"), b"p:1");
        assert_eq!(second.field(b"p:1"), b"p:1");
        assert_eq!(FieldCut::FirstBytes { bytes: 4 }.field(b"123"), b"123");
    }

    #[test]
    fn reports_hot_fields_with_their_share() {
        let keys: Vec<String> = (0..3_000)
            .map(
                |number| {
                    if number % 3 == 0 { format!("t{number}|x") } else { "acme|x".to_owned() }
                },
            )
            .collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let found = fields(&keys);
        assert_eq!(found.hot.len(), 1);
        assert_eq!((&*found.hot[0].field, found.hot[0].keys), (b"acme".as_slice(), 2_000));
        assert_eq!(found.error, 0);
        assert!((found.hot[0].share - 2.0 / 3.0).abs() < 1e-9);
    }
}
