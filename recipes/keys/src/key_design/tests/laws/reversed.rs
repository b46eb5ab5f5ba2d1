//! Laws for rows read backwards.

use fluo_table::Bytes;
use proptest::prelude::*;

use super::{Case, text};
use crate::{KeyDesign, Reversed, ReversedUnit, RowAlphabet, RowLength, RowSelection};

fn bytes(
    length: impl Into<prop::collection::SizeRange>,
) -> impl Strategy<Value = Bytes> + Clone + 'static {
    let byte = prop_oneof![Just(0_u8), Just(1), Just(b'a'), Just(0xff)];
    proptest::collection::vec(byte, length.into()).prop_map(Bytes::from)
}

fn characters(row: &[u8]) -> String {
    std::str::from_utf8(row).unwrap().chars().rev().collect()
}

fn of_bytes(length: RowLength, row: impl Strategy<Value = Bytes> + Clone + 'static) -> Case {
    let alphabet = Some(RowAlphabet::Bytes);
    let settings = Reversed { alphabet, ..Reversed::new(length) };
    Case {
        order: Box::new(|a, b| a.iter().rev().cmp(b.iter().rev())),
        ..Case::new(KeyDesign::new(settings).unwrap(), row)
    }
}

fn of_characters(length: RowLength, row: impl Strategy<Value = Bytes> + Clone + 'static) -> Case {
    let settings = Reversed { unit: ReversedUnit::Characters, ..Reversed::new(length) };
    Case {
        // The suffix may have been cut within a character.
        may_refuse: Box::new(
            |rows| matches!(rows, RowSelection::Suffix(suffix) if std::str::from_utf8(suffix).is_err()),
        ),
        order: Box::new(|a, b| characters(a).cmp(&characters(b))),
        ..Case::new(KeyDesign::new(settings).unwrap(), row)
    }
}

pub(super) fn cases() -> Vec<Case> {
    let three = "[ab~\u{0}\u{10ffff}é]{3}".prop_map(Bytes::from);
    vec![
        of_bytes(RowLength::Fixed(3), bytes(3)),
        of_bytes(RowLength::Stored, bytes(0..5)),
        of_characters(RowLength::Fixed(3), three),
        of_characters(RowLength::Stored, text::row()),
    ]
}
