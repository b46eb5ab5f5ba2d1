//! Bytes that Kryo 3.0.3 writes with the default factory of Apache Fluo Recipes.

use std::fmt::Debug;

use super::super::{Codec, Kryo};
use super::{encoded, hex, unhex};

fn check<T: PartialEq + Debug>(vectors: &[(T, &str)])
where
    Kryo: Codec<T>,
{
    for (value, bytes) in vectors {
        let bytes = unhex(bytes);
        assert_eq!(hex(&encoded(&Kryo, value)), hex(&bytes), "{value:?}");
        assert_eq!(&Codec::<T>::decode(&Kryo, &bytes).unwrap(), value);
    }
}

fn check_texts(vectors: &[(&str, String)]) {
    for (text, bytes) in vectors {
        check(&[((*text).to_owned(), bytes)]);
    }
}

#[test]
fn writes_and_reads_strings_as_java() {
    check_texts(&[
        ("", "03 01 81".into()),
        ("a", "03 01 82 61".into()),
        ("ab", "03 01 61 e2".into()),
        ("abc", "03 01 61 62 e3".into()),
        ("com.c", "03 01 63 6f 6d 2e e3".into()),
        ("café", "03 01 85 63 61 66 c3 a9".into()),
        ("日本", "03 01 83 e6 97 a5 e6 9c ac".into()),
    ]);
}

#[test]
fn writes_and_reads_long_strings_with_a_length() {
    let [most, least, long] = [63, 64, 100].map(|length| "x".repeat(length));
    check_texts(&[
        (&most, format!("0301 {} f8", "78".repeat(62))),
        (&least, format!("0301 c101 {}", "78".repeat(64))),
        (&long, format!("0301 e501 {}", "78".repeat(100))),
    ]);
}

/// Checks lengths around the 6 bits of their first byte and the 7 bits of each other byte.
#[test]
fn writes_and_reads_lengths_of_one_to_three_bytes() {
    let text = |length| "é".repeat(length);
    let bytes = |header: &str, length| format!("0301 {header} {}", "c3a9".repeat(length));
    check_texts(&[
        (&text(62), bytes("bf", 62)),
        (&text(63), bytes("c001", 63)),
        (&text(8190), bytes("ff7f", 8190)),
        (&text(8191), bytes("c08001", 8191)),
    ]);
}

#[test]
fn writes_and_reads_one_to_three_bytes_for_each_utf_16_unit() {
    check_texts(&[
        ("\0", "03 01 82 00".into()),
        ("\0\0", "03 01 00 80".into()),
        ("é\0", "03 01 83 c3 a9 00".into()),
        ("\u{7f}\u{80}", "03 01 83 7f c2 80".into()),
        ("\u{7ff}\u{800}", "03 01 83 df bf e0 a0 80".into()),
        ("\u{ffff}", "03 01 82 ef bf bf".into()),
        ("😀", "03 01 83 ed a0 bd ed b8 80".into()),
        ("a\u{10ffff}", "03 01 84 61 ed af bf ed bf bf".into()),
    ]);
}

#[test]
fn writes_and_reads_integers_as_java() {
    check(&[
        (0, "02 00"),
        (1, "02 02"),
        (-1, "02 01"),
        (63, "02 7e"),
        (64, "02 80 01"),
        (i32::MAX, "02 fe ff ff ff 0f"),
        (i32::MIN, "02 ff ff ff ff 0f"),
    ]);
}

#[test]
fn writes_and_reads_longs_as_java() {
    check(&[
        (0_i64, "09 00"),
        (1, "09 02"),
        (-1, "09 01"),
        (2, "09 04"),
        (4, "09 08"),
        (64, "09 80 01"),
        (1 << 40, "09 80 80 80 80 80 40"),
        ((1 << 55) - 1, "09 fe ff ff ff ff ff ff 7f"),
        (1 << 55, "09 80 80 80 80 80 80 80 80 01"),
        (i64::MAX, "09 fe ff ff ff ff ff ff ff ff"),
        (i64::MIN, "09 ff ff ff ff ff ff ff ff ff"),
    ]);
}

#[test]
fn writes_and_reads_other_classes_as_java() {
    check(&[(true, "05 01"), (false, "05 00")]);
    check(&[(5_i8, "06 05"), (-1, "06 ff")]);
    check(&[(5_i16, "08 00 05"), (-2, "08 ff fe")]);
    check(&[(1.5_f32, "04 3f c0 00 00")]);
    check(&[(1.5_f64, "0a 3f f8 00 00 00 00 00 00")]);
}

#[test]
fn writes_each_nan_as_the_one_of_java() {
    assert_eq!(hex(&encoded(&Kryo, &-f32::NAN)), "047fc00000");
    assert_eq!(hex(&encoded(&Kryo, &-f64::NAN)), "0a7ff8000000000000");
    let other: f64 = Kryo.decode(&unhex("0a fff8000000000001")).unwrap();
    assert!(other.is_nan());
}
