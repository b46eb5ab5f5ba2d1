//! JSON and postcard.

use std::collections::BTreeMap;

use proptest::prelude::{any, prop_assert_eq, proptest};
use serde::{Deserialize, Serialize};

use super::super::{Codec, Json, Postcard};
use super::{encoded, hex, refusal, reread};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Page {
    title: String,
    links: Vec<u32>,
    parent: Option<Box<Page>>,
}

/// A value whose number of fields serde cannot state in advance, as postcard requires.
#[derive(Debug, Serialize, Deserialize)]
struct Flat {
    before: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

fn page() -> Page {
    Page { title: "é".to_owned(), links: vec![1, 300], parent: None }
}

#[test]
fn json_is_plain_text() {
    let text = r#"{"title":"é","links":[1,300],"parent":null}"#;
    assert_eq!(encoded(&Json, &page()), text.as_bytes());
}

#[test]
fn postcard_has_a_version_byte() {
    assert_eq!(hex(&encoded(&Postcard, &page())), "0102c3a90201ac0200");
}

#[test]
fn json_rejects_other_types_and_text_after_the_value() {
    for bytes in [&b""[..], b"{}", b"[1]", b"{\"title\":", b"\xff", b"null null"] {
        let message = refusal::<Page>(&Json, bytes);
        let suffix = "is no JSON of the expected type";
        assert!(message.ends_with(suffix), "{message}");
    }
    assert!(Codec::<u8>::decode(&Json, b"1 2").is_err());
    assert_eq!(Codec::<u8>::decode(&Json, b" 1 \n").unwrap(), 1);
}

#[test]
fn json_ignores_unknown_fields() {
    let text = br#"{"title":"a","links":[],"parent":null,"new":1}"#;
    assert_eq!(Codec::<Page>::decode(&Json, text).unwrap().title, "a");
}

#[test]
fn postcard_rejects_truncated_and_additional_bytes() {
    let bytes = encoded(&Postcard, &page());
    for end in 0..bytes.len() {
        let truncated = Codec::<Page>::decode(&Postcard, &bytes[..end]);
        assert!(truncated.is_err(), "{end}");
    }
    let longer = [&bytes[..], &[0, 0]].concat();
    let message = refusal::<Page>(&Postcard, &longer);
    assert!(message.ends_with("has 2 bytes after the value"), "{message}");
}

#[test]
fn appends_nothing_if_the_value_cannot_be_written() {
    let mut bytes = b"before".to_vec();
    // JSON has no keys that are pairs, which is found after the opening brace.
    let pairs = BTreeMap::from([((1_u8, 2_u8), 3_u8)]);
    let error = Json.encode(&pairs, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "the value cannot be written as JSON");
    let flat = Flat { before: 1, rest: BTreeMap::new() };
    let error = Postcard.encode(&flat, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "the value cannot be written by postcard");
    assert_eq!(bytes, b"before");
}

proptest! {
    #[test]
    fn rereads_every_value(title in any::<String>(), links in any::<Vec<u32>>(), depth in 0..3) {
        let mut page = Page { title, links, parent: None };
        for _ in 0..depth {
            page = Page { parent: Some(Box::new(page.clone())), ..page };
        }
        prop_assert_eq!(&reread(&Json, &page), &page);
        prop_assert_eq!(&reread(&Postcard, &page), &page);
    }

    #[test]
    fn any_bytes_are_read_or_rejected(bytes in any::<Vec<u8>>()) {
        drop(Codec::<Page>::decode(&Json, &bytes));
        let versioned = [&[1][..], &bytes].concat();
        if let Ok(page) = Codec::<Page>::decode(&Postcard, &versioned) {
            let again = encoded(&Postcard, &page);
            prop_assert_eq!(Codec::<Page>::decode(&Postcard, &again).unwrap(), page);
        }
    }
}
