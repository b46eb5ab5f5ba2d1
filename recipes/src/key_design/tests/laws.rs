//! The rules K1 to K5, for every design on rows of every kind.

use proptest::prelude::*;

use crate::{DigestEnd, DigestSalt, KeyDesign, Modulo, RowHasher, Rows, SaltedPart};

/// Designs that take any text as a row.
fn designs_of_text() -> Vec<KeyDesign> {
    let digest = |digits, over: SaltedPart| {
        KeyDesign::new(DigestSalt {
            digits,
            over,
            end: DigestEnd::Last,
            ..DigestSalt::default()
        })
        .unwrap()
    };
    vec![
        KeyDesign::new(Modulo::default()).unwrap(),
        KeyDesign::new(Modulo {
            separator: String::new(),
            buckets: 3,
            ..Modulo::default()
        })
        .unwrap(),
        digest(1, SaltedPart::Whole),
        digest(1, SaltedPart::First(2)),
        digest(1, SaltedPart::Before("b".to_owned())),
        KeyDesign::from(&RowHasher::new("p").unwrap()),
    ]
}

/// Short rows over few characters, so that sets of rows often hold some.
fn row() -> impl Strategy<Value = String> {
    "[ab~\u{0}\u{10ffff}]{0,5}"
}

fn rows() -> impl Strategy<Value = Rows> {
    prop_oneof![
        Just(Rows::All),
        row().prop_map(|row| Rows::Row(row.into())),
        row().prop_map(|prefix| Rows::Prefix(prefix.into())),
        (row(), row()).prop_map(|(start, end)| Rows::range(start, end)),
        row().prop_map(|start| Rows::Range {
            start: start.into(),
            end: None
        }),
    ]
}

proptest! {
    #[test]
    fn k1_the_row_of_the_key_is_the_row(row in row()) {
        for design in designs_of_text() {
            let key = design.add(row.as_bytes()).unwrap();
            prop_assert_eq!(design.remove(&key).unwrap(), row.as_bytes());
        }
    }

    #[test]
    fn k2_a_key_is_only_read_if_it_is_the_key_of_its_row(key in proptest::collection::vec(any::<u8>(), 0..12)) {
        for design in designs_of_text() {
            if let Ok(row) = design.remove(&key) {
                prop_assert_eq!(design.add(&row).unwrap(), key.as_slice());
            }
        }
    }

    #[test]
    fn k3_spans_hold_exactly_the_keys_of_their_rows(rows in rows(), row in row()) {
        for design in designs_of_text() {
            let Ok(spans) = design.spans(&rows) else { continue };
            let key = design.add(row.as_bytes()).unwrap();
            let held = spans.iter().filter(|span| span.contains(&fluo_core::Key::first_of_row(key.clone())));
            prop_assert_eq!(held.count(), usize::from(rows.contains(row.as_bytes())), "{} {:?}", design, rows);
        }
    }

    #[test]
    fn k4_within_a_span_keys_have_the_order_of_their_rows(a in row(), b in row()) {
        for design in designs_of_text() {
            let (one, other) = (design.add(a.as_bytes()).unwrap(), design.add(b.as_bytes()).unwrap());
            let spans = design.spans(&Rows::All).unwrap_or_default();
            let holds = |span: &fluo_core::Span, key: &fluo_core::Bytes| span.contains(&fluo_core::Key::first_of_row(key.clone()));
            if spans.iter().any(|span| holds(span, &one) && holds(span, &other)) {
                prop_assert_eq!(one.cmp(&other), design.unsalted(&one).unwrap().cmp(design.unsalted(&other).unwrap()));
                prop_assert_eq!(one.cmp(&other), a.cmp(&b));
            }
        }
    }

    #[test]
    fn every_tablet_count_has_ascending_points(tablets in 1_u32..400) {
        for design in designs_of_text() {
            let Ok(points) = design.splits(tablets) else { continue };
            prop_assert!(points.windows(2).all(|pair| pair[0] < pair[1]));
            let weights = design.tablet_weights(tablets).unwrap().unwrap();
            prop_assert_eq!(weights.len(), usize::try_from(tablets).unwrap());
        }
    }
}
