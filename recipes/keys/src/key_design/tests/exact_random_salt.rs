//! The design `random-salt`: exact cases.

use fluo_table::Key;

use crate::{DesignSettings, KeyDesign, RandomSalt, RecipeErrorKind, RowSelection, ScanCost};

fn design(buckets: u32) -> KeyDesign {
    KeyDesign::new(RandomSalt::new(buckets)).unwrap()
}

#[test]
fn the_salt_is_the_drawn_number() {
    let design = design(150).with_salt_source(|| 307);
    assert_eq!(design.encode_row(b"row").unwrap(), "007|row");
    assert_eq!(design.decode_key(b"149|row").unwrap(), "row");
    let smallest = self::design(2).with_salt_source(|| u64::MAX);
    assert_eq!(smallest.encode_row(b"").unwrap(), "01|");
}

#[test]
fn fails_without_a_source() {
    let error = design(10).encode_row(b"row").unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Settings);
    assert_eq!(
        error.to_string(),
        "this design has no source of random numbers for its salts: set one with `with_salt_source`"
    );
}

#[test]
fn the_key_of_a_row_cannot_be_computed() {
    let design = design(16).with_salt_source(|| 0);
    let error = design.key_of(b"row").unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Scan);
    assert_eq!(
        error.to_string(),
        "the key of `row` cannot be computed, because its salt was drawn from 16 buckets: scan for the row, which \
         reads every bucket, or use the design modulo or digest-salt, whose keys can be computed"
    );
    assert_eq!(design.salted_part(b"row").unwrap(), None);
    let computed = KeyDesign::new(crate::Modulo::default()).unwrap();
    assert_eq!(computed.key_of(b"row"), computed.encode_row(b"row"));
}

#[test]
fn a_read_of_one_row_scans_each_bucket() {
    let design = design(16);
    let spans = design.spans(&RowSelection::Row("row".into())).unwrap();
    assert_eq!(spans.len(), 16);
    for (bucket, span) in spans.iter().enumerate() {
        let key = |row: &str| Key::first_of_row(format!("{bucket:02}|{row}"));
        assert!(span.contains(&key("row")));
        assert!(!span.contains(&key("row2")) && !span.contains(&key("ro")));
    }
    assert_eq!(design.scans().by_row, ScanCost::FanOut { ranges: 16 });
    assert_eq!(design.scans().by_range, ScanCost::FanOut { ranges: 16 });
}

#[test]
fn rejects_a_salt_that_is_never_drawn() {
    let message = |key: &str| {
        design(10)
            .decode_key(key.as_bytes())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message("10|row"),
        "`10|row` is not a key of this random-salt design: its salt is `10`, and salts are `00` to `09`"
    );
    for key in ["+1|row", "-1|row", "ab|row", " 1|row"] {
        assert!(message(key).ends_with("and salts are `00` to `09`"));
    }
}

#[test]
fn rejects_settings_without_a_number_of_buckets() {
    let read = |text: &str| serde_json::from_str::<DesignSettings>(text);
    assert_eq!(
        read(r#"{"design": "random-salt", "separator": ""}"#)
            .unwrap_err()
            .to_string(),
        "missing field `buckets`"
    );
    let settings = read(r#"{"design": "random-salt", "buckets": 4, "separator": ""}"#).unwrap();
    let json = serde_json::to_string(&settings).unwrap();
    assert_eq!(read(&json).unwrap(), settings);
    let design = KeyDesign::new(settings).unwrap().with_salt_source(|| 3);
    assert_eq!(design.encode_row(b"row").unwrap(), "03row");
    assert_eq!(design.decode_key(b"03row").unwrap(), "row");
    for buckets in [0, 1, 65_537] {
        assert_eq!(
            KeyDesign::new(RandomSalt::new(buckets))
                .unwrap_err()
                .to_string(),
            format!(
                "a random salt cannot have {buckets} bucket{}: give 2 to 65536, because a read of one row scans \
                 every bucket",
                if buckets == 1 { "" } else { "s" }
            )
        );
    }
}

#[test]
fn split_points_are_the_buckets() {
    assert_eq!(design(4).splits(4).unwrap(), ["01", "02", "03"]);
    assert_eq!(design(4).tablet_weights(2).unwrap(), Some(vec![2, 2]));
    assert_eq!(design(4).group_regex(), None);
}

#[test]
fn equality_ignores_the_source() {
    assert_eq!(design(4), design(4).with_salt_source(|| 1));
    assert_ne!(design(4), design(5));
    assert_eq!(design(4).to_string(), "random-salt (drawn from 4 buckets)");
    assert!(format!("{:?}", design(4).with_salt_source(|| 1)).contains("SaltSource"));
}
