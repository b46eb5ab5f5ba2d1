//! The list of designs, and the page about each.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

#[test]
fn lists_all_designs_and_has_a_page_for_each() {
    let place = Place::new();
    let list = place.fluo("key design").succeeds();
    assert_says(
        &list.stderr,
        "`fluo key design --design NAME` has a page about each",
    );
    let names: Vec<_> = list
        .text()
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names.len(), 9, "{}", list.text());
    let json = place.fluo("key design --json").json();
    for (index, name) in names.iter().enumerate() {
        assert_eq!(json[index]["design"], *name);
        let page = place.fluo(&format!("key design --design {name}"));
        let page = page.succeeds();
        let words: Vec<_> = page.text().split_whitespace().collect();
        assert_eq!(words[..2], ["design", name]);
        assert_says(page.text(), " by suffix  ");
    }
}

#[test]
fn shows_example_settings_for_designs_that_need_some() {
    let place = Place::new();
    for (name, example) in [
        ("row-hasher", "prefix=p"),
        ("reversed", "length.fixed=10"),
        ("random-salt", "buckets=16"),
        (
            "composite",
            "fields=[{kind=\"text\"},{kind=\"time\",order=\"descending\"}]",
        ),
    ] {
        let page = place.fluo(&format!("key design --design {name}"));
        assert_says(
            page.succeeds().text(),
            &format!("{example}, as this design needs settings and none were given"),
        );
        let json = place.fluo(&format!("key design --json --design {name}"));
        assert_eq!(json.json()["example"], example);
        let given = place.fluo(&format!("key design --json --design {name},{example}"));
        assert!(given.json().get("example").is_none());
    }
    // Some settings are given, but not enough.
    let message = place
        .fluo("key design --design random-salt,separator=-")
        .fails();
    assert_says(&message, "the design random-salt needs `buckets`");
    let message = place
        .fluo("key design --design row-hasher,scheme=sha1-base32")
        .fails();
    assert_says(&message, "the design row-hasher needs `prefix`");
}

#[test]
fn describes_the_settings_of_a_design() {
    let place = Place::new();
    let page = place.fluo("key design --design digest-salt").succeeds();
    assert_says(
        page.text(),
        " with end        the end of the digest's text to use: first, unless given, or last",
    );
}
