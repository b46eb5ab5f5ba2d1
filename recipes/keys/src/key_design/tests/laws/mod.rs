//! The rules K1 to K5, for every design on rows that suit it. Those of web tables are in
//! `laws_web_table`.

mod composite;
mod reversed;
mod text;
mod times;

use std::cell::Cell;
use std::cmp::Ordering;

use fluo_table::{Bytes, Key, Span};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

use crate::{KeyDesign, RowSelection, ScanCost};

type Membership = dyn Fn(&RowSelection, &[u8]) -> bool;
type RowOrder = dyn Fn(&[u8], &[u8]) -> Ordering;

/// A design, rows that it accepts, and the expected results of its rules.
struct Case {
    design: KeyDesign,
    /// Normalized rows, close to each other, so that sets often contain some of them.
    row: BoxedStrategy<Bytes>,
    rows: BoxedStrategy<RowSelection>,
    /// Membership of a row in a set, computed independently of the design.
    holds: Box<Membership>,
    /// Sets that may be rejected although sets of their kind can be read, because they only look
    /// like that kind.
    may_refuse: Box<dyn Fn(&RowSelection) -> bool>,
    /// The order in which a scan yields rows, computed independently of the design.
    order: Box<RowOrder>,
}

impl Case {
    /// Creates a case of rows that are read as their bytes, and in the order of their bytes.
    fn new(design: KeyDesign, row: impl Strategy<Value = Bytes> + Clone + 'static) -> Self {
        Self {
            design,
            row: row.clone().boxed(),
            rows: sets_of(row),
            holds: Box::new(by_bytes),
            may_refuse: Box::new(|_| false),
            order: Box::new(<[u8]>::cmp),
        }
    }
}

fn cases() -> Vec<Case> {
    let cases = [text::cases(), reversed::cases(), times::cases(), composite::cases()];
    cases.into_iter().flatten().collect()
}

/// The number of sets that were requested, and of those that were read.
#[derive(Default)]
struct Tally {
    asked: Cell<u32>,
    answered: Cell<u32>,
}

impl Tally {
    /// Returns the spans of a set, or `None` if the set is rejected as expected.
    fn spans(&self, case: &Case, rows: &RowSelection) -> Result<Option<Vec<Span>>, TestCaseError> {
        let scans = case.design.scans();
        let reach = match rows {
            RowSelection::Row(_) => &scans.by_row,
            RowSelection::Prefix(_) => &scans.by_prefix,
            RowSelection::Range { .. } => &scans.by_range,
            RowSelection::Suffix(_) => &scans.by_suffix,
            RowSelection::Between { .. } => &scans.between,
            RowSelection::Domain { .. } => &scans.by_domain,
            // All rows are read like a prefix of no bytes, if prefixes can be read.
            RowSelection::All if case.design.row_hasher().is_some() => &scans.by_prefix,
            RowSelection::All => &ScanCost::SingleRange,
        };
        let spans = case.design.spans(rows);
        let most = match (reach, &spans) {
            (ScanCost::Unsupported { .. }, Err(_)) => return Ok(None),
            (ScanCost::Unsupported { reason }, Ok(_)) => {
                return Err(TestCaseError::fail(format!("{rows:?} is read: {reason}")));
            }
            (ScanCost::SingleRange, Err(error)) | (ScanCost::FanOut { .. }, Err(error))
                if !(case.may_refuse)(rows) && !is_too_many(rows, case) =>
            {
                return Err(TestCaseError::fail(format!("{rows:?} is refused: {error}")));
            }
            (ScanCost::SingleRange, _) => 1,
            (ScanCost::FanOut { ranges } | ScanCost::Limited { ranges, .. }, _) => *ranges,
        };
        self.asked.set(self.asked.get() + 1);
        let Ok(spans) = spans else {
            return Ok(None);
        };
        self.answered.set(self.answered.get() + 1);
        let is_all = matches!(rows, RowSelection::All);
        let found = u64::try_from(spans.len()).unwrap();
        prop_assert!(is_all || found <= most, "{} pieces of {:?}", found, rows);
        Ok(Some(spans))
    }

