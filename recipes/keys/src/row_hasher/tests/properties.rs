//! Properties that hold for every prefix and every row.

use fluo_table::Excerpt;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::Index;
use sha1_smol::Sha1;

use super::{both, sha1};
use crate::RowHasher;

/// Returns text of any characters, including newlines and colons.
fn prefixes() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<char>(), 1..12).prop_map(String::from_iter)
}

fn rows() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..80)
}

/// Returns the tablet of a key, found by comparing bytes.
fn tablet_of(hasher: &RowHasher, key: &[u8], tablets: u32) -> usize {
    let splits = hasher.splits(tablets).unwrap();
    splits.partition_point(|split| &split[..] < key)
}

/// Returns the tablet of a number: the one after the last split whose digits are at most the
/// number.
fn tablet_of_number(hasher: &RowHasher, number: u32, tablets: u32) -> usize {
    let digits = |split: &[u8]| std::str::from_utf8(&split[2..]).unwrap().to_owned();
    let radix = hasher.scheme().radix();
    let splits = hasher.splits(tablets).unwrap();
    let points = splits.iter().filter_map(|split| u32::from_str_radix(&digits(split), radix).ok());
    points.filter(|point| *point <= number).count()
}

proptest! {
    #[test]
    fn remove_undoes_add(prefix in prefixes(), row in rows()) {
        for hasher in both(&prefix) {
            let key = hasher.add(&row);
            prop_assert_eq!(hasher.remove(&key).unwrap(), &row[..]);
            prop_assert_eq!(hasher.scheme().digits(hasher.hash_number(&row)), hasher.hash(&row));
        }
    }

    #[test]
    fn key_is_in_the_tablet_of_its_number(row in rows(), tablets in 1_u32..3_000) {
        for hasher in both("p") {
            let by_key = tablet_of(&hasher, &hasher.add(&row), tablets);
            let by_number = tablet_of_number(&hasher, hasher.hash_number(&row), tablets);
            prop_assert_eq!(by_key, by_number);
            prop_assert!(by_key < usize::try_from(tablets).unwrap());
        }
    }

    #[test]
    fn rejects_keys_of_the_other_scheme(row in rows()) {
        let [murmur3, sha1] = both("p");
        let coincide = murmur3.hash(&row) == sha1.hash(&row);
        for (one, other) in [(&murmur3, &sha1), (&sha1, &murmur3)] {
            match one.remove(&other.add(&row)) {
                Ok(removed) => prop_assert!(coincide && removed == row),
                Err(error) => prop_assert!(
                    !coincide && error.to_string().contains(", but this hasher is "), "{}", error
                ),
            }
        }
    }

    /// Reads any bytes, and bytes that pass the first checks.
    #[test]
    fn removes_only_what_add_returns(
        prefix in prefixes(), bytes in rows(), rest in "[0-9a-w:;]{0,10}", cut in any::<Index>(),
    ) {
        for hasher in both(&prefix) {
            let near = [hasher.head(), rest.as_bytes()].concat();
            let cut = &near[..cut.index(near.len() + 1)];
            for key in [&bytes[..], &near, cut] {
                match hasher.remove(key) {
                    Ok(row) => prop_assert_eq!(hasher.add(row), key),
                    Err(error) => prop_assert!(error.to_string().contains(&Excerpt::new(key).to_string())),
                }
            }
        }
    }

    #[test]
    fn sha1_digits_are_those_of_rfc_4648(row in rows()) {
        let encoded = base32::encode(base32::Alphabet::Rfc4648HexLower { padding: false }, &Sha1::from(&row).digest().bytes());
        prop_assert_eq!(&sha1("p").hash(&row)[..], &encoded.as_bytes()[..4]);
    }
}
