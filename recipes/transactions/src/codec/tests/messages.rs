//! The messages of errors.

use std::error::Error;

use super::super::{Codec, Json, Kryo, Ordered, Postcard, Text};
use super::refusal;

#[test]
fn state_the_cause_and_the_type() {
    let messages = [
        refusal::<u64>(&Text, b"12x"),
        refusal::<u64>(&Text, &[b'x'; 1000]),
        refusal::<i8>(&Text, b"-129"),
        refusal::<bool>(&Text, b"1"),
        refusal::<f32>(&Text, b"0x1p3"),
        refusal::<String>(&Text, b"ab\xff"),
        refusal::<u32>(&Ordered, b"abc"),
        refusal::<i64>(&Ordered, b"a"),
        refusal::<bool>(&Ordered, b"\x02"),
        refusal::<u8>(&Json, b"\"a\""),
        refusal::<u8>(&Postcard, b""),
        refusal::<u8>(&Postcard, b"\x02\x07"),
        refusal::<u8>(&Postcard, b"\x01\x07\x08"),
        refusal::<u16>(&Postcard, b"\x01\x80"),
    ];
    assert_eq!(
        messages,
        [
            "`12x` is not a decimal number of type u64",
            &format!(
                "`{}`.. (60 of 1,000 bytes) is not a decimal number of type u64",
                "x".repeat(60)
            ),
            "`-129` does not fit into type i8, whose values are -128 to 127",
            "`1` is neither `true` nor `false`",
            "`0x1p3` is not a decimal number of type f32",
            r"`ab\xff` is no UTF-8 text from byte 2 on",
            "`abc` has 3 bytes, but type u32 has 4",
            "`a` has 1 byte, but type i64 has 8",
            r"`\x02` is not a bool, which is the byte 0 or 1",
            "`\"a\"` is no JSON of the expected type",
            "`` has no version byte of the postcard codec",
            r"`\x02\x07` has version 2 of the postcard codec, and only version 1 can be read",
            r"`\x01\x07\x08` has 1 byte after the value",
            r"`\x01\x80` is not a postcard value of the expected type",
        ]
    );
}

#[test]
fn state_what_is_wrong_with_bytes_of_kryo() {
    let messages = [
        refusal::<String>(&Kryo, b"\x00"),
        refusal::<String>(&Kryo, b"\x09\x02"),
        refusal::<i32>(&Kryo, b"\x07\x00c"),
        refusal::<i64>(&Kryo, b"\x0b\x01\x00\x04"),
        refusal::<i64>(&Kryo, b"\x01\x00a.\xc2"),
        refusal::<i64>(&Kryo, b"\x01\x00a."),
        refusal::<i64>(&Kryo, b""),
        refusal::<i64>(&Kryo, b"\x09\x80"),
        refusal::<i64>(&Kryo, b"\x09\x02\x00"),
        refusal::<bool>(&Kryo, b"\x05\x02"),
        refusal::<String>(&Kryo, b"\x03\x00\x81"),
        refusal::<String>(&Kryo, b"\x03\x01\x80"),
    ];
    assert_eq!(
        messages,
        [
            r"`\x00` is null, expected a String",
            r"`\x09\x02` is a Long, expected a String",
            r"`\x07\x00c` is a Character, expected an Integer",
            r"`\x0b\x01\x00\x04` is an object of the class that is registered as 9, expected a Long",
            r"`\x01\x00a.\xc2` is an object of class `a.B`, expected a Long",
            r"`\x01\x00a.` is an object of a damaged class name, expected a Long",
            "`` is no Kryo value: the bytes end too early, expected a Long",
            r"`\x09\x80` is a damaged Long: the bytes end too early",
            r"`\x09\x02\x00` is a damaged Long: 1 byte after the value",
            r"`\x05\x02` is a damaged Boolean: the byte 0x02 is neither 0 nor 1",
            r"`\x03\x00\x81` is a damaged String: its reference is 0, not 1",
            r"`\x03\x01\x80` is a damaged String: the string is null",
        ]
    );
}

#[test]
fn keep_the_error_of_the_format_as_source() {
    let json = Codec::<u8>::decode(&Json, b"[").unwrap_err();
    let source = json.source().unwrap().to_string();
    assert_eq!(source, "invalid type: sequence, expected u8 at line 1 column 0");
    let postcard = Codec::<u16>::decode(&Postcard, b"\x01\x80").unwrap_err();
    let source = postcard.source().unwrap();
    assert!(source.is::<::postcard::Error>(), "{source}");
    let text = Codec::<u8>::decode(&Text, b"x").unwrap_err();
    assert!(text.source().is_none());
}
