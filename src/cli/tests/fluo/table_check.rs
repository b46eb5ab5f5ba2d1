//! `fluo table check`. Of sixty single bits that were flipped in a file, `verify` noticed nine;
//! `load` then reported 4,208 rows written to the damaged table.

use std::fs;

use crate::command::{Place, assert_says};

const CHECK: &str = "table check --at embedded:d";

/// Creates a table of three rows, with a row that can be found in the file.
fn place() -> Place {
    let place = Place::with_table();
    place.file("rows.txt", "a-row-of-the-file\nb\nc\n");
    place.runs("table load --at embedded:d pages --prefix p rows.txt");
    place
}

/// Flips a bit of a key everywhere in the file.
fn damage(place: &Place) {
    let key = b"a-row-of-the-file";
    let mut bytes = fs::read(place.path("d/fluo.redb")).unwrap();
    for start in 0..bytes.len() - key.len() {
        if bytes[start..].starts_with(key) {
            bytes[start + 2] ^= 1;
        }
    }
    fs::write(place.path("d/fluo.redb"), bytes).unwrap();
}

#[test]
fn finds_a_flipped_bit_and_stops_writes_until_a_check_succeeds() {
    let place = place();
    fs::copy(place.path("d/fluo.redb"), place.path("copy")).unwrap();
    damage(&place);
    // A read notices nothing.
    place.fluo("table list --at embedded:d").prints("pages\n");
    let run = place.fluo(CHECK).differs();
    let told = run.text();
    assert!(
        told.starts_with("NOT OK: embedded:d is damaged:\n  pages do not have their checksums\n"),
        "{told}"
    );
    assert_says(told, "\nIt takes no writes now; restore it from a copy and check it again.\n");
    let run = place.fluo(&format!("{CHECK} --json"));
    assert_eq!(run.code, Some(1));
    let json: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!((&json["ok"], &json["whole"]), (&false.into(), &serde_json::Value::Null));
    assert_eq!(json["damage"].as_array().unwrap().len(), 1);

    place.file("after.toml", "[[key_design]]\ndesign = \"modulo\"\ntablets = 4\n[[key_design.before]]\ndesign = \"modulo\"\nbuckets = 4\n");
    let writes = [
        "table load --at embedded:d pages --prefix p rows.txt",
        "table apply --at embedded:d --spec s.toml pages",
        "table migrate --at embedded:d --spec after.toml pages",
    ];
    for write in writes {
        let message = place.fails(write);
        assert_says(&message, "the directory `d` is damaged (");
        assert!(
            message
                .ends_with(") and takes no writes; restore it from a copy, then check it again with `fluo table check`"),
            "{message}"
        );
    }
    assert_says(&place.fails("app init --at embedded:d web"), "the directory `d` is damaged (");

    // The verdict about a damaged table was OK, with whatever rows the damage left.
    let verify = "table verify --at embedded:d --spec s.toml";
    let run = place.fluo(&format!("{verify} pages")).differs();
    assert_says(run.text(), "NOT OK: table pages: the directory `d` is damaged (");
    assert_says(run.text(), ", then check it again with `fluo table check`\n");

    fs::copy(place.path("copy"), place.path("d/fluo.redb")).unwrap();
    place.fails(writes[0]);
    place.runs(CHECK);
    place.runs(writes[0]);
}

#[test]
fn reports_an_empty_file() {
    let place = place();
    fs::write(place.path("d/fluo.redb"), "").unwrap();
    let run = place.fluo(CHECK).differs();
    assert_says(run.text(), "  its `fluo.redb` is empty\n");
}
