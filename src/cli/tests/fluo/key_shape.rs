//! The split points and the balancer's group of a key design.

use crate::command::Place;

#[test]
fn prints_a_point_for_each_hash() {
    let place = Place::new();
    let run = place
        .fluo("key splits --design row-hasher,prefix=p,scheme=sha1-base32 --tablets 1048576")
        .succeeds();
    assert_eq!(run.text().lines().count(), 1_048_576);
}

#[test]
fn group_is_a_java_regex() {
    let place = Place::new();
    place.fluo("key group --prefix p").prints("(\\Qp:\\E).*\n");
    place
        .fluo(r"key group --prefix a\Eb")
        .prints("(\\Qa\\E\\\\E\\Qb:\\E).*\n");
    assert_eq!(
        place.fluo("key group --prefix p --json").json(),
        r"(\Qp:\E).*"
    );
}

#[test]
fn prints_a_prefix_with_a_newline_only_in_an_encoding() {
    let place = Place::new();
    let message = place
        .with(["key", "splits", "--prefix", "a\nb", "--tablets", "3"])
        .fails();
    assert_eq!(
        message,
        "the split point `a\\x0ab:c000` cannot be printed: it contains a newline, which a line of text cannot \
         show; use --encoding hex or base64"
    );
    let message = place.with(["key", "group", "--prefix", "a\nb"]).fails();
    assert_eq!(
        message,
        "the regex contains a newline, which a line of text cannot show; use --json"
    );

    let encoded = place.with([
        "key",
        "splits",
        "--prefix",
        "a\nb",
        "--tablets",
        "1",
        "--encoding",
        "hex",
    ]);
    encoded.prints("610a623a7e\n");
    let json = place
        .with(["key", "group", "--prefix", "a\nb", "--json"])
        .json();
    assert_eq!(json, "(\\Qa\nb:\\E).*");
}
