//! `fluo advise`: what it prints, writes and refuses.

#![cfg(test)]

mod command;

use command::{Place, ROWS, assert_says};

fn ids(count: u32) -> String {
    (0..count).map(|id| format!("{id:010}\n")).collect()
}

#[test]
fn a_person_gets_findings_figures_and_a_spec() {
    let place = Place::new();
    place.file("keys", ids(20_000));
    let run = place.fluo("advise --servers 4 keys").succeeds();
    assert_eq!(run.stderr, "");
    for part in [
        "Keys of keys\n",
        "note     20,000 keys, 20,000 different, all of 10 bytes, digits.",
        "warning  Keys ascend in their order of arrival (100 % are greater than the one before, rank correlation 1.000;",
        "Of the newest 5.0 % of the keys, no tablet takes more than",
        "Use row-hasher in 16 tablets.",
        "16 tablets: the largest of 16 for 4 servers at 4 each, rounded up to a multiple of the servers.",
        "[[key_design]]",
    ] {
        assert_says(run.text(), part);
    }
}

/// What is recommended can be used as it is written.
#[test]
fn the_spec_that_is_written_can_be_planned() {
    for reads in ["", "--reads range"] {
        let place = Place::with_table();
        place.file("keys", ids(20_000));
        let command = format!("advise --servers 4 {reads} --write-spec advised.toml keys");
        place.fluo(&command).succeeds();
        assert_says(
            &place.read("advised.toml"),
            "[[key_design]]\ntablets = 16\n",
        );
        place
            .fluo("table plan --at embedded:d --spec advised.toml pages")
            .succeeds();
    }
}

#[test]
fn json_has_everything_but_the_heat_map() {
    let place = Place::new();
    let run = place.fed("advise --servers 4 --seed 3 --json -", ROWS);
    assert_eq!(run.stderr, "");
    let json = run.json();
    assert_eq!(json["source"], "standard input");
    assert_eq!(json["profile"]["keys"], 4_208);
    assert_eq!(json["profile"]["sample"]["seed"], 3);
    assert!(json["profile"].get("heat_map").is_none());
    assert_eq!(json["advice"]["design"], "row-hasher");
    let forecast = &json["forecasts"][1];
    assert_eq!(forecast["label"], "row-hasher");
    let load = &forecast["result"]["possible"]["load"];
    let keys: u64 = load["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|keys| keys.as_u64().unwrap())
        .sum();
    assert_eq!(keys, 4_208);
    assert!(
        json["spec_file"].as_str().unwrap().contains("row-hasher"),
        "{json}"
    );
}

#[test]
fn the_same_seed_gives_the_same_advice() {
    let place = Place::new();
    place.file("keys", ids(70_000));
    let told = |seed| {
        let run = place
            .fluo(&format!("advise --json --seed {seed} keys"))
            .succeeds();
        // So many keys have a line of progress at a terminal, and none in a pipe.
        assert_eq!(run.stderr, "");
        run.stdout
    };
    assert_eq!(told(1), told(1));
    assert_ne!(told(1), told(2));
}

#[test]
fn keys_are_bytes_however_they_are_written() {
    let place = Place::new();
    let json = place
        .fed("advise --encoding hex --json -", "00ff\n0a3c\n")
        .json();
    assert_eq!(json["profile"]["alphabet"]["all"], "binary");
    let message = place.fed("advise --encoding hex -", "00\n0g\n").fails();
    assert_says(&message, "line 2: it is not hex");
}

#[test]
fn unordered_keys_are_not_called_monotonic() {
    let place = Place::new();
    let run = place.fed("advise --unordered -", ids(1_000)).succeeds();
    assert_says(
        run.text(),
        "The order of the keys is not that of their arrival",
    );
    assert!(!run.text().contains("ascend"), "{}", run.text());
}

#[test]
fn rows_of_a_table_are_sampled() {
    let place = Place::with_table();
    place.file("rows", ROWS);
    place
        .fluo("table load --at embedded:d pages --prefix p rows")
        .succeeds();
    let json = place.fluo("advise --at embedded:d pages --json").json();
    assert_eq!(
        (&json["source"], &json["profile"]["keys"]),
        (&"table `pages`".into(), &4_208.into())
    );
    assert_eq!(json["profile"]["order"]["arrivals"], "unordered");
    assert_eq!(json["notes"], serde_json::json!([]));

    place.fluo("table apply --at embedded:d --spec s.toml --no-wait --yes pages");
    let json = place
        .fluo("advise --at embedded:d pages --rows 50 --json")
        .json();
    assert!(json["profile"]["keys"].as_u64().unwrap() <= 50, "{json}");
    assert_says(json["notes"][0].as_str().unwrap(), "Only the first ");
    let message = place.fluo("advise --at embedded:d nothing").fails();
    assert_says(&message, "nothing");
}

/// Keys are somebody else's bytes: a terminal must not obey them, and a page must not run them.
#[test]
fn hostile_keys_are_shown_and_not_obeyed() {
    let place = Place::new();
    let keys = "\x1b[31m<script>alert(1)</script>|x\n".repeat(30);
    place.file("keys", keys);
    let run = place.fluo("advise --html page.html keys").succeeds();
    assert!(!run.text().contains('\x1b'), "{}", run.text());
    let page = place.read("page.html");
    assert!(!page.contains("<script") && !page.contains('\x1b'));
    assert_says(&page, r"\x1b[31m&lt;script&gt;alert(1)");
}

#[test]
fn keys_that_need_no_salt_have_no_spec_file() {
    let place = Place::new();
    let random = |id: u64| id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (id << 17);
    let keys: String = (0..30_000)
        .map(|id| format!("{:016x}\n", random(id)))
        .collect();
    place.file("keys", keys);
    let message = place
        .fluo("advise --reads range --write-spec s.toml keys")
        .fails();
    assert_eq!(
        message,
        "the advice is to leave the keys as they are, so there is no spec file to write"
    );
}

#[test]
fn what_cannot_be_read_is_told() {
    let place = Place::new();
    assert_eq!(
        place.fed("advise -", "").fails(),
        "there are no keys in standard input: give at least one"
    );
    assert_says(
        &place.fluo("advise missing").fails(),
        "cannot read the keys of missing: No such file",
    );
    assert_eq!(
        place.fluo("advise tmp").fails(),
        "cannot read the keys of tmp: it is a directory"
    );
    place.file("keys", "a\nb\n");
    let message = place.fluo("advise --html no/page.html keys").fails();
    assert_says(&message, "cannot write the page no/page.html: ");
    let message = place.fluo("advise --write-spec no/s.toml keys").fails();
    assert_says(&message, "cannot write the spec no/s.toml: ");
}

#[test]
fn arguments_are_checked() {
    let place = Place::new();
    place.file("keys", "a\n");
    for (arguments, part) in [
        ("advise", "required arguments were not provided"),
        ("advise --servers 0 keys", "0 is not in 1.."),
        ("advise --tablets 0 keys", "0 is not in 1..=65536"),
        ("advise --cells-per-row 0 keys", "0 is not in 1.."),
        (
            "advise --reads all keys",
            "[possible values: prefix, range, field]",
        ),
        ("advise --rows 5 keys", "--at <TARGET>"),
        ("advise --user me keys", "--at <TARGET>"),
        (
            "advise --at embedded:d --encoding hex pages",
            "cannot be used with",
        ),
    ] {
        assert_says(&place.fluo(arguments).refuses_arguments(), part);
    }
}
