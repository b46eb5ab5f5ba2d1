//! JSON text, through serde.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use fluo_table::Excerpt;

use super::contract::{Codec, CodecError};

/// The codec of JSON text, for every type that serde can write and read.
///
/// The bytes are plain JSON without blanks and without a version byte, so other programs read them
/// as they are. A later version of a type reads the text of an earlier one if serde's rules allow
/// it: a new field needs `#[serde(default)]`, and an unknown field is ignored. The name is `json`
/// for every type: it contains no name of a type of Rust, which a refactoring would change.
///
/// JSON is not a [`KeyCodec`](super::KeyCodec): the same map can be written in two orders, and
/// serde's attributes can write two values in one way. JSON has no infinite floats and no `NaN`:
/// they are written as `null`, which cannot be read as a float.
///
/// # Examples
///
/// ```
/// use fluo_recipes::codec::{Codec, Json};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize)]
/// struct Page {
///     title: String,
///     links: u32,
/// }
///
/// let page = Page { title: "cats".into(), links: 3 };
/// let mut bytes = Vec::new();
/// Json.encode(&page, &mut bytes)?;
/// assert_eq!(bytes, br#"{"title":"cats","links":3}"#);
/// assert_eq!(Codec::<Page>::decode(&Json, &bytes)?, page);
/// # Ok::<(), fluo_recipes::codec::CodecError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl<T: Serialize + DeserializeOwned + 'static> Codec<T> for Json {
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        let before = bytes.len();
        serde_json::to_writer(&mut *bytes, value).map_err(|error| {
            bytes.truncate(before);
            CodecError::with_source("the value cannot be written as JSON", error)
        })
    }

    fn decode(&self, bytes: &[u8]) -> Result<T, CodecError> {
        serde_json::from_slice(bytes).map_err(|error| {
            let flaw = format!("{} is no JSON of the expected type", Excerpt::new(bytes));
            CodecError::with_source(flaw, error)
        })
    }

    fn name(&self) -> Cow<'static, str> {
        "json".into()
    }
}