    /// Fails if too few sets were read: a law about sets proves nothing without them.
    fn check(&self, case: &Case) {
        let (asked, answered) = (self.asked.get(), self.answered.get());
        assert!(
            4 * answered >= asked && answered >= MIN_ANSWERED,
            "{}: {answered} of {asked} sets",
            case.design
        );
    }
}

/// Minimum number of sets to read, of some hundreds that are drawn. A seventh of them are single
/// rows, which nearly every design can read.
const MIN_ANSWERED: u32 = 5;

/// Checks for all rows of a design with too many salts to read each of them.
fn is_too_many(rows: &RowSelection, case: &Case) -> bool {
    matches!(rows, RowSelection::All) && case.design.splits(65_537).is_ok()
}

fn check<T: std::fmt::Debug>(
    case: &Case,
    given: &impl Strategy<Value = T>,
    law: impl Fn(T) -> TestCaseResult,
) {
    let outcome = TestRunner::default().run(given, law);
    outcome.unwrap_or_else(|failure| panic!("{}: {failure}\n{:?}", case.design, case.design));
}

/// Returns sets of arbitrary bytes as rows; bytes decide their membership.
fn sets_of(row: impl Strategy<Value = Bytes> + Clone + 'static) -> BoxedStrategy<RowSelection> {
    prop_oneof![
        1 => Just(RowSelection::All),
        2 => row.clone().prop_map(RowSelection::Row),
        2 => row.clone().prop_map(RowSelection::Prefix),
        2 => cut(row.clone()).prop_map(RowSelection::Prefix),
        2 => cut(row.clone()).prop_map(RowSelection::Suffix),
        2 => (row.clone(), row.clone()).prop_map(|(start, end)| RowSelection::range(start, end)),
        2 => (cut(row.clone()), cut(row.clone())).prop_map(|(start, end)| RowSelection::range(start, end)),
        1 => row.prop_map(|start| RowSelection::Range { start, end: None }),
    ]
    .boxed()
}

/// Returns the first bytes of rows.
fn cut(row: impl Strategy<Value = Bytes>) -> impl Strategy<Value = Bytes> {
    (row, any::<prop::sample::Index>()).prop_map(|(row, end)| row.slice(..end.index(row.len() + 1)))
}

fn by_bytes(rows: &RowSelection, row: &[u8]) -> bool {
    rows.contains(row).unwrap()
}

fn holds(span: &Span, key: &Bytes) -> bool {
    span.contains(&Key::first_of_row(key.clone()))
}

/// Damages a key: changes, inserts or removes a byte, or truncates the key.
fn damaged(key: &Bytes, place: prop::sample::Index, byte: u8, damage: u8) -> Bytes {
    let mut key = key.to_vec();
    let place = place.index(key.len() + 1);
    match damage {
        0 => key.insert(place, byte),
        1 => key.truncate(place),
        2 if place < key.len() => drop(key.remove(place)),
        _ if place < key.len() => key[place] = byte,
        _ => key.push(byte),
    }
    key.into()
}

#[test]
fn k1_the_row_of_a_key_is_the_original_row() {
    for case in cases() {
        check(&case, &case.row, |row| {
            let key = case.design.encode_row(&row).unwrap();
            prop_assert_eq!(case.design.decode_key(&key).unwrap(), row);
            Ok(())
        });
    }
}

