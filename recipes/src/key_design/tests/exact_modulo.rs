//! `modulo`: the exact cases.

use crate::{KeyDesign, Modulo, ModuloOf, Reach};

#[test]
fn a_hash_of_minus_two_to_the_31_has_a_bucket() {
    let design = KeyDesign::new(Modulo::default()).unwrap();
    let key = design.add(b"polygenelubricants").unwrap();
    assert_eq!(key, "02|polygenelubricants");
    assert_eq!(design.remove(&key).unwrap(), "polygenelubricants");
}

#[test]
fn nine_points_make_ten_tablets() {
    let design = KeyDesign::new(Modulo::default()).unwrap();
    let points = ["01", "02", "03", "04", "05", "06", "07", "08", "09"];
    assert_eq!(design.splits(10).unwrap(), points);
    assert_eq!(design.tablet_weights(10).unwrap(), Some(vec![1; 10]));
    assert_eq!(
        design.splits(11).unwrap_err().to_string(),
        "11 tablets are more than the 10 salts of this modulo design: give at most 10"
    );
    assert_eq!(
        design.splits(0).unwrap_err().to_string(),
        "a table has at least 1 tablet, not 0"
    );
}

#[test]
fn a_number_is_taken_modulo_itself() {
    let settings = Modulo {
        of: ModuloOf::Number,
        buckets: 150,
        ..Modulo::default()
    };
    let design = KeyDesign::new(settings).unwrap();
    assert_eq!(design.add(b"301").unwrap(), "001|301");
    assert_eq!(design.add(b"-1").unwrap(), "149|-1");
    assert_eq!(
        design.add(b"x").unwrap_err().to_string(),
        "`x` is not a whole number in decimal digits, of which the modulus is taken; take that of a hash with of = \
         \"java-hash\""
    );
}

#[test]
fn bytes_that_are_no_text_have_no_java_hash() {
    let design = KeyDesign::new(Modulo::default()).unwrap();
    let error = design.add(b"\xff").unwrap_err().to_string();
    assert_eq!(
        error,
        "`\\xff` is not UTF-8 text, and Java's String.hashCode is that of text: use a digest-salt for binary rows"
    );
}

#[test]
fn a_bucket_that_is_not_the_rows_is_refused() {
    let design = KeyDesign::new(Modulo::default()).unwrap();
    let message = |key: &[u8]| design.remove(key).unwrap_err().to_string();
    assert_eq!(
        message(b"03|polygenelubricants"),
        "`03|polygenelubricants` is not a key of this modulo design: its salt is `03`, but that of its row is `02`"
    );
    assert_eq!(
        message(b"0"),
        "`0` is not a key of this modulo design: a salt of 2 bytes comes first"
    );
    assert_eq!(
        message(b"02-x"),
        "`02-x` is not a key of this modulo design: `|` follows the 2 bytes of salt"
    );
}

#[test]
fn scans_fan_out_over_the_buckets() {
    let scans = KeyDesign::new(Modulo::default()).unwrap().scans();
    assert_eq!(scans.by_row, Reach::OnePiece);
    assert_eq!(scans.by_range, Reach::FanOut(10));
}

#[test]
fn buckets_have_bounds() {
    for buckets in [0, 1_000_001] {
        let settings = Modulo {
            buckets,
            ..Modulo::default()
        };
        assert_eq!(
            KeyDesign::new(settings).unwrap_err().to_string(),
            format!("{buckets} buckets cannot be: give 1 to 1000000")
        );
    }
}
