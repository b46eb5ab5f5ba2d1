//! The design `composite`: exact cases.

use fluo_table::{Bytes, Key, Versions};

use crate::{
    Composite, CompositeRows, DesignSettings, DigestSalt, Field, FieldKind, FieldSettings,
    HashInput, KeyDesign, KeyMigration, KeyOrder, Modulo, RecipeErrorKind, RowSelection,
    SaltedPart, ScanCost,
};

fn field(kind: FieldKind) -> FieldSettings {
    FieldSettings::new("", kind)
}

fn one(kind: FieldKind) -> Composite {
    Composite::new(vec![field(kind)], '\t').unwrap()
}

fn one_descending(kind: FieldKind) -> Composite {
    Composite::new(vec![field(kind).descending()], '\t').unwrap()
}

/// Returns settings for tenants and their events by number, the latest event first.
fn events() -> CompositeRows {
    CompositeRows::new(vec![
        FieldSettings::new("tenant", FieldKind::Text),
        FieldSettings::new("number", FieldKind::Unsigned).descending(),
        FieldSettings::new("kind", FieldKind::Text),
    ])
}

#[test]
fn the_bytes_of_each_kind() {
    let bytes = |value: Field| one(value.kind()).encode(&[value]).unwrap();
    assert_eq!(bytes("a\0b".into()), &b"a\0\xffb\0\0"[..]);
    assert_eq!(
        bytes(Field::Bytes(Bytes::from_static(b"\xff\0"))),
        &b"\xff\0\xff\0\0"[..]
    );
    assert_eq!(
        bytes(Field::Signed(-1)),
        &b"\x7f\xff\xff\xff\xff\xff\xff\xff"[..]
    );
    assert_eq!(bytes(Field::Signed(1)), &b"\x80\0\0\0\0\0\0\x01"[..]);
    assert_eq!(bytes(Field::Unsigned(258)), &b"\0\0\0\0\0\0\x01\x02"[..]);
    assert_eq!(bytes(Field::Time(0)), &b"\x80\0\0\0\0\0\0\0"[..]);
    // 1.0 is 3f f0 00.., -1.0 is bf f0 00...
    assert_eq!(bytes(Field::Float(1.0)), &b"\xbf\xf0\0\0\0\0\0\0"[..]);
    assert_eq!(
        bytes(Field::Float(-1.0)),
        &b"\x40\x0f\xff\xff\xff\xff\xff\xff"[..]
    );
}

#[test]
fn descending_is_the_complement_with_the_end() {
    for value in [
        Field::from("a\0b"),
        Field::Signed(-7),
        Field::Float(0.5),
        Field::Unsigned(0),
    ] {
        let ascending = one(value.kind())
            .encode(std::slice::from_ref(&value))
            .unwrap();
        let complement: Vec<u8> = ascending.iter().map(|byte| !byte).collect();
        let descending = one_descending(value.kind());
        assert_eq!(
            descending.encode(std::slice::from_ref(&value)).unwrap(),
            complement
        );
        assert_eq!(descending.decode(&complement).unwrap(), [value]);
    }
}

#[test]
fn zeros_are_one_and_nan_is_last() {
    let floats = one(FieldKind::Float);
    let encode = |number: f64| floats.encode(&[Field::Float(number)]).unwrap();
    assert_eq!(encode(-0.0), encode(0.0));
    assert_eq!(encode(-f64::NAN), encode(f64::NAN));
    assert!(encode(f64::NAN) > encode(f64::INFINITY));
    assert!(encode(f64::NEG_INFINITY) < encode(f64::MIN));
    // The bytes of -0.0 and of another NaN, which are never written.
    for bits in [!(-0.0_f64).to_bits(), 0xffff_ffff_ffff_ffff, 0] {
        let bits = bits.to_be_bytes();
        let message = floats.decode(&bits).unwrap_err().to_string();
        assert!(
            message.ends_with(
                "is not a composite row: field 1, a floating-point number: it is a NaN or a zero in a form that is \
                 never written"
            ),
            "{message}"
        );
    }
}

