//! The design `reverse-time`: exact cases.

use fluo_table::Bytes;

use crate::{
    DesignSettings, DigestSalt, KeyDesign, KeyOrder, Modulo, RecipeErrorKind, ReverseTime,
    RowSelection, SaltedPart, ScanCost, TimeEncoding, TimePosition,
};

fn design(time: TimePosition, encoding: TimeEncoding) -> KeyDesign {
    let settings = ReverseTime {
        time,
        encoding,
        ..ReverseTime::default()
    };
    KeyDesign::new(settings).unwrap()
}

fn last() -> KeyDesign {
    design(TimePosition::Last, TimeEncoding::Decimal)
}

fn first() -> KeyDesign {
    design(TimePosition::First, TimeEncoding::Decimal)
}

#[test]
fn nineteen_digits() {
    let key = last().encode_row(b"sensor7|1696744051903").unwrap();
    assert_eq!(key, "sensor7|9223370340110723904");
    assert_eq!(last().decode_key(&key).unwrap(), "sensor7|1696744051903");
    let key = first().encode_row(b"1696744051903|sensor7").unwrap();
    assert_eq!(key, "9223370340110723904|sensor7");
    assert_eq!(first().decode_key(&key).unwrap(), "1696744051903|sensor7");
}

#[test]
fn eight_bytes() {
    let time = 1_696_744_051_903_i64.to_be_bytes();
    let left = 9_223_370_340_110_723_904_i64.to_be_bytes();
    let binary = design(TimePosition::Last, TimeEncoding::Binary);
    let key = binary.encode_row(&[b"a|", &time[..]].concat()).unwrap();
    assert_eq!(key, [b"a|", &left[..]].concat());
    assert_eq!(
        binary.decode_key(&key).unwrap(),
        [b"a|", &time[..]].concat()
    );

    let settings = ReverseTime {
        time: TimePosition::First,
        encoding: TimeEncoding::Binary,
        separator: String::new(),
        salt: None,
    };
    let binary = KeyDesign::new(settings).unwrap();
    let key = binary.encode_row(&[&time[..], b"a"].concat()).unwrap();
    assert_eq!(key, [&left[..], b"a"].concat());
    assert_eq!(binary.decode_key(&key).unwrap(), [&time[..], b"a"].concat());
}

#[test]
fn the_ends_of_time() {
    assert_eq!(last().encode_row(b"|0").unwrap(), "|9223372036854775807");
    let end = last().encode_row(b"a|9223372036854775807").unwrap();
    assert_eq!(end, "a|0000000000000000000");
    assert_eq!(last().decode_key(&end).unwrap(), "a|9223372036854775807");
}

#[test]
fn the_newest_comes_first() {
    let times = [0, 9, 10, 99, 1_696_744_051_903, i64::MAX];
    for design in [last(), first()] {
        let row = |time: &i64| match design.order() {
            KeyOrder::NewestFirst => format!("a|{time}"),
            _ => format!("{time}|a"),
        };
        let keys: Vec<Bytes> = times
            .iter()
            .map(|t| design.encode_row(row(t).as_bytes()).unwrap())
            .collect();
        assert!(keys.windows(2).all(|pair| pair[0] > pair[1]));
    }
    assert_eq!(first().order(), KeyOrder::NewestFirstOfAll);
}

#[test]
fn a_time_has_one_text() {
    let message = |row: &str| {
        let error = last().encode_row(row.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), RecipeErrorKind::Row);
        error.to_string()
    };
    assert_eq!(
        message("a"),
        "`a` has no time: a row is `<entity>|<time in decimal digits>`"
    );
    assert_eq!(
        message("a|-5"),
        "the time of `a|-5`: `-5` is negative, and a time that is counted down from 9223372036854775807 is not: give \
         0 or more, or use a composite design, whose times may be"
    );
    assert_eq!(
        message("a|+5"),
        "the time of `a|+5`: `+5` is not a whole number in decimal digits"
    );
    assert_eq!(
        message("a|007"),
        "the time of `a|007`: `007` begins with a zero, so that one time would have several rows: leave it out"
    );
    assert_eq!(
        message("a|9223372036854775808"),
        "the time of `a|9223372036854775808`: `9223372036854775808` is more than 9223372036854775807"
    );
    assert_eq!(
        message("a|b|5"),
        "the time of `a|b|5`: `b|5` is not a whole number in decimal digits"
    );
    for row in ["a|", "a|-", "a| 5", "a|5 ", "a|0x5", "a|1e3"] {
        assert!(
            message(row).ends_with("is not a whole number in decimal digits"),
            "{row}"
        );
    }
    assert_eq!(
        first().encode_row(b"a|5").unwrap_err().to_string(),
        "the time of `a|5`: `a` is not a whole number in decimal digits"
    );
}

