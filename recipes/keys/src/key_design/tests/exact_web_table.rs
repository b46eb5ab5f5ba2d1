//! The design `web-table`: exact cases, and each rule of a row.

use crate::{DomainDirection, KeyDesign, RecipeErrorKind, RowSelection, WebPart, WebTable};

fn design() -> KeyDesign {
    KeyDesign::new(WebTable::default()).unwrap()
}

/// Returns the written form of a row, and the row decoded from it.
fn written(row: &str) -> (String, String) {
    let design = design();
    let key = design.encode_row(row.as_bytes()).unwrap();
    let written = design.unsalted(&key).unwrap().to_vec();
    let read = design.decode_key(&key).unwrap().to_vec();
    (
        String::from_utf8(written).unwrap(),
        String::from_utf8(read).unwrap(),
    )
}

fn refusal(row: &[u8]) -> String {
    let error = design().encode_row(row).unwrap_err();
    assert_eq!(error.kind(), RecipeErrorKind::Row);
    error.to_string()
}

/// The digits are those of `printf %s TEXT | md5sum`.
#[test]
fn the_salt_is_that_of_the_registrable_domain() {
    let key = |settings: WebTable, row: &str| {
        let key = KeyDesign::new(settings).unwrap().encode_row(row.as_bytes());
        String::from_utf8(key.unwrap().to_vec()).unwrap()
    };
    let row = "support.example.com/docs";
    let settings = WebTable::default;
    assert_eq!(key(settings(), row), "5a:com.example.support/docs");
    assert_eq!(key(settings(), "example.com/"), "5a:com.example/");
    let full_host = WebTable {
        over: WebPart::Host,
        ..settings()
    };
    assert_eq!(key(full_host.clone(), row), "75:com.example.support/docs");
    let reversed = WebTable {
        text: DomainDirection::Reversed,
        ..settings()
    };
    assert_eq!(key(reversed, row), "d0:com.example.support/docs");
    let reversed_host = WebTable {
        text: DomainDirection::Reversed,
        ..full_host
    };
    assert_eq!(key(reversed_host, row), "13:com.example.support/docs");
    let four = WebTable {
        digits: 4,
        ..settings()
    };
    assert_eq!(key(four, row), "5aba:com.example.support/docs");
}

#[test]
fn hosts_without_a_registrable_domain_are_salted_whole() {
    for (row, salted) in [
        ("co.uk/", "co.uk"),
        ("github.io/", "github.io"),
        ("localhost/", "localhost"),
        ("192.0.2.1:8080/", "192.0.2.1"),
        ("[2001:db8::1]/", "[2001:db8::1]"),
        ("a.b.co.uk/", "b.co.uk"),
        ("a.b.github.io/", "b.github.io"),
    ] {
        for text in [DomainDirection::Forward, DomainDirection::Reversed] {
            let settings = WebTable {
                digits: 8,
                text,
                ..WebTable::default()
            };
            let reversed = || salted.rsplit('.').collect::<Vec<_>>().join(".");
            let text = match text {
                DomainDirection::Reversed if !row.contains(':') => reversed(),
                _ => salted.to_owned(),
            };
            let digest: Vec<_> = md5::compute(text.as_bytes()).0.to_vec();
            let salt: String = digest[..4]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let key = KeyDesign::new(settings).unwrap().encode_row(row.as_bytes());
            let key = String::from_utf8(key.unwrap().to_vec()).unwrap();
            assert_eq!(key.split(':').next().unwrap(), salt, "{row}");
        }
    }
}

