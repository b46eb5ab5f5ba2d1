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
        assert_says(page.text(), &format!(" design     {name}"));
        assert_says(page.text(), " by suffix  ");
    }
}

#[test]
fn shows_example_settings_for_designs_that_need_some() {
    let place = Place::new();
    for (name, example) in [
        ("row-hasher", "--prefix p"),
        ("reversed", "--length 10"),
        ("random-salt", "--buckets 16"),
        ("composite", "--field text --field time:desc"),
    ] {
        let page = place.fluo(&format!("key design --design {name}"));
        assert_says(
            page.succeeds().text(),
            &format!(" example    {example}, as this design needs settings and none were given"),
        );
        let json = place.fluo(&format!("key design --json --design {name}"));
        assert_eq!(json.json()["example"], example);
        let given = place.fluo(&format!("key design --json --design {name} {example}"));
        assert!(given.json().get("example").is_none());
    }
    // Some settings are given, but not enough.
    let message = place
        .fluo("key design --design random-salt --separator -")
        .fails();
    assert_says(&message, "a random salt needs --buckets");
    let message = place.fluo("key design --scheme sha1-base32").fails();
    assert_says(&message, "give one, such as --prefix p");
}
