//! The design `modulo`: exact cases.

use crate::{
    DigestSalt, HashInput, KeyDesign, Modulo, RecipeErrorKind, ReverseTime, Reversed, RowAlphabet,
    RowHasher, RowLength, SaltedPart, ScanCost,
};

#[test]
fn a_hash_of_minus_two_to_the_31_has_a_bucket() {
    let design = KeyDesign::new(Modulo::default()).unwrap();
    let key = design.encode_row(b"polygenelubricants").unwrap();
    assert_eq!(key, "02|polygenelubricants");
    assert_eq!(design.decode_key(&key).unwrap(), "polygenelubricants");
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

/// `splits` had no limit, and the process was killed when memory ran out.
#[test]
fn the_number_of_tablets_is_limited() {
    let digest = DigestSalt {
        digits: 8,
        ..DigestSalt::default()
    };
    let reversed = Reversed {
        alphabet: Some(RowAlphabet::Bytes),
        ..Reversed::new(RowLength::Stored)
    };
    let designs = [KeyDesign::new(digest), KeyDesign::new(reversed)];
    for design in designs.map(Result::unwrap) {
        for tablets in [KeyDesign::MOST_TABLETS + 1, u32::MAX] {
            let message = format!(
                "{tablets} tablets are more than the maximum for split points: give 1 to 2097152"
            );
            let error = design.splits(tablets).unwrap_err();
            assert_eq!(error.kind(), RecipeErrorKind::Splits);
            assert_eq!(error.to_string(), message);
            let error = design.tablet_weights(tablets).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(design.splits(70_000).unwrap().len(), 69_999);
    }
    // The row hasher's own limit is below this one.
    let hasher = KeyDesign::from(&RowHasher::new("p").unwrap());
    assert_eq!(hasher.splits(1_679_616).unwrap().len(), 1_679_616);
    let error = hasher.splits(1_679_617).unwrap_err().to_string();
    assert!(error.contains("1679616"), "{error}");
}

/// Weights are rejected in the same cases as points, although no points are computed.
#[test]
fn rejects_weights_as_it_rejects_points() {
    let reversed = |alphabet, length| {
        let settings = Reversed {
            alphabet,
            ..Reversed::new(length)
        };
        KeyDesign::new(settings).unwrap()
    };
    let digits = Some(RowAlphabet::Digits);
    for (design, tablets) in [
        (reversed(None, RowLength::Stored), 2),
        (reversed(digits, RowLength::Fixed(2)), 101),
        (KeyDesign::new(ReverseTime::default()).unwrap(), 2),
        (KeyDesign::new(Modulo::default()).unwrap(), 11),
        (KeyDesign::new(Modulo::default()).unwrap(), 0),
    ] {
        let error = design.splits(tablets).unwrap_err();
        assert_eq!(design.tablet_weights(tablets), Err(error));
    }
    assert_eq!(
        reversed(digits, RowLength::Fixed(2)).tablet_weights(100),
        Ok(None)
    );
}

/// A part that ends within a character is not valid text, so rows of text were rejected one by one.
#[test]
fn rejects_javas_hash_of_leading_bytes() {
    let settings = Modulo {
        over: SaltedPart::First(1),
        ..Modulo::default()
    };
    let error = KeyDesign::new(settings.clone()).unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Settings);
    assert_eq!(
        error.to_string(),
        "Java's String.hashCode needs text, but the first bytes of a text can end within a character: salt over the \
         part before a text, or use a digest-salt, which accepts any bytes"
    );
    let numbers = Modulo {
        of: HashInput::Number,
        ..settings
    };
    assert_eq!(
        KeyDesign::new(numbers).unwrap().encode_row(b"12").unwrap(),
        "01|12"
    );
}

#[test]
fn a_number_is_taken_modulo_itself() {
    let settings = Modulo {
        of: HashInput::Number,
        buckets: 150,
        ..Modulo::default()
    };
    let design = KeyDesign::new(settings).unwrap();
    assert_eq!(design.encode_row(b"301").unwrap(), "001|301");
    assert_eq!(design.encode_row(b"-1").unwrap(), "149|-1");
    assert_eq!(
        design.encode_row(b"x").unwrap_err().to_string(),
        "`x` is not a whole number in decimal digits, so it has no modulus: hash it with of = \"java-hash\" instead"
    );
}

#[test]
fn rejects_javas_hash_of_bytes_that_are_not_text() {
    let design = KeyDesign::new(Modulo::default()).unwrap();
    let error = design.encode_row(b"\xff").unwrap_err().to_string();
    assert_eq!(
        error,
        "`\\xff` is not UTF-8 text, which Java's String.hashCode needs: use a digest-salt for binary rows"
    );
}

#[test]
fn rejects_a_bucket_that_does_not_match_the_row() {
    let design = KeyDesign::new(Modulo::default()).unwrap();
    let message = |key: &[u8]| design.decode_key(key).unwrap_err().to_string();
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
    assert_eq!(scans.by_row, ScanCost::SingleRange);
    assert_eq!(scans.by_range, ScanCost::FanOut { ranges: 10 });
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
            format!("the number of buckets cannot be {buckets}: give 1 to 1000000")
        );
    }
}
