//! The design `web-table`: split points, scans, settings and explanations of keys.

use fluo_table::{Key, Versions};

use crate::{
    DesignSettings, DigestSalt, DomainDirection, KeyDesign, KeyMigration, KeyOrder, Modulo,
    RecipeErrorKind, RowSelection, ScanCost, WebPart, WebTable,
};

fn design() -> KeyDesign {
    KeyDesign::new(WebTable::default()).unwrap()
}

fn full_host() -> KeyDesign {
    KeyDesign::new(WebTable {
        over: WebPart::Host,
        ..WebTable::default()
    })
    .unwrap()
}

#[test]
fn sixteen_tablets_need_fifteen_points() {
    let expected: Vec<_> = "123456789abcdef"
        .chars()
        .map(|digit| format!("{digit}0"))
        .collect();
    assert_eq!(design().splits(16).unwrap(), expected);
    assert_eq!(design().tablet_weights(16).unwrap(), Some(vec![16; 16]));
}

#[test]
fn the_sixteenth_point_of_the_guides_makes_an_empty_tablet() {
    let design = KeyDesign::new(WebTable {
        leading_point: true,
        ..WebTable::default()
    })
    .unwrap();
    let points = design.splits(16).unwrap();
    let expected: Vec<_> = "0123456789abcdef"
        .chars()
        .map(|digit| format!("{digit}0"))
        .collect();
    assert_eq!(points, expected);
    let weights: Vec<_> = std::iter::once(0).chain([16; 16]).collect();
    assert_eq!(design.tablet_weights(16).unwrap(), Some(weights));
    // A tablet holds the rows up to its end row, and every key sorts after the first point.
    let first = design.spans(&RowSelection::All).unwrap();
    assert!(first.iter().all(|span| span.start().row > points[0]));
}

#[test]
fn scans_describe_what_is_possible() {
    let scans = design().scans();
    assert_eq!(scans.order, KeyOrder::Domains);
    assert_eq!(scans.by_row, ScanCost::SingleRange);
    assert_eq!(
        scans.by_prefix.to_string(),
        "fanned out over up to 2 pieces, but only prefixes that hold the whole host and the `/` behind it, such as \
         `https://example.com/docs/`"
    );
    assert_eq!(
        scans.by_domain.to_string(),
        "in one piece, but only a registrable domain such as `example.com`, or one below it; the subdomains of a \
         public suffix, such as `com`, are fanned out over up to 256 pieces"
    );
    let by_host = |digits| {
        let settings = WebTable {
            digits,
            over: WebPart::Host,
            ..WebTable::default()
        };
        KeyDesign::new(settings)
            .unwrap()
            .scans()
            .by_domain
            .to_string()
    };
    assert_eq!(
        by_host(2),
        "in one piece, but only a domain without its subdomains, which are fanned out over up to 256 pieces"
    );
    assert_eq!(
        by_host(5),
        "in one piece, but only a domain without its subdomains, which cannot be read"
    );
    let plain = KeyDesign::new(DigestSalt::default()).unwrap().scans();
    assert_eq!(
        plain.by_domain.to_string(),
        "impossible: only the keys of a web-table design hold domains: ask for a row, a prefix or a range"
    );
    assert_eq!(
        scans.by_range.to_string(),
        "impossible: keys begin with the top level of their host, so URLs that follow each other are scattered: ask \
         for the rows of a domain, with or without its subdomains"
    );
    assert_eq!(design().group_regex(), None);
}

#[test]
fn a_domain_is_one_piece_and_a_public_suffix_one_for_each_salt() {
    for (domain, subdomains, pieces, by_host) in [
        ("example.com", true, 1, 256),
        ("example.com", false, 1, 1),
        ("Support.EXAMPLE.com.", true, 1, 256),
        ("com", true, 256, 256),
        ("com", false, 1, 1),
        ("co.uk", true, 256, 256),
        ("github.io", true, 256, 256),
        // There are public suffixes below it.
        ("amazonaws.com", true, 256, 256),
        ("localhost", true, 256, 256),
        ("192.0.2.1", true, 1, 1),
        ("[::1]", true, 1, 1),
    ] {
        let rows = RowSelection::Domain {
            domain: domain.to_owned(),
            subdomains,
        };
        let pieces_of = |design: &KeyDesign| design.spans(&rows).unwrap().len();
        assert_eq!(pieces_of(&design()), pieces, "{rows:?}");
        assert_eq!(pieces_of(&full_host()), by_host, "{rows:?}");
    }
    assert_eq!(design().spans(&RowSelection::All).unwrap().len(), 256);
}

