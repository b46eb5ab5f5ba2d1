//! The forms of text that are written and read.

use fluo_table::Bytes;
use proptest::prelude::{any, prop_assert_eq, proptest};

use super::super::{Codec, Raw, Text};
use super::{encoded, refusal, reread};

fn read<T>(text: &str) -> Option<T>
where
    Text: Codec<T>,
{
    Text.decode(text.as_bytes()).ok()
}

#[test]
fn writes_integers_in_decimal() {
    assert_eq!(encoded(&Text, &i64::MIN), b"-9223372036854775808");
    assert_eq!(encoded(&Text, &u64::MAX), b"18446744073709551615");
    assert_eq!(encoded(&Text, &-128_i8), b"-128");
    assert_eq!(encoded(&Text, &0_u8), b"0");
}

#[test]
fn reads_a_plus_and_zeros_before_the_digits() {
    assert_eq!(read::<i32>("+5"), Some(5));
    assert_eq!(read::<u8>("+007"), Some(7));
    assert_eq!(read::<i16>("-0"), Some(0));
}

#[test]
fn rejects_integers_with_blanks_or_without_digits() {
    for text in ["", "+", "-", " 1", "1 ", "1\n", "1.0", "0x1", "1_000", "--1", "\u{661}"] {
        assert_eq!(read::<i64>(text), None, "{text:?}");
        assert_eq!(read::<u8>(text), None, "{text:?}");
    }
}

#[test]
fn rejects_integers_out_of_range() {
    assert_eq!(read::<i8>("127"), Some(127));
    assert_eq!(read::<i8>("128"), None);
    assert_eq!(read::<i64>("-9223372036854775808"), Some(i64::MIN));
    assert_eq!(read::<i64>("-9223372036854775809"), None);
    assert_eq!(read::<u64>("18446744073709551616"), None);
    assert_eq!(read::<u16>("-1"), None);
}

#[test]
fn reads_only_true_and_false_as_booleans() {
    assert_eq!(["true", "TRUE"].map(read::<bool>), [Some(true); 2]);
    assert_eq!(["False", "false"].map(read::<bool>), [Some(false); 2]);
    for text in ["", "0", "1", "yes", " true", "falsey"] {
        assert_eq!(read::<bool>(text), None, "{text:?}");
    }
    assert_eq!(encoded(&Text, &true), b"true");
    assert_eq!(encoded(&Text, &false), b"false");
}

#[test]
fn rejects_strings_that_are_no_utf_8() {
    assert_eq!(encoded(&Text, &"日".to_owned()), "日".as_bytes());
    let surrogate = refusal::<String>(&Text, b"a\xed\xa0\x80");
    assert_eq!(surrogate, r"`a\xed\xa0\x80` is no UTF-8 text from byte 1 on");
}

proptest! {
    #[test]
    fn rereads_every_value(text in any::<String>(), int in any::<i64>(), long in any::<u64>()) {
        prop_assert_eq!(reread(&Text, &text), text);
        prop_assert_eq!(reread(&Text, &int), int);
        prop_assert_eq!(reread(&Text, &long), long);
        let [small, ..] = int.to_le_bytes();
        prop_assert_eq!(reread(&Text, &small), small);
        prop_assert_eq!(reread(&Text, &small.cast_signed()), small.cast_signed());
    }

    #[test]
    fn raw_keeps_all_bytes(bytes in any::<Vec<u8>>()) {
        prop_assert_eq!(&encoded(&Raw, &bytes), &bytes);
        prop_assert_eq!(&reread(&Raw, &bytes), &bytes);
        let shared = Bytes::from(bytes.clone());
        prop_assert_eq!(&encoded(&Raw, &shared), &bytes);
        prop_assert_eq!(reread(&Raw, &shared), shared);
    }

    #[test]
    fn text_is_read_or_rejected(bytes in any::<Vec<u8>>()) {
        if let Ok(text) = Codec::<String>::decode(&Text, &bytes) {
            prop_assert_eq!(encoded(&Text, &text), bytes);
        }
    }
}