#[test]
fn a_binary_time_has_eight_bytes_and_is_not_negative() {
    let binary = design(TimePosition::Last, TimeEncoding::Binary);
    let message = |row: &[u8]| binary.encode_row(row).unwrap_err().to_string();
    assert_eq!(
        message(b"a|123"),
        "the time of `a|123`: it has 3 bytes, and a binary time has 8"
    );
    assert_eq!(
        message(b"a|\xff\xff\xff\xff\xff\xff\xff\xff"),
        "the time of `a|\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff`: -1 is negative, and a time that is counted down \
         from 9223372036854775807 is not: give 0 or more, or use a composite design, whose times may be"
    );
    assert_eq!(
        message(b"a"),
        "`a` has no time: a row is `<entity>|<time in 8 bytes>`"
    );
    assert_eq!(
        design(TimePosition::First, TimeEncoding::Binary)
            .encode_row(b"a")
            .unwrap_err()
            .to_string(),
        "`a` has no time: a row is `<time in 8 bytes>|<entity>`"
    );
}

#[test]
fn rejects_a_key_that_it_cannot_have_written() {
    let message = |design: KeyDesign, key: &[u8]| design.decode_key(key).unwrap_err().to_string();
    let shape = "19 digits of at most 9223372036854775807";
    for key in [
        "a|b|9223370340110723904",
        "a|9223372036854775808",
        "a|+223370340110723904",
        "a9223370340110723904",
        "a|5",
    ] {
        assert_eq!(
            message(last(), key.as_bytes()),
            format!("`{key}` is not an entity, the first `|` and {shape}")
        );
    }
    assert_eq!(
        message(first(), b"9223370340110723904-a"),
        format!("`9223370340110723904-a` is not {shape}, `|` and an entity")
    );
    assert_eq!(
        message(
            design(TimePosition::Last, TimeEncoding::Binary),
            b"a|\x80\0\0\0\0\0\0\0"
        ),
        "`a|\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x00` is not an entity, the first `|` and 8 bytes of a number that is \
         not negative"
    );
}

#[test]
fn rejects_separators_that_hide_the_time() {
    let refused = |time, encoding, separator: &str| {
        let separator = separator.to_owned();
        let settings = ReverseTime {
            time,
            encoding,
            separator,
            salt: None,
        };
        KeyDesign::new(settings).unwrap_err().to_string()
    };
    assert_eq!(
        refused(TimePosition::Last, TimeEncoding::Binary, ""),
        "the separator is empty, so the beginning or the end of the time in a row is unknown: give one, such as `|`; \
         only binary times that come first need none"
    );
    assert_eq!(
        refused(TimePosition::First, TimeEncoding::Decimal, "-0-"),
        "the separator `-0-` contains a digit, which looks like part of a decimal time: give one without digits, \
         such as `|`"
    );
}

#[test]
fn the_rows_of_an_entity_are_one_piece() {
    let scans = last().scans();
    assert_eq!(
        [scans.by_row, scans.between],
        [const { ScanCost::SingleRange }; 2]
    );
    // Bounds that extend into the time are rejected, as shown below.
    assert_eq!(
        scans.by_prefix.to_string(),
        "in one piece, but only prefixes that end before the time"
    );
    assert_eq!(
        scans.by_range.to_string(),
        "in one piece, but only ranges whose bounds end before the time"
    );
    let refused = |design: KeyDesign, rows: RowSelection| {
        let error = design.spans(&rows).unwrap_err();
        assert_eq!(error.kind(), RecipeErrorKind::Scan);
        error.to_string()
    };
    let reaches = "reaches into a time, and the order of its bytes is not that of the keys: end it before the time, \
                   or ask for the rows between two times; a row is `<entity>|<time in decimal digits>`";
    assert_eq!(
        refused(last(), RowSelection::Prefix("a|16".into())),
        format!("`a|16` {reaches}")
    );
    assert_eq!(
        refused(last(), RowSelection::range("a|1", "b")),
        format!("`a|1` {reaches}")
    );
    assert_eq!(
        refused(last(), RowSelection::between("a", "1", "2")),
        "`a` does not end where a time begins: give the entity and the separator `|`, once"
    );
    assert_eq!(
        refused(last(), RowSelection::between("a|", "1", "x")),
        "the time to read: `x` is not a whole number in decimal digits"
    );
    assert_eq!(
        refused(last(), RowSelection::Suffix("1".into())),
        "rows with one suffix are scattered if a time is counted down: read all rows, or use the design `reversed` \
         for rows that are read by their end"
    );
}

