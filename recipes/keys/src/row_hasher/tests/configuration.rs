//! The configuration of a hasher, the names of schemes, and a hasher shared between threads.

use std::fmt::Debug;

use rstest::rstest;

use super::{both, murmur3};
use crate::{HashScheme, RecipeErrorKind, RowHasher, java_quote};

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

#[rstest]
#[case(HashScheme::Murmur3Base36, "murmur3-base36", 36, 1_679_616)]
#[case(HashScheme::Sha1Base32, "sha1-base32", 32, 1_048_576)]
fn name_radix_and_space(
    #[case] scheme: HashScheme,
    #[case] name: &str,
    #[case] radix: u32,
    #[case] space: u32,
) {
    assert_eq!(scheme.to_string(), name);
    assert_eq!(name.parse(), Ok(scheme));
    assert_eq!(serde_json::to_string(&scheme).unwrap(), format!("\"{name}\""));
    assert_eq!(serde_json::from_str::<HashScheme>(&format!("\"{name}\"")).unwrap(), scheme);
    assert_eq!((scheme.radix(), scheme.space()), (radix, space));
}

#[test]
fn display_honors_the_width() {
    assert_eq!(format!("{:>12}|", HashScheme::Sha1Base32), " sha1-base32|");
}

#[rstest]
#[case("")]
#[case("murmur3")]
#[case("Murmur3-Base36")]
#[case("sha1-base32 ")]
fn rejects_an_unknown_name_and_lists_the_valid_ones(#[case] name: &str) {
    let error = name.parse::<HashScheme>().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("there is no hash scheme `{name}`: give murmur3-base36 or sha1-base32")
    );
    let error = serde_json::from_str::<HashScheme>(&format!("\"{name}\"")).unwrap_err();
    assert!(error.to_string().contains("expected `murmur3-base36` or `sha1-base32`"), "{error}");
}
