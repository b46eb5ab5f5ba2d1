//! Laws for rows as they are, with a computed or a drawn salt or without a salt.

use std::sync::atomic::{AtomicU64, Ordering};

use fluo_table::Bytes;
use proptest::prelude::*;

use super::Case;
use crate::{
    DigestSalt, DigestSide, KeyDesign, Modulo, RandomSalt, RowHasher, SaltedPart, Unsalted,
};

pub(super) fn row() -> impl Strategy<Value = Bytes> + Clone + 'static {
    "[ab~\u{0}\u{10ffff}]{0,5}".prop_map(Bytes::from)
}

pub(super) fn cases() -> Vec<Case> {
    let digest = |digits, over: SaltedPart| {
        let settings = DigestSalt { digits, over, end: DigestSide::Last, ..DigestSalt::default() };
        KeyDesign::new(settings).unwrap()
    };
    let random = |separator: &str| {
        let settings = RandomSalt { separator: separator.to_owned(), ..RandomSalt::new(5) };
        // One bucket after the other, so that each is drawn.
        let next = AtomicU64::new(0);
        let draw = move || next.fetch_add(1, Ordering::Relaxed);
        KeyDesign::new(settings).unwrap().with_salt_source(draw)
    };
    let narrow = Modulo { separator: String::new(), buckets: 3, ..Modulo::default() };
    let designs = [
        KeyDesign::new(Modulo::default()).unwrap(),
        KeyDesign::new(narrow).unwrap(),
        digest(1, SaltedPart::Whole),
        digest(1, SaltedPart::First(2)),
        digest(1, SaltedPart::Before("b".to_owned())),
        // Too many salts to read each of them: only rows with the same salt can be read together.
        digest(5, SaltedPart::First(1)),
        KeyDesign::from(&RowHasher::new("p").unwrap()),
        KeyDesign::new(Unsalted {}).unwrap(),
        random("|"),
        random(""),
    ];
    designs.map(|design| Case::new(design, row())).into()
}