#[test]
fn rows_are_text_and_round_trip() {
    let kinds = [
        FieldKind::Text,
        FieldKind::Bytes,
        FieldKind::Signed,
        FieldKind::Unsigned,
        FieldKind::Float,
        FieldKind::Time,
    ];
    let settings = CompositeRows::new(kinds.map(field).to_vec());
    let design = KeyDesign::new(settings.clone()).unwrap();
    let row = "a\\\\b\\x09c\t00ff\t-12\t18446744073709551615\t1e300\t2023-10-08T05:47:31.903Z";
    let key = design.encode_row(row.as_bytes()).unwrap();
    assert_eq!(design.decode_key(&key).unwrap(), row);
    let fields = settings.composite().unwrap().decode(&key).unwrap();
    let expected = [
        Field::from("a\\b\tc"),
        Field::Bytes(Bytes::from_static(b"\0\xff")),
        Field::Signed(-12),
        Field::Unsigned(u64::MAX),
        Field::Float(1e300),
        Field::Time(1_696_744_051_903),
    ];
    assert_eq!(fields, expected);
    assert_eq!(settings.composite().unwrap().row(&expected).unwrap(), row);
    assert_eq!(
        settings
            .composite()
            .unwrap()
            .fields_of(row.as_bytes())
            .unwrap(),
        expected
    );
}

#[test]
fn rows_are_normalized() {
    for (kind, given, normal) in [
        (FieldKind::Text, "\\x41\\x0a", "A\\x0a"),
        (FieldKind::Text, "caf\u{e9}|", "caf\u{e9}|"),
        (FieldKind::Bytes, "00FF", "00ff"),
        (FieldKind::Signed, "+007", "7"),
        (FieldKind::Signed, "-0", "0"),
        (FieldKind::Unsigned, "007", "7"),
        (FieldKind::Float, "-0", "0.0"),
        (FieldKind::Float, "1.50", "1.5"),
        (FieldKind::Float, "Infinity", "inf"),
        (FieldKind::Float, "-nan", "NaN"),
        (FieldKind::Time, "0", "1970-01-01T00:00:00.000Z"),
        (
            FieldKind::Time,
            "2023-10-08T07:47:31.9+02:00",
            "2023-10-08T05:47:31.900Z",
        ),
        (FieldKind::Time, "-1", "1969-12-31T23:59:59.999Z"),
        (
            FieldKind::Time,
            "9223372036854775807",
            "9223372036854775807",
        ),
    ] {
        let design = KeyDesign::new(CompositeRows::new(vec![field(kind)])).unwrap();
        let key = design.encode_row(given.as_bytes()).unwrap();
        assert_eq!(design.decode_key(&key).unwrap(), normal, "{given}");
        assert_eq!(
            design.encode_row(normal.as_bytes()).unwrap(),
            key,
            "{given}"
        );
    }
}

#[test]
fn rejects_a_field_of_another_kind() {
    let message = |kind, row: &str| {
        let settings = CompositeRows::new(vec![FieldSettings::new("f", kind)]);
        let error = KeyDesign::new(settings)
            .unwrap()
            .encode_row(row.as_bytes())
            .unwrap_err();
        assert_eq!(error.kind(), RecipeErrorKind::Row);
        error.to_string()
    };
    assert_eq!(
        message(FieldKind::Text, "a\\n"),
        "field 1 (f): `a\\x5cn` has a backslash that begins neither `\\\\` nor `\\xNN` with two hexadecimal digits up to 7f"
    );
    for row in ["\\", "\\x", "\\x4", "\\x80", "\\xg0", "\\\\\\"] {
        assert!(
            message(FieldKind::Text, row).contains("has a backslash"),
            "{row}"
        );
    }
    assert_eq!(
        message(FieldKind::Bytes, "abc"),
        "field 1 (f): `abc` is not an even number of hexadecimal digits"
    );
    assert_eq!(
        message(FieldKind::Signed, "9223372036854775808"),
        "field 1 (f): `9223372036854775808` is not a whole number from -9223372036854775808 to 9223372036854775807"
    );
    assert_eq!(
        message(FieldKind::Unsigned, "-1"),
        "field 1 (f): `-1` is not a whole number from 0 to 18446744073709551615"
    );
    assert_eq!(
        message(FieldKind::Float, "1,5"),
        "field 1 (f): `1,5` is not a number such as `1.5`, `1e300`, `-inf` or `NaN`"
    );
    assert_eq!(
        message(FieldKind::Float, "1e309"),
        "field 1 (f): `1e309` is beyond the largest floating-point number, 1.7976931348623157e308"
    );
    assert_eq!(
        message(FieldKind::Time, "yesterday"),
        "field 1 (f): `yesterday` is not a time such as `2023-10-08T05:47:31.903Z`, nor milliseconds since 1970"
    );
    assert_eq!(
        message(FieldKind::Time, "2023-10-08T05:47:31.9031Z"),
        "field 1 (f): `2023-10-08T05:47:31.9031Z` is finer than the milliseconds that are kept: round it"
    );
}

