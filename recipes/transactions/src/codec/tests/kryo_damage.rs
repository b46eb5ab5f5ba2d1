//! Bytes that Kryo cannot have written.

use std::fmt::Debug;

use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::super::{Codec, Kryo};
use super::{encoded, refusal, reread, unhex};

/// Returns what is wrong with a damaged value.
fn flaw<T: Debug>(bytes: &str) -> String
where
    Kryo: Codec<T>,
{
    let message = refusal::<T>(&Kryo, &unhex(bytes));
    let (_, flaw) = message.split_once(": ").expect("damage");
    flaw.to_owned()
}

#[test]
fn names_what_is_wrong_with_a_string() {
    let long = format!("{} f8", "78".repeat(63));
    for (expected, bodies) in [
        (
            "the bytes end too early",
            &["", "61", "82", "83 61", "82 e6", "82 e6 97", "83e697a5", "c1", "c1 01", "c1 81"][..],
        ),
        // A length that the bytes cannot fill.
        ("the bytes end too early", &["ff ff ff ff ff 0f 61"]),
        ("1 byte after the value", &["81 00", "82 61 61", "61 e2 00", "82 c3a9 80"]),
        (
            "a character is not in the form that Kryo writes",
            // A continuation byte first, a missing continuation, too many bytes, and four of them.
            &[
                "82 80",
                "82 c3 41",
                "82 e6 41 41",
                "82 e6 97 c1",
                "82 c1 81",
                "82 e0 9f bf",
                "83 f0 9f 98 80",
            ],
        ),
        (
            "a surrogate is unpaired, so the string is not Unicode text",
            &["82 ed a0 bd", "83 ed b8 80 ed a0 bd", "83 ed a0 bd 61"],
        ),
        ("the string is in another of Kryo's forms than its length requires", &["83 61 62", &long]),
        ("a number is longer than necessary", &["c2 00 61", "c2 80 00 61"]),
        ("a number is out of the range of the class", &["ff ff ff ff ff 1f 61"]),
    ] {
        for body in bodies {
            assert_eq!(flaw::<String>(&format!("0301 {body}")), expected, "{body}");
        }
    }
}

#[test]
fn names_what_is_wrong_with_a_number() {
    for bytes in ["09 80 00", "09 82 80 00", "09 82 80 80 80 80 80 80 80 00"] {
        assert_eq!(flaw::<i64>(bytes), "a number is longer than necessary", "{bytes}");
    }
    let out_of_range = "a number is out of the range of the class";
    assert_eq!(flaw::<i32>("02 80 80 80 80 10"), out_of_range);
}

/// Returns bytes that are likely to begin like a value, so that the later checks are reached.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let marker = prop_oneof![
        Just(vec![3, 1]),
        Just(vec![2]),
        Just(vec![9]),
        Just(vec![5]),
        Just(vec![1, 0]),
        Just(Vec::new()),
    ];
    let byte = prop_oneof![any::<u8>(), 0x78_u8..0x90, Just(0xed), Just(0xc3), 0_u8..3];
    let body = proptest::collection::vec(byte, 0..12);
    (marker, body).prop_map(|(marker, body)| [marker, body].concat())
}

/// Checks whether bytes are rejected, or are those of the value that is read.
fn is_strict<T>(bytes: &[u8]) -> bool
where
    Kryo: Codec<T>,
{
    let value: Result<T, _> = Kryo.decode(bytes);
    value.map_or(true, |value| encoded(&Kryo, &value) == bytes)
}

proptest! {
    #[test]
    fn bytes_are_rejected_or_those_of_the_value(bytes in likely_bytes()) {
        prop_assert!(is_strict::<String>(&bytes));
        prop_assert!(is_strict::<i8>(&bytes));
        prop_assert!(is_strict::<i16>(&bytes));
        prop_assert!(is_strict::<i32>(&bytes));
        prop_assert!(is_strict::<i64>(&bytes));
        prop_assert!(is_strict::<bool>(&bytes));
    }

    #[test]
    fn floats_of_any_bytes_do_not_panic(bytes in any::<Vec<u8>>()) {
        let marked = [&[4][..], &bytes].concat();
        prop_assert_eq!(Codec::<f32>::decode(&Kryo, &marked).is_ok(), bytes.len() == 4);
        let marked = [&[10][..], &bytes].concat();
        prop_assert_eq!(Codec::<f64>::decode(&Kryo, &marked).is_ok(), bytes.len() == 8);
    }

    #[test]
    fn rereads_every_value(text in any::<String>(), long in any::<i64>(), shift in 0_u32..64) {
        prop_assert_eq!(reread(&Kryo, &text), text);
        let long = long >> shift;
        prop_assert_eq!(reread(&Kryo, &long), long);
        if let Ok(int) = i32::try_from(long) {
            prop_assert_eq!(reread(&Kryo, &int), int);
        }
    }

    #[test]
    fn rereads_ascii_of_every_length(text in "[ -~]{0,130}") {
        prop_assert_eq!(reread(&Kryo, &text), text);
    }

    #[test]
    fn truncated_bytes_are_rejected(text in any::<String>(), long in any::<i64>()) {
        for bytes in [encoded(&Kryo, &text), encoded(&Kryo, &long)] {
            for end in 0..bytes.len() {
                prop_assert!(Codec::<String>::decode(&Kryo, &bytes[..end]).is_err());
                prop_assert!(Codec::<i64>::decode(&Kryo, &bytes[..end]).is_err());
            }
        }
    }
}
