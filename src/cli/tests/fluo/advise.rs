//! The command `fluo advise` on files of keys: its output, its files and its errors.

use crate::command::{Place, ROWS, assert_says};

fn lines(count: u32, line: fn(u32) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

fn ids(count: u32) -> String {
    lines(count, |id| format!("{id:010}"))
}

#[test]
fn json_has_the_report_and_its_types() {
    let place = Place::new();
    place.file("keys", ROWS);
    let command = "advise --servers 4 --reads range --json keys";
    let json = place.fluo(command).json();
    assert_eq!(json["source"], "keys");
    assert_eq!(json["decision"], "new-design");
    assert_eq!(json["profile"]["keys"], 4_208);
    assert_eq!(json["profile"]["order"]["arrivals"], "as-written");
    assert!(json["profile"].get("heat_map").is_none());
    let designs = json["designs"].as_array().unwrap();
    assert_eq!(designs[0]["suitability"], "recommended");
    let keys = designs[0]["load"]["keys"].as_array().unwrap().iter();
    assert_eq!(keys.map(|keys| keys.as_u64().unwrap()).sum::<u64>(), 4_208);
    let of = |label: &str| designs.iter().find(|design| design["label"] == label);
    let hasher = of("row-hasher").unwrap();
    assert_eq!(hasher["suitability"], "unreadable");
    assert_eq!(hasher["faults"][0]["fault"], "unsupported-read");
    assert_eq!(hasher["faults"][0]["read"], "range");
    let spec = json["spec_file"].as_str().unwrap();
    assert_says(spec, designs[0]["settings"]["design"].as_str().unwrap());
    // The same keys give the same advice.
    let again = place.runs(command);
    assert_eq!(again.stdout, place.runs(command).stdout);
}

/// A reader can repeat the command of a page, and send the page.
#[test]
fn the_page_contains_its_command_and_is_small() {
    let place = Place::new();
    place.file("my keys", ROWS);
    let command = ["advise", "--tablets", "1000", "--html", "page.html", "my keys"];
    place.with(command).succeeds();
    let page = place.read("page.html");
    assert_says(&page, "fluo advise --tablets 1000 --html page.html 'my keys'");
    assert!(page.len() < 150_000, "{} bytes", page.len());
}

/// The newest keys are the fault of keys in order, and the loads show them.
#[test]
fn keys_in_order_have_a_hot_end() {
    let place = Place::new();
    place.file("keys", ids(20_000));
    let json = place.fluo("advise --servers 1 --json keys").json();
    let mut designs = json["designs"].as_array().unwrap().iter();
    let unsalted = designs.find(|design| design["label"] == "unsalted").unwrap();
    assert_eq!(unsalted["suitability"], "hot-end");
    assert_eq!(unsalted["load"]["newest_keys"], serde_json::json!([0, 0, 0, 1_000]));
}

/// Shows the number of keys while the command waits for more.
#[cfg(unix)]
#[test]
fn shows_progress_at_a_terminal() {
    use std::io::Write;

    let place = Place::new();
    place.pipe("pipe");
    let session = place.at_terminal("advise pipe", &[]);
    let mut pipe = std::fs::File::options().write(true).open(place.path("pipe")).unwrap();
    pipe.write_all(ids(140_000).as_bytes()).unwrap();
    session.waits_for("keys 131,072 (");
    drop(pipe);
    let (code, shown) = session.ended();
    assert_eq!(code, Some(0), "{shown}");
    assert_says(&shown, "140,000, 140,000 different");
}
