//! Keys as Java's RowHasher writes them, taken from its documentation, its tests and its output.

use rstest::rstest;

use super::murmur3;

#[rstest]
#[case("p2", "test1", "p2:she6:test1")]
#[case(
    "p2",
    "0123456789abcdefghijklmnopqrstuvwxyz",
    "p2:hgt0:0123456789abcdefghijklmnopqrstuvwxyz"
)]
#[case("p2", "86ce3b094982c6a", "p2:fluo:86ce3b094982c6a")]
#[case("p", "org.wikipedia/accumulo", "p:1yl0:org.wikipedia/accumulo")]
#[case("p", "", "p:0000:")]
#[case("p", "a", "p:s6uq:a")]
#[case("p", "ab", "p:6icf:ab")]
#[case("p", "abc", "p:2j96:abc")]
#[case("p", "abcd", "p:i9nu:abcd")]
#[case("p", "abcde", "p:wcfq:abcde")]
#[case("p", "hello", "p:205j:hello")]
#[case("p", "cat", "p:r2g7:cat")]
#[case("p", "dog", "p:z9az:dog")]
#[case("p", "fish", "p:3q1b:fish")]
#[case("p", "zoo", "p:rco2:zoo")]
#[case("p", "com.cnn/story1.html", "p:kdvv:com.cnn/story1.html")]
#[case("p", "café", "p:osnc:café")]
#[case("p", "日本", "p:qkhu:日本")]
#[case("p", "com.a>>o>/1", "p:saxb:com.a>>o>/1")]
#[case("p", "com.b>>o>/", "p:xdjd:com.b>>o>/")]
fn writes_and_reads_the_keys_of_java(#[case] prefix: &str, #[case] row: &str, #[case] key: &str) {
    let hasher = murmur3(prefix);
    assert_eq!(hasher.add(row.as_bytes()), key);
    assert_eq!(hasher.remove(key.as_bytes()).unwrap(), row.as_bytes());
}

#[test]
fn the_number_of_a_hash_is_that_of_fluo() {
    // Guava's hash of the row is 1,095,201,108.
    let number = murmur3("p").hash_number(b"org.wikipedia/accumulo");
    assert_eq!(number, 1_095_201_108 % 1_679_616);
}