#[test]
fn the_rows_of_a_time_are_one_piece() {
    let refused = |rows: RowSelection| first().spans(&rows).unwrap_err().to_string();
    assert_eq!(
        first()
            .spans(&RowSelection::between("", "5", "17"))
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        first()
            .spans(&RowSelection::Prefix("5|a".into()))
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        refused(RowSelection::Prefix("5".into())),
        "`5` reaches into a time, and the order of its bytes is not that of the keys: end it before the time, or ask \
         for the rows between two times; a row is `<time in decimal digits>|<entity>`"
    );
    assert_eq!(
        refused(RowSelection::Prefix("5-a".into())),
        "no row begins with `5-a`: a row is `<time in decimal digits>|<entity>`"
    );
    assert_eq!(
        refused(RowSelection::between("5|", "1", "2")),
        "rows begin with their time, so the prefix before the times must be empty, not `5|`"
    );
    let by_range = "a range of rows that begin with a time is scattered, because the order of decimal digits is not \
         that of time, and time is counted down: ask for the rows between two times";
    assert_eq!(refused(RowSelection::range("1", "2")), by_range);
    assert_eq!(
        first().scans().by_range,
        ScanCost::Unsupported {
            reason: by_range.to_owned()
        }
    );
}

#[test]
fn a_salt_over_the_entity_keeps_its_rows_together() {
    let over = SaltedPart::Entity;
    let salt = DigestSalt {
        digits: 1,
        separator: "-".to_owned(),
        over,
        ..DigestSalt::default()
    };
    let settings = ReverseTime {
        salt: Some(salt.into()),
        ..ReverseTime::default()
    };
    let design = KeyDesign::new(settings.clone()).unwrap();
    // MD5 of "abc001" begins with 9bf0.
    let key = design.encode_row(b"abc001|1696744051903").unwrap();
    assert_eq!(key, "9-abc001|9223370340110723904");
    assert_eq!(design.decode_key(&key).unwrap(), "abc001|1696744051903");
    let pieces = |rows: RowSelection| design.spans(&rows).unwrap().len();
    assert_eq!(pieces(RowSelection::Prefix("abc001|".into())), 1);
    assert_eq!(pieces(RowSelection::between("abc001|", "5", "17")), 1);
    assert_eq!(pieces(RowSelection::Prefix("abc".into())), 16);
    assert_eq!(design.scans().between, ScanCost::FanOut { ranges: 16 });
    assert_eq!(design.splits(2).unwrap(), ["8"]);
    assert_eq!(
        design.to_string(),
        "reverse-time (first hexadecimal digit of MD5 of the entity, then `-`)"
    );

    let json = serde_json::to_string(&DesignSettings::from(settings.clone())).unwrap();
    let read: DesignSettings = serde_json::from_str(&json).unwrap();
    assert_eq!(read, settings.into());
}

#[test]
fn the_rows_of_a_time_have_many_entities_and_many_salts() {
    let salt = Modulo {
        over: SaltedPart::Entity,
        ..Modulo::default()
    };
    let time = TimePosition::First;
    let settings = ReverseTime {
        time,
        salt: Some(salt.into()),
        ..ReverseTime::default()
    };
    let design = KeyDesign::new(settings).unwrap();
    let pieces = |rows: RowSelection| design.spans(&rows).unwrap().len();
    assert_eq!(pieces(RowSelection::Row("5|a".into())), 1);
    assert_eq!(pieces(RowSelection::Prefix("5|".into())), 10);
    assert_eq!(pieces(RowSelection::between("", "5", "17")), 10);
}

#[test]
fn rejects_a_salt_over_another_part() {
    let over = SaltedPart::First(2);
    let salt = Modulo {
        over,
        ..Modulo::default()
    };
    let settings = ReverseTime {
        salt: Some(salt.into()),
        ..ReverseTime::default()
    };
    assert_eq!(
        KeyDesign::new(settings).unwrap_err().to_string(),
        "a row with a time is salted over its entity (`entity`), which keeps the rows of an entity in one piece, or \
         over the whole row"
    );
}

#[test]
fn without_a_salt_there_are_no_even_points() {
    let message = |design: KeyDesign| design.splits(2).unwrap_err().to_string();
    assert_eq!(
        message(last()),
        "the entities of rows have no alphabet to split evenly: set a salt over the entity, or take the points from \
         a sample"
    );
    assert_eq!(
        message(first()),
        "rows that begin with their time come one before the other, all new ones into the first tablet, whatever the \
         points are: set a salt"
    );
}

#[test]
fn a_key_is_explained() {
    let fields = last().explain(b"sensor7|9223370340110723904").unwrap();
    let texts: Vec<_> = fields
        .iter()
        .map(|field| (&*field.name, &*field.meaning))
        .collect();
    assert_eq!(
        texts,
        [
            ("entity", "what the row is about"),
            ("separator", "always the same"),
            (
                "time",
                "9223372036854775807 - 1696744051903: the time is 1696744051903"
            ),
        ]
    );
    assert_eq!(fields[2].stored, "9223370340110723904");
}
