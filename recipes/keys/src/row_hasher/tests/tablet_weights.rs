//! The expected share of each tablet, compared with a count over all values of the hash function.

use rstest::rstest;

use super::both;
use crate::RowHasher;

/// Returns the hashes below 36^4 or 32^4 in each tablet, found by comparing keys with splits.
fn hashes_per_tablet(hasher: &RowHasher, tablets: u32) -> Vec<Vec<u64>> {
    let splits = hasher.splits(tablets).unwrap();
    let mut found = vec![Vec::new(); splits.len()];
    for number in 0..hasher.scheme().space() {
        let key = [b"p:", &hasher.scheme().digits(number)[..], b":row"].concat();
        found[splits.partition_point(|split| *split < key)].push(u64::from(number));
    }
    found
}

#[rstest]
#[case(7)]
#[case(100)]
#[case(1_295)]
fn weights_count_the_values_of_the_hash_function(#[case] tablets: u32) {
    for (hasher, values) in both("p").iter().zip([1_u64 << 31, 1 << 20]) {
        let space = u64::from(hasher.scheme().space());
        // Number n stands for the values n, n + 36^4, n + 2 * 36^4 and so on.
        let values_of = |number: &u64| (values - number).div_ceil(space);
        let per_tablet = hashes_per_tablet(hasher, tablets);
        let counted: Vec<u64> =
            per_tablet.iter().map(|numbers| numbers.iter().map(values_of).sum()).collect();
        assert_eq!(hasher.tablet_weights(tablets).unwrap(), counted);
    }
}

/// With the even formula, and with Fluo's where it applies, no tablet gets less than 3/4 of the
/// share of another, unless it has one or two hashes.
#[test]
fn weights_add_up_and_starve_no_tablet() {
    for (hasher, values) in both("p").iter().zip([1 << 31, 1 << 20]) {
        for tablets in (1..=1_500).chain([65_536, 1_048_576]) {
            let weights = hasher.tablet_weights(tablets).unwrap();
            assert_eq!(weights.len(), usize::try_from(tablets).unwrap());
            assert_eq!(weights.iter().sum::<u64>(), values);
            let (least, most) = (weights.iter().min().unwrap(), weights.iter().max().unwrap());
            // The bias of the modulus adds up to one part in 1,278.
            let is_fair = 1_000 * least >= 749 * most;
            assert!(is_fair || tablets > 65_536, "{tablets}: {least} to {most}");
        }
    }
}
