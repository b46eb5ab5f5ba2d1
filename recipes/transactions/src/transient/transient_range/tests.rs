//! The settings, the spans and the messages of transient ranges.

use super::*;

fn message<T: fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), fluo_engine::ErrorKind::Invalid);
    error.to_string()
}

#[test]
fn writes_the_settings_of_fluo_recipes() {
    for (id, after, until, value) in [
        ("cfm.m1", "m1:d:~", "m1:u:~", "6D313A643A7E:6D313A753A7E"),
        ("exportQueue.eq1", "eq1#", "eq1:~", "65713123:6571313A7E"),
        ("start", "", "q", ":71"),
        ("end", "q", "", "71:"),
        ("all", "", "", ":"),
    ] {
        let range = TransientRange::new(id, after, until).unwrap();
        let (name, stored) = range.to_setting();
        assert_eq!(
            (name.as_str(), stored.as_str()),
            (format!("recipes.transientRange.{id}").as_str(), value)
        );
        assert_eq!(TransientRange::from_setting(&name, value).unwrap(), range);
    }
}

#[test]
fn reads_lower_case_digits() {
    let range = TransientRange::from_setting("recipes.transientRange.a", "00fE:00ff").unwrap();
    assert_eq!((range.after.as_ref(), range.until.as_ref()), (&b"\x00\xfe"[..], &b"\x00\xff"[..]));
}

#[test]
fn displays_bounds_with_escapes() {
    let shown = |after: &'static [u8], until: &'static [u8]| {
        TransientRange::new("a", after, until).unwrap().to_string()
    };
    assert_eq!(shown(b"a\\b\x01", b"\xff"), r"(a\x5cb\x01, \xff]");
    assert_eq!(shown(b"", b"q"), "(start of table, q]");
    assert_eq!(shown(b"q", b""), "(q, end of table)");
}

#[test]
fn spans_begin_after_the_first_row_and_include_the_last() {
    let holds = |after: &'static str, until: &'static str, row: &'static str| {
        let span = TransientRange::new("a", after, until).unwrap().span();
        span.contains(&fluo_table::Key::first_of_row(row))
    };
    assert_eq!(["b", "c", "d", "e"].map(|row| holds("b", "d", row)), [false, true, true, false]);
    assert!(holds("", "b", "") && !holds("", "b", "c"));
    assert!(holds("b", "", "\u{ff}") && !holds("b", "", "b"));
}

#[test]
fn rejects_a_range_without_rows_or_id() {
    assert_eq!(
        message(TransientRange::new("q", "b", "a\n")),
        "transient range `q` has no rows, because its last row `a\\x0a` is not after `b`; exchange them"
    );
    assert!(message(TransientRange::new("q", "b", "b")).contains("has no rows"));
    assert_eq!(
        message(TransientRange::new("", "a", "b")),
        "the id of a transient range is empty; give it at least one character"
    );
}

#[test]
fn errors_name_the_setting_and_the_form() {
    let of =
        |value: &str| message(TransientRange::from_setting("recipes.transientRange.foo", value));
    for value in ["", "61", "61:6", "6:61", "61-62", "zz:61", "61:62:63", "61:é", " 61:62"] {
        assert_eq!(
            of(value),
            format!(
                "setting `recipes.transientRange.foo`: `{value}` is not a range of rows; write two rows in \
                 hexadecimal digits, such as `6A6F6223:6A6F623A7E`"
            )
        );
    }
    assert_eq!(
        of("62:61"),
        "setting `recipes.transientRange.foo`: transient range `foo` has no rows, because its last row `a` is not \
         after `b`; exchange them"
    );
    for name in ["recipes.transientRange.", "recipes.rowHasher.p.numTablets"] {
        assert_eq!(
            message(TransientRange::from_setting(name, "61:62")),
            format!(
                "setting `{name}` cannot hold a transient range; name it `recipes.transientRange.ID`, with the id \
                 of the range"
            )
        );
    }
}

#[test]
fn reads_the_ranges_of_an_application_and_ignores_other_settings() {
    let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut settings = BTreeMap::from([
        setting("recipes.rowHasher.p.numTablets", "3"),
        setting("recipes.transientRanges", "x"),
        setting("recipes.transientRange.foo", "61:62"),
        setting("recipes.transientRange.bar", "63:64"),
    ]);
    let range = |id: &str, after: &'static str, until: &'static str| {
        TransientRange::new(id, after, until).unwrap()
    };
    assert_eq!(
        TransientRange::all_from_settings(&settings).unwrap(),
        [range("bar", "c", "d"), range("foo", "a", "b")]
    );
    settings.extend([setting("recipes.transientRange.zoo", "61")]);
    let error = TransientRange::all_from_settings(&settings).unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("setting `recipes.transientRange.zoo`: "));
}
