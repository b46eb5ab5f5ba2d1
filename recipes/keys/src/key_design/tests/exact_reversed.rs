//! The design `reversed`: exact cases.

use crate::{
    DesignSettings, KeyDesign, KeyOrder, RecipeErrorKind, Reversed, ReversedUnit, RowAlphabet,
    RowLength, RowSelection, SaltedPart, ScanCost,
};

fn fixed(length: usize) -> KeyDesign {
    KeyDesign::new(Reversed::new(RowLength::Fixed(length))).unwrap()
}

fn stored() -> KeyDesign {
    KeyDesign::new(Reversed::new(RowLength::Stored)).unwrap()
}

fn characters(length: RowLength) -> KeyDesign {
    let settings = Reversed {
        unit: ReversedUnit::Characters,
        ..Reversed::new(length)
    };
    KeyDesign::new(settings).unwrap()
}

fn refused(settings: impl Into<DesignSettings>) -> String {
    let error = KeyDesign::new(settings).unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Settings);
    error.to_string()
}

#[test]
fn bytes_of_a_fixed_length() {
    let design = fixed(10);
    assert_eq!(design.encode_row(b"1364248490").unwrap(), "0948424631");
    assert_eq!(design.decode_key(b"0948424631").unwrap(), "1364248490");
    assert_eq!(
        fixed(2).encode_row("é".as_bytes()).unwrap(),
        &b"\xa9\xc3"[..]
    );
}

#[test]
fn rejects_a_row_of_another_length() {
    let error = fixed(10).encode_row(b"12").unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Row);
    assert_eq!(
        error.to_string(),
        "`12` has 2 bytes, but all rows of this reversed design have 10: pad rows to one length, or store the length"
    );
    assert_eq!(
        fixed(10).decode_key(b"12").unwrap_err().to_string(),
        "`12` is not a reversed row: it has 2 bytes, not 10"
    );
}

#[test]
fn characters_are_scalar_values() {
    let design = characters(RowLength::Fixed(4));
    let key = design.encode_row("añ€😀".as_bytes()).unwrap();
    assert_eq!(key, "😀€ña");
    assert_eq!(design.decode_key(&key).unwrap(), "añ€😀");
    assert_eq!(
        design.encode_row(b"ab\xff").unwrap_err().to_string(),
        "`ab\\xff` is not UTF-8 text, so its characters cannot be reversed: reverse bytes instead"
    );
    assert_eq!(
        design.decode_key(b"abc\xff").unwrap_err().to_string(),
        "`abc\\xff` is not a reversed row: it is not UTF-8 text, which is reversed by characters"
    );
}

#[test]
fn the_stored_length_ends_the_row() {
    let design = stored();
    let key = design.encode_row(b"ab\0").unwrap();
    assert_eq!(key, &b"\0\xffba\0\0\0\0\x03"[..]);
    assert_eq!(design.decode_key(&key).unwrap(), &b"ab\0"[..]);
    assert_eq!(design.encode_row(b"").unwrap(), &b"\0\0\0\0\0"[..]);
    assert_eq!(
        characters(RowLength::Stored)
            .encode_row("ñ!".as_bytes())
            .unwrap(),
        "!ñ\0\0\0\0\u{3}"
    );
}

#[test]
fn rejects_a_truncated_key() {
    let message = |key: &[u8]| stored().decode_key(key).unwrap_err().to_string();
    assert_eq!(
        message(b"ba"),
        "`ba` is not a reversed row: it does not end with the byte 00 and 4 bytes of length"
    );
    assert_eq!(
        message(b"ba\0\0\0\x02"),
        "`ba\\x00\\x00\\x00\\x02` is not a reversed row: it has 2 bytes, but the stored length is `\\x00\\x00\\x02`"
    );
    assert_eq!(
        message(b"ba\0\0\0\0\x03"),
        "`ba\\x00\\x00\\x00\\x00\\x03` is not a reversed row: it has 2 bytes, but the stored length is \
         `\\x00\\x00\\x00\\x03`"
    );
}