/// Two unequal rows had the same key, so the second overwrote the first: `1e-400` and `0`, an
/// integer and its neighbor, the second 60 and the second 59, and a date that was read as
/// milliseconds.
#[test]
fn rejects_a_value_that_would_change() {
    let read = |kind, row: &str| {
        let settings = CompositeRows::new(vec![FieldSettings::new("", kind)]);
        let design = KeyDesign::new(settings).unwrap();
        let key = design
            .encode_row(row.as_bytes())
            .map_err(|error| error.to_string());
        key.map(|key| String::from_utf8(design.decode_key(&key).unwrap().to_vec()).unwrap())
    };
    for (row, normalized) in [
        ("9007199254740992", "9007199254740992.0"),
        ("-0009007199254740994", "-9007199254740994.0"),
        ("1152921504606846976", "1.152921504606847e18"),
        ("0", "0.0"),
        ("-0e-400", "0.0"),
        ("00.000", "0.0"),
        ("5e-324", "5e-324"),
        ("0.10000000000000001", "0.1"),
        ("-inf", "-inf"),
        ("infinity", "inf"),
    ] {
        assert_eq!(
            read(FieldKind::Float, row).as_deref(),
            Ok(normalized),
            "{row}"
        );
    }
    assert_eq!(
        read(FieldKind::Float, "-1e-400").unwrap_err(),
        "field 1: `-1e-400` is not 0, but nearer to 0 than any other 64-bit floating-point number: round it"
    );
    assert_eq!(
        read(FieldKind::Float, "9007199254740993").unwrap_err(),
        "field 1: `9007199254740993` is a whole number that no floating-point number equals; the nearest is \
         9007199254740992: round it, or make the field a signed or an unsigned integer"
    );
    for row in ["+9007199254740993", "-00018014398509481985"] {
        assert!(read(FieldKind::Float, row).is_err(), "{row}");
    }
    for (row, normalized) in [
        ("2016-12-31T23:59:59.5Z", "2016-12-31T23:59:59.500Z"),
        ("2016-12-31 23:59:00+01:00", "2016-12-31T22:59:00.000Z"),
        ("1696744051903", "2023-10-08T05:47:31.903Z"),
        ("+20161231", "1970-01-01T05:36:01.231Z"),
        ("20161331", "1970-01-01T05:36:01.331Z"),
        ("-20161231", "1969-12-31T18:23:58.769Z"),
    ] {
        assert_eq!(
            read(FieldKind::Time, row).as_deref(),
            Ok(normalized),
            "{row}"
        );
    }
    assert_eq!(
        read(FieldKind::Time, "2016-12-31T23:59:60Z").unwrap_err(),
        "field 1: `2016-12-31T23:59:60Z` has the second 60, which no count of milliseconds has: write 59, or 0 of the \
         next minute"
    );
    for row in ["20161231T235960Z", "2016-12-31 23:59:60.5+01:00"] {
        assert!(
            read(FieldKind::Time, row)
                .unwrap_err()
                .contains("the second 60"),
            "{row}"
        );
    }
    assert_eq!(
        read(FieldKind::Time, "2016-12-31T12:00:00+01:00[Europe/Berlin]").unwrap_err(),
        "field 1: `2016-12-31T12:00:00+01:00[Europe/Berlin]` names a time zone, which is not kept: give the time and \
         its offset from UTC alone"
    );
    assert_eq!(
        read(FieldKind::Time, "20161231").unwrap_err(),
        "field 1: `20161231` is a date or milliseconds since 1970: write `2016-12-31T00:00:00Z` for the one and \
         `+20161231` for the other"
    );
}

#[test]
fn rejects_a_modulus_of_anything_but_a_number() {
    let design = |over, kind| {
        let fields = vec![
            FieldSettings::new("", kind),
            FieldSettings::new("", FieldKind::Text),
        ];
        let salt = Modulo {
            of: HashInput::Number,
            over,
            ..Modulo::default()
        };
        KeyDesign::new(CompositeRows {
            salt: Some(salt.into()),
            ..CompositeRows::new(fields)
        })
    };
    let signed = design(SaltedPart::Fields(1), FieldKind::Signed).unwrap();
    assert!(signed.encode_row(b"12\ta").unwrap().starts_with(b"02|"));
    for (over, kind, salted) in [
        (SaltedPart::Fields(2), FieldKind::Signed, "2 fields"),
        (SaltedPart::Whole, FieldKind::Signed, "2 fields"),
        (SaltedPart::Fields(1), FieldKind::Time, "a time"),
        (
            SaltedPart::Fields(1),
            FieldKind::Float,
            "a floating-point number",
        ),
    ] {
        let error = design(over, kind).unwrap_err();
        assert_eq!(error.kind(), RecipeErrorKind::Settings);
        assert_eq!(
            error.to_string(),
            format!(
                "the modulus is taken of a whole number, and the salt is over {salted}: salt over the first field \
                 alone, where that is a whole number, with over = {{ fields = 1 }}, or take the modulus of a hash \
                 with of = \"java-hash\""
            )
        );
    }
}

