//! Keys that a hasher did not make, and the messages about them.

use rstest::rstest;

use super::{murmur3, sha1};
use crate::RowHasher;

fn message(hasher: &RowHasher, key: impl AsRef<[u8]>) -> String {
    hasher.remove(key.as_ref()).unwrap_err().to_string()
}

/// The keys of upstream's RowHasherTest.
#[rstest]
#[case(
    "q:she6:test1",
    "key `q:she6:test1` does not begin with `p:`, as the keys of this hasher do"
)]
#[case(
    "p;she6:test1",
    "key `p;she6:test1` does not begin with `p:`, as the keys of this hasher do"
)]
#[case(
    "p;she6;test1",
    "key `p;she6;test1` does not begin with `p:`, as the keys of this hasher do"
)]
#[case(
    "p:Mhe6:test1",
    "key `p:Mhe6:test1` has `M` at offset 2, but a hash of scheme murmur3-base36 has only the characters 0-9a-z there"
)]
#[case(
    "p:+he6:test1",
    "key `p:+he6:test1` has `+` at offset 2, but a hash of scheme murmur3-base36 has only the characters 0-9a-z there"
)]
#[case(
    "p:s?e6:test1",
    "key `p:s?e6:test1` has `?` at offset 3, but a hash of scheme murmur3-base36 has only the characters 0-9a-z there"
)]
#[case(
    "p:sh{6:test1",
    "key `p:sh{6:test1` has `{` at offset 4, but a hash of scheme murmur3-base36 has only the characters 0-9a-z there"
)]
#[case(
    "p:she6;test1",
    "key `p:she6;test1` has `;` at offset 6, but `:` follows the 4 characters of hash there"
)]
#[case(
    "p:sh6:",
    "key `p:sh6:` has 6 bytes, but the keys of this hasher have at least 7: `p:`, 4 characters of hash, and `:`"
)]
fn rejects_the_keys_of_upstreams_test(#[case] key: &str, #[case] expected: &str) {
    assert_eq!(message(&murmur3("p"), key), expected);
}

#[test]
fn checks_the_length_before_the_prefix() {
    assert_eq!(
        message(&murmur3("p"), b"q"),
        "key `q` has 1 bytes, but the keys of this hasher have at least 7: \
         `p:`, 4 characters of hash, and `:`"
    );
    assert_eq!(
        message(&sha1("pp"), b""),
        "key `` has 0 bytes, but the keys of this hasher have at least 8: \
         `pp:`, 4 characters of hash, and `:`"
    );
}

#[test]
fn checks_the_prefix_before_the_hash() {
    let message = message(&murmur3("p"), b"q:????????");
    assert!(message.contains("does not begin with `p:`"), "{message}");
}

#[test]
fn checks_the_digits_before_the_separator() {
    let message = message(&murmur3("p"), b"p:s?e6;test1");
    assert!(message.contains("has `?` at offset 3"), "{message}");
}

#[test]
fn each_scheme_has_its_own_digits() {
    assert_eq!(
        message(&sha1("p"), "p:00w0:x"),
        "key `p:00w0:x` has `w` at offset 4, \
         but a hash of scheme sha1-base32 has only the characters 0-9a-v there"
    );
}

#[test]
fn names_the_scheme_of_a_key_of_the_other_scheme() {
    assert_eq!(
        message(&sha1("p"), "p:1yl0:org.wikipedia/accumulo"),
        "key `p:1yl0:org.wikipedia/accumulo` is of another hash scheme: \
         hash `1yl0` is that of scheme murmur3-base36, but this hasher is sha1-base32"
    );
    // SHA-1 of `abc` begins with a9993e.
    assert_eq!(
        message(&murmur3("p"), sha1("p").add(b"abc")),
        "key `p:l6cj:abc` is of another hash scheme: \
         hash `l6cj` is that of scheme sha1-base32, but this hasher is murmur3-base36"
    );
}

#[test]
fn rejects_a_longer_prefix() {
    assert_eq!(
        message(&murmur3("p"), "p2:she6:test1"),
        "key `p2:she6:test1` does not begin with `p:`, as the keys of this hasher do"
    );
}

#[test]
fn unprintable_and_long_bytes_do_not_fill_the_message() {
    let mut key = murmur3("p").add(b"").to_vec();
    key.extend_from_slice(&[b'\\', 0, b'\n', 0xff]);
    key.resize(1 << 20, b'x');
    let shown = format!(
        r"`p:0000:\x5c\x00\x0a\xff{}`.. (60 of 1048576 bytes)",
        "x".repeat(49)
    );
    let message = message(&murmur3("p"), &key);
    assert!(
        message.starts_with(&format!("key {shown} has hash `0000`, but ")),
        "{message}"
    );
    assert!(message.len() < 400, "{message}");
}

#[test]
fn escapes_the_bytes_it_found() {
    let message = message(&murmur3("p"), b"p:\x0000\\:x");
    assert!(message.contains(r"has `\x00` at offset 2"), "{message}");
}

#[test]
fn detects_one_wrong_bit_in_the_row() {
    let hasher = murmur3("p");
    let key = hasher.add(b"org.wikipedia/accumulo");
    for offset in b"p:1yl0:".len()..key.len() {
        let mut broken = key.to_vec();
        broken[offset] ^= 1;
        let message = message(&hasher, &broken);
        assert!(
            message.contains("has hash `1yl0`, but scheme murmur3-base36 gives"),
            "{message}"
        );
    }
}

#[test]
fn every_reader_of_a_key_checks_it() {
    let hasher = murmur3("p");
    let key = bytes::Bytes::from_static(b"p:she6:test2");
    let error = hasher.remove(&key).unwrap_err();
    assert_eq!(hasher.remove_owned(&key).unwrap_err(), error);
    assert_eq!(hasher.parts(&key).unwrap_err(), error);
}