#[test]
fn w1_to_w6_schemes_ports_case_dots_and_addresses() {
    for (row, key, read) in [
        (
            "https://support.example.com/a",
            "com.example.support/a",
            "support.example.com/a",
        ),
        (
            "HTTP://support.example.com/a",
            "com.example.support/a",
            "support.example.com/a",
        ),
        (
            "support.example.com/a",
            "com.example.support/a",
            "support.example.com/a",
        ),
        (
            "example.com/a?to=ftp://other/",
            "com.example/a?to=ftp://other/",
            "example.com/a?to=ftp://other/",
        ),
        ("http://example.com:80/", "com.example/", "example.com/"),
        ("http://example.com:443/", "com.example/", "example.com/"),
        ("https://example.com:80/", "com.example/", "example.com/"),
        ("example.com:0443/", "com.example/", "example.com/"),
        (
            "https://example.com:8080/a",
            "com.example/#8080/a",
            "example.com:8080/a",
        ),
        ("EXAMPLE.com/A?B", "com.example/A?B", "example.com/A?B"),
        ("example.com./a", "com.example/a", "example.com/a"),
        ("192.0.2.1/a", "192.0.2.1/a", "192.0.2.1/a"),
        ("0x7f.1", "127.0.0.1/", "127.0.0.1/"),
        (
            "http://[2001:DB8:0::1]:81/a",
            "[2001:db8::1]/#81/a",
            "[2001:db8::1]:81/a",
        ),
        ("localhost:3000", "localhost/#3000/", "localhost:3000/"),
        ("co.uk", "uk.co/", "co.uk/"),
    ] {
        assert_eq!(written(row), (key.to_owned(), read.to_owned()), "{row}");
    }
}

#[test]
fn w7_to_w11_names_queries_paths_and_escapes() {
    let longest = format!("{}.example/", "x".repeat(63));
    for (row, key, read) in [
        (
            "bücher.example/",
            "example.xn--bcher-kva/",
            "xn--bcher-kva.example/",
        ),
        (
            "BÜCHER。example/",
            "example.xn--bcher-kva/",
            "xn--bcher-kva.example/",
        ),
        ("ex%61mple.com/", "com.example/", "example.com/"),
        ("_a.b-.example/", "example.b-._a/", "_a.b-.example/"),
        (&longest, &format!("example.{}/", "x".repeat(63)), &longest),
        ("example.com", "com.example/", "example.com/"),
        (
            "example.com?q=1&p=%2f",
            "com.example/?q=1&p=%2f",
            "example.com/?q=1&p=%2f",
        ),
        ("example.com/a?#b", "com.example/a?", "example.com/a?"),
        ("example.com/a#b?c/#8080/", "com.example/a", "example.com/a"),
        (
            "example.com/a/./b/%2E./c\\d",
            "com.example/a/c/d",
            "example.com/a/c/d",
        ),
        ("example.com//a", "com.example//a", "example.com//a"),
        (
            "example.com/~é {%2f%2F%zz:@",
            "com.example/~%C3%A9%20%7B%2f%2F%zz:@",
            "example.com/~%C3%A9%20%7B%2f%2F%zz:@",
        ),
    ] {
        assert_eq!(written(row), (key.to_owned(), read.to_owned()), "{row}");
    }
}