/// Names of fields appear only in messages: settings with another name are another design with the
/// same keys.
#[test]
fn a_renamed_field_changes_no_key() {
    let design = |name, kind| {
        KeyDesign::new(CompositeRows::new(vec![
            FieldSettings::new(name, kind).descending(),
        ]))
        .unwrap()
    };
    let (old, new) = (
        design("at", FieldKind::Time),
        design("time", FieldKind::Time),
    );
    assert!(old != new && old.has_encoding_of(&new));
    assert!(!old.has_encoding_of(&design("at", FieldKind::Signed)));
    assert_eq!(
        old.to_string(),
        "composite (fields separated by `\\x09`: a time descending)"
    );
    let epochs = KeyMigration::new([old, new], Versions::default());
    assert!(epochs.is_ok(), "{epochs:?}");
}

#[test]
fn rejects_rows_of_another_shape() {
    let design = KeyDesign::new(events()).unwrap();
    assert_eq!(
        design.encode_row(b"acme\t1").unwrap_err().to_string(),
        "`acme\\x091` has 2 fields separated by `\\x09`, but rows of this composite design have 3"
    );
    assert_eq!(
        design.encode_row(b"\xff\t1\tx").unwrap_err().to_string(),
        "`\\xff\\x091\\x09x` is not UTF-8 text, which the fields of a row must be: write bytes in hexadecimal digits"
    );
    let composite = events().composite().unwrap();
    assert_eq!(
        composite.encode(&["acme".into()]).unwrap_err().to_string(),
        "a row of this composite design has 3 fields, not 1"
    );
    assert_eq!(
        composite
            .range_of(&["a".into(), Field::Signed(1)])
            .unwrap_err()
            .to_string(),
        "field 2 (number) is an unsigned integer, not a signed integer"
    );
    let four = ["a".into(), Field::Unsigned(1), "b".into(), "c".into()];
    assert_eq!(
        composite.range_of(&four).unwrap_err().to_string(),
        "a row of this composite design has 3 fields, not 4"
    );
    assert_eq!(
        composite
            .range_between(&four[..3], None, None)
            .unwrap_err()
            .to_string(),
        "no field after 3 fields can lie between two values: rows of this composite design have 3"
    );
}

#[test]
fn rejects_bytes_that_it_cannot_have_written() {
    let composite =
        Composite::new(vec![field(FieldKind::Text), field(FieldKind::Signed)], '\t').unwrap();
    let message = |key: &[u8]| {
        let error = composite.decode(key).unwrap_err();
        assert_eq!(error.kind(), RecipeErrorKind::Key);
        error.to_string()
    };
    assert_eq!(
        message(b"a"),
        "`a` is not a composite row: field 1, text: it has no end (`\\x00\\x00`)"
    );
    assert_eq!(
        message(b"a\0\x01"),
        "`a\\x00\\x01` is not a composite row: field 1, text: it has no end (`\\x00\\x00`)"
    );
    assert_eq!(
        message(b"\xff\0\0"),
        "`\\xff\\x00\\x00` is not a composite row: field 1, text: `\\xff` is not UTF-8 text"
    );
    assert_eq!(
        message(b"a\0\0\x80"),
        "`a\\x00\\x00\\x80` is not a composite row: field 2, a signed integer: it needs 8 bytes, and 1 are left"
    );
    assert_eq!(
        message(b"\0\0\x80\0\0\0\0\0\0\0!"),
        "`\\x00\\x00\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x00!` is not a composite row: after its 2 fields there is \
         more, 1 byte"
    );
}