/// Independent of the salt: the neighbors get the salt of the domain, as they could by chance.
#[test]
fn a_domain_does_not_include_its_neighbors() {
    let holds = |subdomains, written: &str| {
        let domain = "example.com".to_owned();
        let spans = design()
            .spans(&RowSelection::Domain { domain, subdomains })
            .unwrap();
        let key = fluo_table::Key::first_of_row(format!("5a:{written}"));
        spans.iter().any(|span| span.contains(&key))
    };
    for own in [
        "com.example/",
        "com.example/~",
        "com.example/#8080/",
        "com.example/#8080/~",
    ] {
        assert!(holds(false, own) && holds(true, own), "{own}");
    }
    for below in [
        "com.example.a/",
        "com.example.a.b/",
        "com.example.-/",
        "com.example._/#8080/",
    ] {
        assert!(!holds(false, below) && holds(true, below), "{below}");
    }
    for other in [
        "com/",
        "com/a",
        "com.exampl/",
        "com.example-/",
        "com.example-x/",
        "com.example0/",
        "com.example2/",
        "com.example_/",
        "com.examplea/",
        "com.example2.a/",
    ] {
        assert!(!holds(false, other) && !holds(true, other), "{other}");
    }
}

#[test]
fn a_prefix_with_its_whole_host_is_exact() {
    let spans = |prefix: &str| {
        let spans = design()
            .spans(&RowSelection::Prefix(prefix.to_owned().into()))
            .unwrap();
        let text = |row: &[u8]| String::from_utf8(row.to_vec()).unwrap();
        let ends =
            |span: &fluo_table::Span| (text(&span.start().row), text(&span.end().unwrap().row));
        spans.iter().map(ends).collect::<Vec<_>>()
    };
    let one = |start: &str, end: &str| (start.to_owned(), end.to_owned());
    assert_eq!(
        spans("https://example.com/docs/"),
        [one("5a:com.example/docs/", "5a:com.example/docs0")]
    );
    assert_eq!(
        spans("example.com:8080/"),
        [one("5a:com.example/#8080/", "5a:com.example/#80800")]
    );
    assert_eq!(
        spans("example.com/a?b="),
        [one("5a:com.example/a?b=", "5a:com.example/a?b>")]
    );
    // The pages of the other ports of the host lie between the two.
    let whole_host = [
        one("5a:com.example/", "5a:com.example/#"),
        one("5a:com.example/$", "5a:com.example0"),
    ];
    assert_eq!(spans("https://example.com/"), whole_host);
}

#[test]
fn rejects_scattered_sets() {
    let message = |rows: RowSelection| {
        let error = design().spans(&rows).unwrap_err();
        assert_eq!(error.kind(), RecipeErrorKind::Scan);
        error.to_string()
    };
    let by_domain = "ask for the rows of a domain, with or without its subdomains";
    assert_eq!(
        message(RowSelection::range("example.com/a", "example.com/b")),
        format!(
            "a range of URLs cannot be read: keys begin with the top level of their host, so URLs that follow each \
             other are scattered: {by_domain}"
        )
    );
    for rows in [
        RowSelection::Suffix("/docs".into()),
        RowSelection::between("", "a", "b"),
    ] {
        assert_eq!(
            message(rows),
            format!(
                "URLs are ordered by their domain, then by their path, and by no other part or end: {by_domain}"
            )
        );
    }
    for prefix in [
        "",
        "https://exam",
        "example.com",
        "example.com?q",
        "http",
        "[::1]",
    ] {
        assert_eq!(
            message(RowSelection::Prefix(prefix.into())),
            format!(
                "the prefix `{prefix}` cannot be read: keys begin with the top level of their host, so URLs with a \
                 common prefix are scattered, unless the prefix holds the whole host and the `/` behind it, such as \
                 `https://example.com/docs/`: {by_domain}"
            )
        );
    }
    assert_eq!(
        message(RowSelection::Prefix("example.com/a#b".into())),
        "the prefix `example.com/a#b` cannot be read: no key contains a fragment: remove the part that begins with \
         `#`"
    );
    for prefix in ["example.com/a/.", "example.com/..", "example.com/a/%2E."] {
        assert_eq!(
            message(RowSelection::Prefix(prefix.into())),
            format!(
                "the prefix `{prefix}` cannot be read: its last `.` may be the beginning of a name or of `..`: end \
                 the prefix with `/` or with a letter"
            )
        );
    }
    // Segments of a query are not resolved. Such a prefix was rejected as if it were a path.
    let queried = design()
        .spans(&RowSelection::Prefix("e.com/a?next=/..".into()))
        .unwrap();
    let key = design().encode_row(b"e.com/a?next=/../b").unwrap();
    assert!(queried.len() == 1 && queried[0].contains(&Key::first_of_row(key)));
    for domain in [
        "https://example.com",
        "example.com/",
        "example.com:80",
        "[::1]:80",
    ] {
        assert_eq!(
            message(RowSelection::domain(domain)),
            format!(
                "`{domain}` is not a domain: give the domain alone, without scheme, port and path, such as \
                 `example.com`"
            )
        );
    }
    assert_eq!(
        message(RowSelection::domain("")),
        "`` is not a domain: it is empty: for the pages of all domains ask for all rows"
    );
    assert!(
        message(RowSelection::domain("*.com"))
            .starts_with("`*.com` is not a domain: its host is not a name: ")
    );
}

