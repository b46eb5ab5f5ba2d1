//! A scheme's name in text and in serde's formats.

use rstest::rstest;

use crate::HashScheme;

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