#[test]
fn rejects_invalid_settings() {
    let refused = |fields, separator| Composite::new(fields, separator).unwrap_err().to_string();
    assert_eq!(
        refused(vec![], '\t'),
        "a composite row has 1 to 32 fields, not 0"
    );
    let many = vec![field(FieldKind::Text); 33];
    assert_eq!(
        refused(many, '\t'),
        "a composite row has 1 to 32 fields, not 33"
    );
    for separator in ['\\', '-', '+', '.', ':', 'a', '0', '\n', 'é'] {
        assert_eq!(
            refused(vec![field(FieldKind::Text)], separator),
            format!(
                "`{}` cannot separate the fields of a row: give a tab, a space or an ASCII punctuation character \
                 other than `\\ + - . :`, which occur in fields",
                separator.escape_debug()
            )
        );
    }
    let refused = |over| {
        let salt = DigestSalt {
            over,
            ..DigestSalt::default()
        };
        let settings = CompositeRows {
            salt: Some(salt.into()),
            ..events()
        };
        KeyDesign::new(settings).unwrap_err().to_string()
    };
    assert_eq!(
        refused(SaltedPart::Fields(4)),
        "the salt is over the 4 leading fields of rows that have 3: give 1 to 3"
    );
    assert_eq!(
        refused(SaltedPart::First(4)),
        "a composite row is salted over its leading fields, such as `fields = 1`, or over the whole row"
    );
}

#[test]
fn the_range_of_leading_fields_is_exact_after_ff() {
    let fields = vec![
        field(FieldKind::Bytes),
        field(FieldKind::Unsigned).descending(),
        field(FieldKind::Text),
    ];
    let composite = Composite::new(fields, '\t').unwrap();
    let row = |head: &'static [u8], number, text: &str| {
        [
            Field::Bytes(Bytes::from_static(head)),
            Field::Unsigned(number),
            Field::from(text),
        ]
    };
    // Descending, 0 is eight bytes ff, which also ends the range of its rows.
    let leading = &row(b"\xff\xff", 0, "")[..2];
    let span = composite.range_of(leading).unwrap();
    let holds = |row: &[Field]| span.contains(&Key::first_of_row(composite.encode(row).unwrap()));
    assert!(holds(&row(b"\xff\xff", 0, "")) && holds(&row(b"\xff\xff", 0, "\u{10ffff}")));
    assert!(!holds(&row(b"\xff\xff", 1, "")) && !holds(&row(b"\xff\xff\xff", 0, "")));
    assert!(!holds(&row(b"\xff", 0, "")) && !holds(&row(b"", u64::MAX, "")));
    assert!(
        composite
            .range_of(&[])
            .unwrap()
            .contains(&Key::first_of_row(""))
    );
}

#[test]
fn a_salt_over_leading_fields_keeps_their_rows_together() {
    let salt = DigestSalt {
        digits: 4,
        separator: "-".to_owned(),
        over: SaltedPart::Fields(1),
        ..DigestSalt::default()
    };
    let settings = CompositeRows {
        salt: Some(salt.into()),
        ..events()
    };
    let design = KeyDesign::new(settings.clone()).unwrap();
    // MD5 of "abc001" begins with 9bf0.
    let key = design.encode_row(b"abc001\t7\tlogin").unwrap();
    assert_eq!(
        key,
        &b"9bf0-abc001\0\0\xff\xff\xff\xff\xff\xff\xff\xf8login\0\0"[..]
    );
    let pieces = |rows: RowSelection| design.spans(&rows).unwrap().len();
    assert_eq!(pieces(RowSelection::Prefix("abc001\t".into())), 1);
    assert_eq!(pieces(RowSelection::Prefix("abc001\t7\tlog".into())), 1);
    assert_eq!(pieces(RowSelection::between("abc001\t", "5", "17")), 1);
    assert_eq!(pieces(RowSelection::between("", "a", "b")), 65_536);
    assert_eq!(pieces(RowSelection::Prefix("abc".into())), 65_536);
    assert_eq!(pieces(RowSelection::between("abc001\t", "17", "5")), 0);
    assert_eq!(
        design.salted_part(b"abc001\t7\tlogin").unwrap().unwrap(),
        &b"abc001"[..]
    );

    let json = serde_json::to_string(&DesignSettings::from(settings.clone())).unwrap();
    assert_eq!(
        serde_json::from_str::<DesignSettings>(&json).unwrap(),
        settings.into()
    );
}

