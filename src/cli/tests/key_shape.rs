//! The split points and the balancer's group of a key design.

#![cfg(test)]

mod command;

use command::{Place, assert_says};
use data_encoding::{BASE64, HEXLOWER};

/// Fluo's split points for 20 tablets.
const TWENTY: &str = "p:1sst p:3llm p:5eef p:7778 p:9001 p:assu p:clln p:eeeg p:g779 p:i002 \
                      p:jssv p:lllo p:neeh p:p77a p:r003 p:sssw p:ullp p:weei p:y77b p:~";

fn lines(words: &str) -> String {
    words.split(' ').map(|word| format!("{word}\n")).collect()
}

#[test]
fn split_points_are_those_of_java_fluo() {
    let place = Place::new();
    place
        .fluo("key splits --prefix p --tablets 20")
        .prints(lines(TWENTY));
    place
        .fluo("key splits --prefix p --tablets 1")
        .prints("p:~\n");
    place
        .fluo("key splits --design row-hasher,prefix=p,scheme=sha1-base32 --tablets 2")
        .prints("p:g000\np:~\n");
}

#[test]
fn encodes_split_points() {
    let place = Place::new();
    for (name, encoding) in [("base64", BASE64), ("hex", HEXLOWER)] {
        let run = place
            .fluo(&format!(
                "key splits --prefix p --tablets 20 --encoding {name}"
            ))
            .succeeds();
        let decoded: Vec<_> = run
            .text()
            .lines()
            .map(|line| encoding.decode(line.as_bytes()).unwrap())
            .collect();
        assert_eq!(
            decoded,
            TWENTY.split(' ').map(str::as_bytes).collect::<Vec<_>>()
        );
    }
    let json = place
        .fluo("key splits --prefix p --tablets 20 --json")
        .json();
    assert_eq!(
        json,
        serde_json::json!(TWENTY.split(' ').collect::<Vec<_>>())
    );
}

#[test]
fn accepts_at_most_as_many_tablets_as_hashes() {
    let place = Place::new();
    let run = place
        .fluo("key splits --design row-hasher,prefix=p,scheme=sha1-base32 --tablets 1048576")
        .succeeds();
    assert_eq!(run.text().lines().count(), 1_048_576);
    let message = place
        .fluo("key splits --design row-hasher,prefix=p,scheme=sha1-base32 --tablets 1048577")
        .fails();
    assert_eq!(
        message,
        "1048577 tablets are more than the 1048576 hashes of scheme sha1-base32: give at most 1048576"
    );
    assert_eq!(
        place.fluo("key splits --prefix p --tablets 0").fails(),
        "a table has at least 1 tablet, not 0"
    );
    for number in [
        "-1",
        "4294967296",
        "99999999999999999999999",
        "1e3",
        "x",
        "",
    ] {
        let arguments = ["key", "splits", "--prefix", "p", "--tablets", number];
        assert_says(
            &place.with(arguments).refuses_arguments(),
            "'--tablets <TABLETS>'",
        );
    }
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