#[test]
fn k2_decodes_only_a_key_of_its_row() {
    for case in cases() {
        let byte = prop_oneof![Just(0_u8), Just(0xff), Just(b'0'), any::<u8>()];
        let given = (&case.row, any::<prop::sample::Index>(), byte, 0_u8..4);
        check(&case, &given, |(row, place, byte, damage)| {
            let key = damaged(&case.design.encode_row(&row).unwrap(), place, byte, damage);
            let Ok(row) = case.design.decode_key(&key) else {
                return Ok(());
            };
            if let Ok(only) = case.design.key_of(&row) {
                prop_assert_eq!(&only, &key);
            }
            let spans = case.design.spans(&RowSelection::Row(row)).unwrap();
            prop_assert_eq!(spans.iter().filter(|span| holds(span, &key)).count(), 1);
            Ok(())
        });
    }
}

#[test]
fn k3_spans_contain_exactly_the_keys_of_their_rows() {
    for case in cases() {
        let tally = Tally::default();
        check(&case, &(&case.rows, &case.row), |(rows, row)| {
            let Some(spans) = tally.spans(&case, &rows)? else {
                return Ok(());
            };
            let expected = (case.holds)(&rows, &row);
            let key = case.design.encode_row(&row).unwrap();
            let held = spans.iter().filter(|span| holds(span, &key)).count();
            prop_assert_eq!(held, usize::from(expected));
            prop_assert_eq!(case.design.contains(&rows, &row).unwrap(), expected);
            prop_assert!(spans.iter().all(|span| !span.is_empty()));
            Ok(())
        });
        tally.check(&case);
    }
}

#[test]
fn k4_within_a_span_keys_have_the_order_of_their_rows() {
    for case in cases() {
        let spans = case.design.spans(&RowSelection::All).unwrap_or_default();
        check(&case, &(&case.row, &case.row), |(a, b)| {
            let (one, other) =
                (case.design.encode_row(&a).unwrap(), case.design.encode_row(&b).unwrap());
            let unsalted = |key| case.design.unsalted(key).unwrap();
            let expected = (case.order)(&a, &b);
            prop_assert_eq!(unsalted(&one).cmp(unsalted(&other)), expected);
            if spans.iter().any(|span| holds(span, &one) && holds(span, &other)) {
                prop_assert_eq!(one.cmp(&other), expected);
            }
            Ok(())
        });
    }
}

#[test]
fn k5_all_salts_have_one_width() {
    for case in cases() {
        check(&case, &(&case.row, &case.row), |(a, b)| {
            let head_len = |row: &Bytes| {
                let key = case.design.encode_row(row).unwrap();
                key.len() - case.design.unsalted(&key).unwrap().len()
            };
            prop_assert_eq!(head_len(&a), head_len(&b));
            Ok(())
        });
    }
}

#[test]
fn a_rejected_row_or_key_leaves_the_buffer_unchanged() {
    for case in cases() {
        let bytes = proptest::collection::vec(any::<u8>(), 0..12);
        check(&case, &bytes, |bytes| {
            let mut written = b"before".to_vec();
            if case.design.encode_row_to(&bytes, &mut written).is_err() {
                prop_assert_eq!(&written, b"before");
            }
            let mut read = b"before".to_vec();
            if case.design.decode_key_to(&bytes, &mut read).is_err() {
                prop_assert_eq!(&read, b"before");
            }
            Ok(())
        });
    }
}

#[test]
fn every_key_is_explained_byte_by_byte() {
    for case in cases() {
        check(&case, &case.row, |row| {
            let key = case.design.encode_row(&row).unwrap();
            let fields = case.design.explain(&key).unwrap();
            let stored: Vec<_> = fields.iter().map(|field| field.stored.clone()).collect();
            prop_assert_eq!(stored.concat(), key);
            Ok(())
        });
    }
}

#[test]
fn every_tablet_count_has_ascending_points() {
    for case in cases() {
        check(&case, &(1_u32..400), |tablets| {
            let Ok(points) = case.design.splits(tablets) else {
                return Ok(());
            };
            prop_assert!(points.windows(2).all(|pair| pair[0] < pair[1]));
            if let Some(weights) = case.design.tablet_weights(tablets).unwrap() {
                prop_assert_eq!(weights.len(), usize::try_from(tablets).unwrap());
            }
            Ok(())
        });
    }
}
