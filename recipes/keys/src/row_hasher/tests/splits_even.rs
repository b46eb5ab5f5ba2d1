//! Even splits for any number of tablets: one for each tablet, ascending; other counts are
//! rejected.

use bytes::Bytes;
use fluo_table::Grouped;
use rstest::rstest;

use super::super::splits::is_fluo;
use super::{both, murmur3, sha1};
use crate::{HashScheme, RecipeErrorKind};

/// Returns each count up to 1,500 and some large ones that exercise both formulas and their
/// rounding.
fn counts(space: u32) -> impl Iterator<Item = u32> {
    (1..=1_500).chain([1_679, 46_656, 65_536, 99_999, 1_048_575, space - 1, space])
}

#[test]
fn ascending_and_as_many_as_tablets() {
    for hasher in both("p") {
        for tablets in counts(hasher.scheme().space()) {
            let splits = hasher.splits(tablets).unwrap();
            assert_eq!(splits.len(), usize::try_from(tablets).unwrap());
            assert!(splits.is_sorted_by(|a, b| a < b), "{tablets}");
            assert!(splits.iter().rev().skip(1).all(|split| split.len() == 6), "{tablets}");
            assert_eq!(splits.last().unwrap(), "p:~");
        }
    }
}

#[test]
fn murmur3_with_1297_tablets_is_even() {
    let splits = murmur3("p").splits(1_297).unwrap();
    // Fluo's formula gives 0100 and, at the other end, 10000.
    assert_eq!(splits[0], "p:00zz");
    assert_eq!(splits[1_295], "p:zz00");
    assert_eq!(splits[1_296], "p:~");
}

#[rstest]
#[case(1, "~")]
#[case(2, "g000 ~")]
#[case(4, "8000 g000 o000 ~")]
#[case(3, "alal lala ~")]
#[case(5, "6cpj cpj6 j6cp pj6c ~")]
fn sha1_splits_in_its_own_digits(#[case] tablets: u32, #[case] ends: &str) {
    let expected: Vec<String> = ends.split(' ').map(|end| format!("p:{end}")).collect();
    assert_eq!(sha1("p").splits(tablets).unwrap(), expected);
    assert!(!is_fluo(HashScheme::Sha1Base32, tablets));
}

#[test]
fn one_tablet_per_hash() {
    let splits = sha1("p").splits(1_048_576).unwrap();
    assert_eq!(splits[0], "p:0001");
    assert_eq!(splits[1_048_574], Bytes::from("p:vvvv"));
}

#[test]
fn rejects_zero_tablets() {
    for hasher in both("p") {
        let error = hasher.splits(0).unwrap_err();
        assert_eq!(error.kind(), RecipeErrorKind::Splits);
        assert_eq!(error.to_string(), "a table has at least 1 tablet, not 0");
        assert_eq!(hasher.tablet_weights(0), Err(error));
    }
}

#[rstest]
#[case(HashScheme::Murmur3Base36, 1_679_617)]
#[case(HashScheme::Sha1Base32, 1_048_577)]
#[case(HashScheme::Sha1Base32, u32::MAX)]
fn rejects_more_tablets_than_hashes(#[case] scheme: HashScheme, #[case] tablets: u32) {
    let hasher = crate::RowHasher::with_scheme("p", scheme).unwrap();
    let error = hasher.splits(tablets).unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Splits);
    let (tablets, space) = (Grouped::new(tablets), Grouped::new(scheme.space()));
    assert_eq!(
        error.to_string(),
        format!(
            "{tablets} tablets are more than the {space} hashes of scheme {scheme}: give at most {space}"
        )
    );
}