#[test]
fn other_designs_have_no_domains() {
    let design = KeyDesign::new(Modulo::default()).unwrap();
    let error = design
        .spans(&RowSelection::domain("example.com"))
        .unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Scan);
    assert_eq!(
        error.to_string(),
        "only the keys of a web-table design hold domains: ask for a row, a prefix or a range"
    );
}

#[test]
fn a_key_is_explained_piece_by_piece() {
    let explained = |row: &str| {
        let design = design();
        let key = design.encode_row(row.as_bytes()).unwrap();
        let fields = design.explain(&key).unwrap();
        let stored: Vec<_> = fields.iter().map(|field| field.stored.clone()).collect();
        assert_eq!(stored.concat(), key);
        let line = |field: &crate::KeyField| {
            let stored = String::from_utf8(field.stored.to_vec()).unwrap();
            format!("{} {stored}: {}", field.name, field.meaning)
        };
        fields.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        explained("a.example.com:8080/b?c"),
        [
            "salt 5a: first 2 hexadecimal digits of MD5",
            "separator :: always the same",
            "host com.example.a: the host a.example.com from the top level down; salted by example.com",
            "port /#8080: the port 8080",
            "path /b?c: the path and the query",
        ]
    );
    assert_eq!(
        explained("192.0.2.1/b")[2..],
        ["host 192.0.2.1: the address 192.0.2.1", "path /b: the path"]
    );
}

#[test]
fn settings_are_data() {
    let read = |text: &str| serde_json::from_str::<DesignSettings>(text);
    let settings = WebTable {
        digits: 4,
        over: WebPart::Host,
        leading_point: true,
        ..WebTable::default()
    };
    let text = r#"{"design": "web-table", "digits": 4, "over": "host", "text": "forward", "leading_point": true}"#;
    assert_eq!(read(text).unwrap(), settings.into());
    assert_eq!(
        read(r#"{"design": "web-table"}"#).unwrap(),
        WebTable::default().into()
    );
    let error = read(r#"{"design": "web-table", "digit": 4}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("unknown field `digit`"), "{error}");
    let settings = WebTable {
        digits: 0,
        ..WebTable::default()
    };
    assert_eq!(
        KeyDesign::new(settings).unwrap_err().to_string(),
        "a digest salt cannot have 0 digits: give 1 to 8; 2 digits make 256 salts"
    );
}

/// The input of the salt and the number of points do not affect the bytes after the salt. Tables
/// that differed only in these were refused another salt, with the message "write rows differently"
/// and the same name for both designs.
#[test]
fn a_table_can_change_its_salt() {
    let of = |settings: &WebTable| KeyDesign::new(settings.clone()).unwrap();
    let old = WebTable::default();
    let by_host = WebTable {
        digits: 3,
        over: WebPart::Host,
        ..old.clone()
    };
    let reversed = WebTable {
        digits: 4,
        text: DomainDirection::Reversed,
        ..old.clone()
    };
    let with_point = WebTable {
        leading_point: true,
        ..old.clone()
    };
    for new in [&by_host, &reversed, &with_point] {
        let (old, new) = (of(&old), of(new));
        let unsalted = |design: &KeyDesign| {
            let key = design.encode_row(b"a.example.com/b").unwrap();
            design.unsalted(&key).unwrap().to_vec()
        };
        assert_eq!(unsalted(&old), unsalted(&new));
        assert_ne!(old, new);
        let epochs = KeyMigration::new([old, new], Versions::default());
        assert!(epochs.is_ok(), "{epochs:?}");
    }
    let shown = [old, by_host, reversed, with_point].map(|settings| of(&settings).to_string());
    assert_eq!(
        shown,
        [
            "web-table (first 2 hexadecimal digits of MD5)",
            "web-table (first 3 hexadecimal digits of MD5 of the host)",
            "web-table (first 4 hexadecimal digits of MD5 of the registrable domain read backwards)",
            "web-table (first 2 hexadecimal digits of MD5; a leading point)",
        ]
    );
}
