//! The length of messages: they stay short for every row.

use fluo_table::Bytes;

use super::design_of;
use crate::{RecipeError, RowSelection};

/// Maximum length in bytes of a message about a row of any length.
const MOST: usize = 1_000;

const DESIGNS: [&str; 18] = [
    r#"{"design": "modulo"}"#,
    r#"{"design": "modulo", "of": "number"}"#,
    r#"{"design": "digest-salt"}"#,
    r#"{"design": "row-hasher", "prefix": "p"}"#,
    r#"{"design": "random-salt", "buckets": 4}"#,
    r#"{"design": "web-table"}"#,
    r#"{"design": "reverse-time"}"#,
    r#"{"design": "reverse-time", "time": "first"}"#,
    r#"{"design": "reverse-time", "encoding": "binary"}"#,
    r#"{"design": "reverse-time", "time": "first", "encoding": "binary"}"#,
    r#"{"design": "reversed", "length": {"fixed": 3}}"#,
    r#"{"design": "reversed", "length": "stored", "unit": "characters"}"#,
    r#"{"design": "composite", "fields": [{"kind": "text"}, {"kind": "signed"}]}"#,
    r#"{"design": "composite", "fields": [{"kind": "bytes"}, {"kind": "signed"}]}"#,
    r#"{"design": "composite", "fields": [{"kind": "signed"}, {"kind": "signed"}]}"#,
    r#"{"design": "composite", "fields": [{"kind": "unsigned"}, {"kind": "signed"}]}"#,
    r#"{"design": "composite", "fields": [{"kind": "float"}, {"kind": "signed"}]}"#,
    r#"{"design": "composite", "fields": [{"kind": "time"}, {"kind": "signed"}]}"#,
];

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
            let length = message.len();
            assert!(length < MOST, "{length} bytes: {message:.300}");
        }
    };
    let rows = long_rows();
    for design in DESIGNS.map(|settings| design_of(settings).unwrap()) {
        for bytes in &rows {
            let row = || Bytes::from(bytes.clone());
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
