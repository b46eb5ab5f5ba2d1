//! Rows with unusual bytes: a key can hold every row.

use rstest::rstest;

use super::both;

#[rstest]
#[case::empty(b"".to_vec())]
#[case::nul(b"\x00".to_vec())]
#[case::high(b"\xff\xff".to_vec())]
#[case::newlines(b"a\nb\r\n".to_vec())]
#[case::colons(b":a::b:".to_vec())]
#[case::a_key(b"p:1yl0:org.wikipedia/accumulo".to_vec())]
#[case::not_utf8(b"\xc3\x28".to_vec())]
#[case::mebibyte((0..=255).cycle().take(1 << 20).collect())]
#[case::mebibyte_of_nul(vec![0; 1 << 20])]
fn round_trips(#[case] row: Vec<u8>) {
    for hasher in both("p") {
        let key = hasher.add(&row);
        assert_eq!(key.len(), 7 + row.len());
        assert_eq!(hasher.remove(&key).unwrap(), row);
    }
}

#[test]
fn add_to_appends_and_allocates_at_most_once() {
    for hasher in both("p") {
        let mut buffer = Vec::with_capacity(64);
        let start = buffer.as_ptr();
        hasher.add_to(b"cat", &mut buffer);
        hasher.add_to(b"dog", &mut buffer);
        assert_eq!(buffer, [hasher.add(b"cat"), hasher.add(b"dog")].concat());
        buffer.clear();
        hasher.add_to(b"fish", &mut buffer);
        assert_eq!(buffer, hasher.add(b"fish"));
        assert_eq!(buffer.as_ptr(), start);
    }
}

#[test]
fn remove_copies_nothing() {
    for hasher in both("p") {
        let key = hasher.add(b"org.wikipedia/accumulo");
        let row_start = key[7..].as_ptr();
        assert_eq!(hasher.remove(&key).unwrap().as_ptr(), row_start);
    }
}
