//! The pieces of a range: only those that can contain its rows.

use fluo_table::Bytes;

use crate::{DigestSalt, KeyDesign, RowSelection, SaltedPart};

/// All rows of `[acme/, acme0)` begin with `acme/`, like those of the prefix. The prefix was read
/// from 1 piece, but the range from 256.
#[test]
fn a_range_within_one_part_is_one_piece() {
    let settings = DigestSalt {
        over: SaltedPart::Before("/".to_owned()),
        ..DigestSalt::default()
    };
    let design = KeyDesign::new(settings).unwrap();
    let prefix = design.spans(&RowSelection::Prefix("acme/".into())).unwrap();
    assert_eq!(prefix.len(), 1);
    assert_eq!(
        design
            .spans(&RowSelection::range("acme/", "acme0"))
            .unwrap(),
        prefix
    );
    assert_eq!(
        design
            .spans(&RowSelection::range("acme/a", "acme/b"))
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        design
            .spans(&RowSelection::range("acme/", "acme1"))
            .unwrap()
            .len(),
        256
    );
    let first_bytes = DigestSalt {
        over: SaltedPart::First(2),
        ..DigestSalt::default()
    };
    let design = KeyDesign::new(first_bytes).unwrap();
    let start = Bytes::from_static(b"\xff\xff\x01");
    assert_eq!(
        design
            .spans(&RowSelection::Range { start, end: None })
            .unwrap()
            .len(),
        1
    );
}
