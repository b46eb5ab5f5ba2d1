//! The length of messages: they stay short for every row.

use crate::{
    CompositeRows, DigestSalt, FieldKind, FieldSettings, HashInput, HashedRows, KeyDesign, Modulo,
    RandomSalt, RecipeError, ReverseTime, Reversed, ReversedUnit, RowLength, RowSelection,
    TimeEncoding, TimePosition, WebTable,
};

/// Maximum length in bytes of a message about a row of any length.
const MOST: usize = 1_000;

fn designs() -> Vec<KeyDesign> {
    let modulo = |of| Modulo {
        of,
        ..Modulo::default()
    };
    let times = |time, encoding| ReverseTime {
        time,
        encoding,
        ..ReverseTime::default()
    };
    let reversed = |length, unit| Reversed {
        unit,
        ..Reversed::new(length)
    };
    let kinds = [
        FieldKind::Text,
        FieldKind::Bytes,
        FieldKind::Signed,
        FieldKind::Unsigned,
        FieldKind::Float,
        FieldKind::Time,
    ];
    let composite = kinds.map(|kind| {
        let field = |kind| FieldSettings::new("", kind);
        KeyDesign::new(CompositeRows::new(vec![
            field(kind),
            field(FieldKind::Signed),
        ]))
    });
    let others = [
        KeyDesign::new(modulo(HashInput::JavaHash)),
        KeyDesign::new(modulo(HashInput::Number)),
        KeyDesign::new(DigestSalt::default()),
        KeyDesign::new(HashedRows {
            prefix: "p".to_owned(),
            scheme: crate::HashScheme::default(),
        }),
        KeyDesign::new(RandomSalt::new(4)),
        KeyDesign::new(WebTable::default()),
        KeyDesign::new(times(TimePosition::Last, TimeEncoding::Decimal)),
        KeyDesign::new(times(TimePosition::First, TimeEncoding::Decimal)),
        KeyDesign::new(times(TimePosition::Last, TimeEncoding::Binary)),
        KeyDesign::new(times(TimePosition::First, TimeEncoding::Binary)),
        KeyDesign::new(reversed(RowLength::Fixed(3), ReversedUnit::Bytes)),
        KeyDesign::new(reversed(RowLength::Stored, ReversedUnit::Characters)),
    ];
    composite
        .into_iter()
        .chain(others)
        .map(Result::unwrap)
        .collect()
}

/// Returns 20 kB of each of these pieces, alone and in the position of each part of a row.
fn long_rows() -> Vec<Vec<u8>> {
    let pieces: [&[u8]; 16] = [
        b"\xff", b"\\", b"a", b"1", b"-1", b"9", b"\0", b"\t", b"|", b"/", b".", b"a://", b"@",
        b"1e9", b"[", b"00:",
    ];
    let ends: [(&[u8], &[u8]); 9] = [
        (b"", b""),
        (b"", b"\t1"),
        (b"1\t", b""),
        (b"a|", b""),
        (b"", b"|1"),
        (b"00|", b""),
        (b"00:com.e/", b""),
        (b"", b"://e.com/"),
        (b"", b"\0\0\0\0\0"),
    ];
    let long = |piece: &[u8]| piece.repeat(20_000 / piece.len());
    let with = |piece: &[u8]| ends.map(|(before, behind)| [before, &long(piece), behind].concat());
    pieces.into_iter().flat_map(with).collect()
}

#[test]
fn a_long_row_has_a_short_message() {
    let mut refused = 0;
    let mut short = |told: Result<(), RecipeError>| {
        if let Err(error) = told {
            refused += 1;
            let message = error.to_string();
            assert!(
                message.len() < MOST,
                "{} bytes: {message:.300}",
                message.len()
            );
        }
    };
    let rows = long_rows();
    for design in designs() {
        for bytes in &rows {
            let row = || fluo_table::Bytes::from(bytes.clone());
            short(design.encode_row(bytes).map(drop));
            short(design.decode_key(bytes).map(drop));
            short(design.key_of(bytes).map(drop));
            let sets = [
                RowSelection::Row(row()),
                RowSelection::Prefix(row()),
                RowSelection::Suffix(row()),
                RowSelection::range(row(), "b"),
                RowSelection::between(row(), "1", "2"),
                RowSelection::between("", row(), "2"),
                RowSelection::between("a|", "1", row()),
                RowSelection::domain(String::from_utf8_lossy(bytes)),
            ];
            for rows in sets {
                short(design.spans(&rows).map(drop));
            }
        }
    }
    assert!(refused > 1_000, "{refused} messages");
}