#[test]
fn a_number_can_be_salted_by_itself() {
    let salt = Modulo {
        of: HashInput::Number,
        over: SaltedPart::Fields(1),
        ..Modulo::default()
    };
    let fields = vec![field(FieldKind::Signed), field(FieldKind::Text)];
    let settings = CompositeRows {
        salt: Some(salt.into()),
        ..CompositeRows::new(fields)
    };
    let design = KeyDesign::new(settings).unwrap();
    // `+0012` is normalized before the salt is computed.
    let key = design.encode_row(b"+0012\tx").unwrap();
    assert_eq!(key, &b"02|\x80\0\0\0\0\0\0\x0cx\0\0"[..]);
    assert_eq!(design.decode_key(&key).unwrap(), "12\tx");
    assert_eq!(
        design
            .spans(&RowSelection::Prefix("12\t".into()))
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn values_select_rows() {
    let composite = events().composite().unwrap();
    let acme = [Field::from("ac\tme")];
    assert_eq!(
        composite.rows_of(&acme).unwrap(),
        RowSelection::Prefix("ac\\x09me\t".into())
    );
    assert_eq!(
        composite.rows_of(&[]).unwrap(),
        RowSelection::Prefix("".into())
    );
    let whole = [Field::from("a"), Field::Unsigned(1), Field::from("b")];
    assert_eq!(
        composite.rows_of(&whole).unwrap(),
        RowSelection::Row("a\t1\tb".into())
    );
    let between = composite
        .rows_between(&acme, Some(&5_u64.into()), None)
        .unwrap();
    let from = Some("5".into());
    assert_eq!(
        between,
        RowSelection::Between {
            prefix: "ac\\x09me\t".into(),
            from,
            to: None
        }
    );
    let design = KeyDesign::new(events()).unwrap();
    let span = composite
        .range_between(&acme, Some(&5_u64.into()), None)
        .unwrap();
    assert_eq!(design.spans(&between).unwrap(), [span]);
}

#[test]
fn rejects_reads_that_are_not_exact() {
    let design = KeyDesign::new(events()).unwrap();
    let message = |rows: RowSelection| {
        let error = design.spans(&rows).unwrap_err();
        assert_eq!(error.kind(), RecipeErrorKind::Scan);
        error.to_string()
    };
    assert_eq!(
        message(RowSelection::Prefix("acme\t12".into())),
        "field 2 (number): `12` has no separator after it, and an unsigned integer is not in the order of its \
         digits: end with a whole field and the separator, or ask for the rows whose field lies between two values"
    );
    assert_eq!(
        message(RowSelection::Prefix("acme\t12\tx\t".into())),
        "no row begins with `acme\\x0912\\x09x\\x09`: rows of this composite design have 3 fields, and `\\x09` only \
         between them"
    );
    assert_eq!(
        message(RowSelection::between("acme", "1", "2")),
        "`acme` does not end with a whole field: give the leading fields, `\\x09` after each"
    );
    assert_eq!(
        message(RowSelection::between("acme\t", "1", "x")),
        "field 2 (number), between two values: `x` is not a whole number from 0 to 18446744073709551615"
    );
    let by_range = "a range of composite rows is scattered, because the order of their text is not that of their \
         fields: ask for the rows with given leading fields, whose next field may lie between two values";
    assert_eq!(message(RowSelection::range("a", "b")), by_range);
    assert_eq!(
        design.scans().by_range,
        ScanCost::Unsupported {
            reason: by_range.to_owned()
        }
    );
    assert_eq!(design.scans().between, ScanCost::SingleRange);
    assert_eq!(design.order(), KeyOrder::Fields);
    assert_eq!(
        message(RowSelection::Suffix("x".into())),
        "rows with one suffix are scattered if rows are ordered by their leading fields: put the field to search by \
         first"
    );
    assert_eq!(
        design.splits(2).unwrap_err().to_string(),
        "the leading fields of rows have no alphabet to split evenly: set a salt, or take the points from a sample"
    );
}

#[test]
fn a_key_is_explained() {
    let design = KeyDesign::new(events()).unwrap();
    let key = design.encode_row(b"acme\t7\tlogin").unwrap();
    let fields = design.explain(&key).unwrap();
    let texts: Vec<_> = fields
        .iter()
        .map(|field| (&*field.name, &*field.meaning))
        .collect();
    assert_eq!(
        texts,
        [
            ("field 1 (tenant)", "text, ascending: `acme`"),
            ("field 2 (number)", "an unsigned integer, descending: `7`"),
            ("field 3 (kind)", "text, ascending: `login`"),
        ]
    );
    let stored: Vec<_> = fields.iter().map(|field| field.stored.clone()).collect();
    assert_eq!(stored.concat(), key);
}
