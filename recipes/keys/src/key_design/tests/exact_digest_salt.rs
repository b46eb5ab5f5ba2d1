//! The design `digest-salt`: exact cases.

use crate::{Digest, DigestSalt, DigestSide, KeyDesign, RowSelection, SaltedPart};

fn design(digest: Digest, end: DigestSide, digits: u8, separator: &str) -> KeyDesign {
    let settings = DigestSalt {
        digest,
        end,
        digits,
        separator: separator.to_owned(),
        ..DigestSalt::default()
    };
    KeyDesign::new(settings).unwrap()
}

#[test]
fn the_last_four_of_md5() {
    let design = design(Digest::Md5, DigestSide::Last, 4, "");
    assert_eq!(design.encode_row(b"1364248490").unwrap(), "ffe51364248490");
    assert_eq!(design.decode_key(b"ffe51364248490").unwrap(), "1364248490");
}

#[test]
fn the_first_four_of_md5() {
    let design = design(Digest::Md5, DigestSide::First, 4, "-");
    for (row, key) in [
        ("abc001", "9bf0-abc001"),
        ("abc002", "7006-abc002"),
        ("abc003", "95e6-abc003"),
    ] {
        assert_eq!(design.encode_row(row.as_bytes()).unwrap(), key);
        assert_eq!(design.decode_key(key.as_bytes()).unwrap(), row);
    }
}

#[test]
fn the_first_of_sha1() {
    // SHA-1 of "abc" is a9993e36.. (FIPS 180-4, example 1).
    let design = design(Digest::Sha1, DigestSide::First, 3, "_");
    assert_eq!(design.encode_row(b"abc").unwrap(), "a99_abc");
}

#[test]
fn sixteen_tablets_of_two_digits_need_fifteen_points() {
    let points = design(Digest::Md5, DigestSide::First, 2, "")
        .splits(16)
        .unwrap();
    let expected: Vec<_> = "123456789abcdef"
        .chars()
        .map(|digit| format!("{digit}0"))
        .collect();
    assert_eq!(points, expected);
}

#[test]
fn a_scan_within_the_salted_part_is_one_piece() {
    let design = KeyDesign::new(DigestSalt {
        over: SaltedPart::Before("/".to_owned()),
        ..DigestSalt::default()
    })
    .unwrap();
    let pieces = |rows: RowSelection| design.spans(&rows).unwrap().len();
    assert_eq!(pieces(RowSelection::Prefix("a/b".into())), 1);
    assert_eq!(pieces(RowSelection::range("a/b", "a/c")), 1);
    assert_eq!(pieces(RowSelection::Prefix("a".into())), 256);
    assert_eq!(pieces(RowSelection::range("a/b", "b/b")), 256);
    assert_eq!(pieces(RowSelection::range("b", "a")), 0);
}

#[test]
fn digits_have_bounds() {
    for digits in [0, 9] {
        let settings = DigestSalt {
            digits,
            ..DigestSalt::default()
        };
        assert_eq!(
            KeyDesign::new(settings).unwrap_err().to_string(),
            format!(
                "a digest salt cannot have {digits} digits: give 1 to 8; 2 digits make 256 salts"
            )
        );
    }
}