#[test]
fn rejects_a_variable_length_when_configured() {
    let error = serde_json::from_str::<DesignSettings>(r#"{"design": "reversed"}"#).unwrap_err();
    assert_eq!(error.to_string(), "missing field `length`");
    let settings = r#"{"design": "reversed", "length": {"fixed": 3}, "unit": "characters"}"#;
    let settings: DesignSettings = serde_json::from_str(settings).unwrap();
    let again = serde_json::to_string(&settings).unwrap();
    assert_eq!(settings, serde_json::from_str(&again).unwrap());
    assert_eq!(
        KeyDesign::new(settings).unwrap(),
        characters(RowLength::Fixed(3))
    );
    let unknown = r#"{"design": "reversed", "length": "stored", "width": 3}"#;
    let error = serde_json::from_str::<DesignSettings>(unknown).unwrap_err();
    assert!(error.to_string().starts_with("unknown field `width`"));
}

#[test]
fn rejects_invalid_settings() {
    assert_eq!(
        refused(Reversed::new(RowLength::Fixed(0))),
        "rows of length 0 cannot be reversed: give the length that all rows have, or store it"
    );
    assert_eq!(
        refused(Reversed {
            unit: ReversedUnit::Characters,
            alphabet: Some(RowAlphabet::Bytes),
            ..Reversed::new(RowLength::Stored)
        }),
        "rows reversed by characters are text, and text is not made of all bytes: give the alphabet `printable`, or \
         reverse bytes"
    );
}

#[test]
fn rows_are_read_by_suffix_and_not_by_prefix() {
    for design in [fixed(4), stored()] {
        let pieces = |rows: RowSelection| design.spans(&rows).unwrap().len();
        assert_eq!(pieces(RowSelection::Row("ab12".into())), 1);
        assert_eq!(pieces(RowSelection::Suffix("12".into())), 1);
        let scans = design.scans();
        assert_eq!(
            (scans.by_row, scans.by_suffix),
            (ScanCost::SingleRange, ScanCost::SingleRange)
        );
        assert_eq!(scans.order, KeyOrder::ReversedRows);
        let message = |rows| {
            let error = design.spans(&rows).unwrap_err();
            assert_eq!(error.kind(), RecipeErrorKind::Scan);
            error.to_string()
        };
        let instead = "are scattered if rows are reversed, because their last bytes decide where they are stored: \
             read them one by one or by suffix, or use a digest-salt, which keeps such reads";
        let by_prefix = format!("rows with one prefix {instead}");
        assert_eq!(
            scans.by_prefix,
            ScanCost::Unsupported {
                reason: by_prefix.clone()
            }
        );
        assert_eq!(message(RowSelection::Prefix("ab".into())), by_prefix);
        let by_range = format!("the rows of a range {instead}");
        assert_eq!(
            scans.by_range,
            ScanCost::Unsupported {
                reason: by_range.clone()
            }
        );
        assert_eq!(message(RowSelection::range("a", "b")), by_range);
        let between = format!("rows with a part between two values {instead}");
        assert_eq!(message(RowSelection::between("a", "1", "2")), between);
    }
    assert_eq!(
        fixed(4)
            .spans(&RowSelection::Suffix("12345".into()))
            .unwrap_err()
            .to_string(),
        "no row ends with `12345`: rows have 4 bytes, fewer than that"
    );
}

#[test]
fn other_forms_cannot_be_read_by_suffix() {
    let modulo = KeyDesign::new(crate::Modulo::default()).unwrap();
    assert_eq!(
        modulo
            .spans(&RowSelection::Suffix("1".into()))
            .unwrap_err()
            .to_string(),
        "rows with one suffix are scattered if rows are stored as they are: read all rows, or use the design `reversed`"
    );
    assert_eq!(
        modulo
            .spans(&RowSelection::between("a", "1", "2"))
            .unwrap_err()
            .to_string(),
        "rows that are stored as they are have no parts to lie between two values: ask for a range of rows, or use \
         the design `composite` or `reverse-time`"
    );
    let over = SaltedPart::Entity;
    let error = KeyDesign::new(crate::Modulo {
        over,
        ..crate::Modulo::default()
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "only rows of a reverse-time design have an entity: salt over the whole row, its first bytes, or the part \
         before a text"
    );
}

#[test]
fn split_points_are_those_of_the_alphabet() {
    let design = |length, alphabet| {
        let alphabet = Some(alphabet);
        KeyDesign::new(Reversed {
            alphabet,
            ..Reversed::new(length)
        })
        .unwrap()
    };
    let digits = design(RowLength::Fixed(6), RowAlphabet::Digits);
    assert_eq!(digits.splits(4).unwrap(), ["25", "5", "75"]);
    assert_eq!(digits.tablet_weights(4).unwrap(), None);
    assert_eq!(
        design(RowLength::Fixed(1), RowAlphabet::Hex)
            .splits(17)
            .unwrap_err()
            .to_string(),
        "17 tablets are more than the 16 rows of length 1 over the hexadecimal digits: give at most 16"
    );
    // The second of 65,536 pieces begins at the bytes 00 01, and the zero is escaped as in the
    // keys.
    let bytes = design(RowLength::Stored, RowAlphabet::Bytes);
    assert_eq!(bytes.splits(65_536).unwrap()[0], &b"\0\xff\x01"[..]);
    let error = stored().splits(4).unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::NoEvenSplits);
    assert_eq!(
        error.to_string(),
        "split points of reversed rows need their alphabet: set `alphabet` to `digits`, `hex`, `lower`, `printable` \
         or `bytes`, or take the points from a sample"
    );
}

#[test]
fn a_key_is_explained() {
    let fields = stored().explain(b"ba\0\0\0\0\x02").unwrap();
    let texts: Vec<_> = fields
        .iter()
        .map(|field| (&*field.name, &*field.meaning))
        .collect();
    let row = ("row", "`ab` read backwards");
    assert_eq!(texts, [row, ("length", "the end, and the length: 2 bytes")]);
    assert_eq!(fields[0].stored, "ba");
    assert_eq!(fixed(2).explain(b"ba").unwrap().len(), 1);
}
