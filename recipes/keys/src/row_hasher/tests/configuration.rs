//! The configuration of a hasher, and a hasher shared between threads.

use std::fmt::Debug;

use rstest::rstest;

use super::{both, murmur3};
use crate::{RecipeErrorKind, RowHasher, java_quote};

#[test]
fn rejects_an_empty_prefix() {
    let error = RowHasher::new("").unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Settings);
    assert_eq!(
        error.to_string(),
        "the prefix of a row hasher is empty: give at least one character, such as `p`"
    );
}

#[rstest]
#[case::colon("a:b")]
#[case::only_colons("::")]
#[case::end_of_quote(r"\E")]
#[case::newline("a\nb")]
#[case::nul("\0")]
#[case::non_ascii("日本é")]
#[case::space(" ")]
#[case::looks_like_a_key("p:1yl0:x")]
fn accepts_any_other_prefix(#[case] prefix: &str) {
    for hasher in both(prefix) {
        assert_eq!(hasher.prefix(), prefix);
        assert_eq!(hasher.group_regex(), java_quote(&format!("{prefix}:")));
        let key = hasher.add(b"row");
        assert!(key.starts_with(format!("{prefix}:").as_bytes()));
        assert_eq!(hasher.remove(&key).unwrap(), b"row");
        let splits = hasher.splits(2).unwrap();
        assert_eq!(splits.last().unwrap(), &format!("{prefix}:~"));
    }
}

#[test]
fn many_threads_may_share_a_hasher() {
    fn shareable<T: Clone + Send + Sync + Debug + 'static>(_: &T) {}
    shareable(&murmur3("p"));
}