#[test]
fn rejects_what_is_not_a_page_and_names_the_remedy() {
    let label = format!("{}.com", "x".repeat(64));
    let name = format!("{}com", "abc.".repeat(63));
    let authority = "%61".repeat(1_366);
    const HOST: &str = "its host is not a name: a name has letters, digits, `-` and `_`, with `.` between its labels";
    const NO_HOST: &str =
        "it has no host: a row is a URL such as `https://example.com/path` or `example.com/path`";
    const EMPTY: &str =
        "its host has an empty label: use one `.` between two labels, and at most one at the end";
    const PORT: &str = "the text after the `:` is not a port: a port is a number from 0 to 65535";
    const NO_PORT: &str = "a `:` without a port follows its host: give the port, or leave the `:` out, and write a scheme as `http://`";
    const V4: &str = "its host ends in a number but is not an IPv4 address, such as 192.0.2.1";
    for (row, reason) in [
        (
            "ftp://example.com/",
            "a web table holds pages of http and https, not of `ftp`",
        ),
        ("", NO_HOST),
        ("/docs", NO_HOST),
        ("//example.com/", NO_HOST),
        ("http:///docs", NO_HOST),
        ("?q", NO_HOST),
        ("http:/example.com/", NO_PORT),
        ("example.com:/", NO_PORT),
        ("mailto:x", PORT),
        ("example.com:65536/", PORT),
        ("example.com../", EMPTY),
        (".example.com/", EMPTY),
        ("*.example.com/", HOST),
        ("exa mple.com/", HOST),
        ("xn--a/", HOST),
        ("192.0.2.256/", V4),
        ("a.1/", V4),
        (
            "[::1/",
            "the text in brackets is not an IPv6 address, such as [2001:db8::1]",
        ),
        (
            &label,
            "a label of its host has 64 bytes, and a label has at most 63",
        ),
        (&name, "its host has 255 bytes, and a host has at most 253"),
        (
            &authority,
            "its host has 4098 bytes, and a host has at most 253",
        ),
        (
            "exam\tple.com/",
            "it holds a control character: percent-encode it",
        ),
        (
            " example.com/",
            "a space precedes or follows it: give the URL alone",
        ),
        (
            "example.com/ ",
            "a space precedes or follows it: give the URL alone",
        ),
    ] {
        let row = row.as_bytes();
        let shown = fluo_table::Excerpt::new(row);
        assert_eq!(
            refusal(row),
            format!("{shown} has no key in a web table: {reason}")
        );
    }
    assert_eq!(
        refusal(b"example.com/\xff"),
        "`example.com/\\xff` has no key in a web table: it is not UTF-8 text: percent-encode the bytes of its path"
    );
}

#[test]
fn w3_no_password_is_stored_or_shown() {
    for row in [
        "https://me:secret@example.com/",
        "me:secret@example.com/",
        "https://secret@example.com/",
        "https://:secret@example.com/",
    ] {
        assert_eq!(
            refusal(row.as_bytes()),
            "`***@example.com/` has no key in a web table: the text before `@` is a user and perhaps a password, \
             which no key may contain: give the URL without it"
        );
        let error = design()
            .spans(&RowSelection::Prefix(row.to_owned().into()))
            .unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    // Not even if the URL is invalid for another reason.
    for row in [
        "ftp://me:secret@example.com/",
        "http:/me:secret@example.com/",
        "me:secret@exa mple.com ",
        "a\n:secret@b",
    ] {
        assert!(!refusal(row.as_bytes()).contains("secret"), "{row}");
    }
    assert!(!refusal(b"me:secret@example.com/\xff").contains("secret"));
    // An `@` in the path does not mark a user.
    assert_eq!(written("example.com/@me").0, "com.example/@me");
}

#[test]
fn rejects_a_key_that_no_page_has() {
    let message = |key: &str| design().decode_key(key.as_bytes()).unwrap_err().to_string();
    for (key, expected) in [
        (
            "5a:com.example",
            "`com.example` is not the key of a page: a `/` must follow its host, as in `com.example/`",
        ),
        (
            "5a:com.Example/",
            "`com.Example/` is not the key of a page: the page is written `com.example/`",
        ),
        (
            "5a:com.example/#80/",
            "`com.example/#80/` is not the key of a page: the page is written `com.example/`",
        ),
        (
            "5a:com.example/#8080",
            "`com.example/#8080` is not the key of a page: the page is written `com.example/#8080/`",
        ),
        (
            "5a:com.example/a#b",
            "`com.example/a#b` is not the key of a page: the page is written `com.example/a`",
        ),
        (
            "5a:com.example//#b",
            "`com.example//#b` is not the key of a page: the page is written `com.example//`",
        ),
        (
            "5b:com.example/",
            "`5b:com.example/` is not a key of this web-table design: its salt is `5b`, but that of its row is `5a`",
        ),
        (
            "5a-com.example/",
            "`5a-com.example/` is not a key of this web-table design: `:` follows the 2 bytes of salt",
        ),
    ] {
        assert_eq!(message(key), expected);
    }
    let not_text = design()
        .decode_key(b"5a:com.\xff/")
        .unwrap_err()
        .to_string();
    assert_eq!(
        not_text,
        "`com.\\xff/` is not the key of a page: it is not ASCII text"
    );
}
