//! Keys that a hasher did not make, and the messages about them.

use rstest::rstest;

use super::{murmur3, sha1};
use crate::RowHasher;

fn message(hasher: &RowHasher, key: impl AsRef<[u8]>) -> String {
    hasher.remove(key.as_ref()).unwrap_err().to_string()
}

/// The keys of upstream's RowHasherTest, and others.
#[rstest]
#[case("q:she6:test1", "does not begin with `p:`, as the keys of this hasher do")]
#[case("p;she6:test1", "does not begin with `p:`, as the keys of this hasher do")]
#[case("p2:she6:test1", "does not begin with `p:`, as the keys of this hasher do")]
#[case("", "does not begin with `p:`, as the keys of this hasher do")]
#[case("p:she6;test1", "does not have 4 characters of hash and `:` after `p:`")]
#[case("p:sh6:", "does not have 4 characters of hash and `:` after `p:`")]
#[case(
    "p:Mhe6:test1",
    "has hash `Mhe6`, but scheme murmur3-base36 gives `she6` for its row `test1`"
)]
#[case(
    "p:s?e6:test1",
    "has hash `s?e6`, but scheme murmur3-base36 gives `she6` for its row `test1`"
)]
// Java returns an empty row, whose hash is another one.
#[case("p:she6:", "has hash `she6`, but scheme murmur3-base36 gives `0000` for its row ``")]
// SHA-1 of `abc` begins with a9993e.
#[case("p:l6cj:abc", "has hash `l6cj` of scheme sha1-base32, but this hasher is murmur3-base36")]
fn says_why_a_key_is_none(#[case] key: &str, #[case] expected: &str) {
    let found = message(&murmur3("p"), key);
    assert_eq!(found, format!("key `{key}` {expected}"));
}

#[test]
fn names_the_scheme_of_a_key_of_the_other_scheme() {
    assert_eq!(
        message(&sha1("p"), "p:1yl0:org.wikipedia/accumulo"),
        "key `p:1yl0:org.wikipedia/accumulo` has hash `1yl0` of scheme murmur3-base36, but this \
         hasher is sha1-base32"
    );
}

#[test]
fn unprintable_and_long_bytes_do_not_fill_the_message() {
    let mut key = murmur3("p").add(b"").to_vec();
    key.extend_from_slice(&[b'\\', 0, b'\n', 0xff]);
    key.resize(1 << 20, b'x');
    let xs = "x".repeat(49);
    let shown = format!(r"`p:0000:\x5c\x00\x0a\xff{xs}`.. (60 of 1,048,576 bytes)");
    let message = message(&murmur3("p"), &key);
    let begin = format!("key {shown} has hash `0000`, but ");
    assert!(message.starts_with(&begin) && message.len() < 400, "{message}");
}

#[test]
fn detects_one_wrong_bit_in_the_row() {
    let hasher = murmur3("p");
    let key = hasher.add(b"org.wikipedia/accumulo");
    for offset in b"p:1yl0:".len()..key.len() {
        let mut broken = key.to_vec();
        broken[offset] ^= 1;
        let error = hasher.remove(&broken).unwrap_err();
        assert!(error.to_string().contains("has hash `1yl0`, but scheme murmur3-base36 gives"));
    }
}
