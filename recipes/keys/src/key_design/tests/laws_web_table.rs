//! The rules K1 to K4 for web pages, on URLs whose keys are close together, and on unusual ones.

use fluo_table::{Bytes, Key, Span};
use proptest::prelude::*;
use proptest::sample::select;

use crate::{DomainDirection, KeyDesign, RecipeErrorKind, RowSelection, WebPart, WebTable};

fn designs() -> Vec<KeyDesign> {
    let design = |digits, over, text| {
        KeyDesign::new(WebTable { digits, over, text, ..WebTable::default() }).unwrap()
    };
    vec![
        design(1, WebPart::RegistrableDomain, DomainDirection::Forward),
        design(1, WebPart::RegistrableDomain, DomainDirection::Reversed),
        design(1, WebPart::Host, DomainDirection::Forward),
    ]
}

/// Returns hosts whose keys are close together: neighbors of `.`, `/` and `:`, and names around
/// public suffixes.
fn host() -> impl Strategy<Value = String> {
    let label = select(vec![
        "example",
        "example-",
        "example-x",
        "example2",
        "exampl",
        "a",
        "s3",
        "github",
        "b",
    ]);
    let suffix = select(vec![
        "com",
        "com-",
        "co.uk",
        "uk",
        "github.io",
        "amazonaws.com",
        "s3.amazonaws.com",
        "ck",
        "localhost",
    ]);
    let address = select(vec!["192.0.2.1", "[::1]"]);
    prop_oneof![
        9 => (proptest::collection::vec(label, 0..3), suffix).prop_map(|(labels, suffix)| {
            let labels: Vec<_> = labels.into_iter().chain([suffix]).collect();
            labels.join(".")
        }),
        1 => address.prop_map(str::to_owned),
    ]
}

/// Returns a host and a related one: itself, below it, above it, or beside it. Most pairs have the
/// same registrable domain.
fn hosts_near_each_other() -> impl Strategy<Value = (String, String)> {
    let is_address = |host: &str| host.starts_with(['1', '[']);
    let beside = move |host: &str, end: &str| match host.split_once('.') {
        Some((label, domain)) if !is_address(host) => format!("{label}{end}.{domain}"),
        _ => host.to_owned(),
    };
    let above = move |host: &str| match host.split_once('.') {
        Some((_, domain)) if !is_address(host) => domain.to_owned(),
        _ => host.to_owned(),
    };
    let below = move |host: &str, label: &str| {
        let label = if is_address(host) { "" } else { label };
        format!("{label}{host}")
    };
    host().prop_flat_map(move |host| {
        let (to_below, to_beside) = (host.clone(), host.clone());
        let near = prop_oneof![
            Just(host.clone()),
            select(vec!["a.", "s3.", "a.b.", "-a.", "_.", "a"])
                .prop_map(move |label| below(&to_below, label)),
            select(vec!["2", "-", "-x", "_", "0", "a"])
                .prop_map(move |end| beside(&to_beside, end)),
            Just(above(&host)),
        ];
        (Just(host), near)
    })
}

fn port() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", ":80", ":443", ":8080", ":808", ":0"])
}

/// Returns ends of URLs whose keys are close to those of other hosts and ports.
fn rest() -> impl Strategy<Value = &'static str> {
    select(vec![
        "", "/", "/a", "/a/", "/a/b", "/ab", "/!", "/$", "/.a", "/:8080/", "/-", "//", "?", "/?a",
        "/~", "/#8080/", "/é", "/a/../b",
    ])
}

fn url() -> impl Strategy<Value = String> {
    let scheme = select(vec!["", "http://", "HTTPS://"]);
    (scheme, host(), port(), rest())
        .prop_map(|(scheme, host, port, rest)| format!("{scheme}{host}{port}{rest}"))
}

/// Returns text of the characters that URLs consist of, and of some others.
fn odd() -> impl Strategy<Value = String> {
    prop_oneof![
        "[aA1x./:@?#%&\\[\\]\\\\ é。ß\u{ad}\u{0}\t*_~{}|'\"-]{0,16}",
        "(https?://)?[a-z0-9.%-]{0,12}(:[0-9]{0,6})?[/?#\\\\][a-z0-9./%é {}'|^-]{0,12}",
        any::<String>(),
    ]
}

fn holding(spans: &[Span], key: &Bytes) -> usize {
    let key = Key::first_of_row(key.clone());
    spans.iter().filter(|span| span.contains(&key)).count()
}

fn normalized(design: &KeyDesign, row: &str) -> Result<String, TestCaseError> {
    let key = design
        .encode_row(row.as_bytes())
        .map_err(|error| TestCaseError::fail(error.to_string()))?;
    let row = design.decode_key(&key).map_err(|error| TestCaseError::fail(error.to_string()))?;
    Ok(String::from_utf8(row.to_vec()).unwrap())
}

proptest! {
    #[test]
    fn k1_normalizing_twice_changes_nothing(row in prop_oneof![url(), odd()]) {
        for design in designs() {
            let key = match design.encode_row(row.as_bytes()) {
                Ok(key) => key,
                Err(error) => {
                    prop_assert_eq!(error.kind(), RecipeErrorKind::Row);
                    continue;
                }
            };
            let normal = normalized(&design, &row)?;
            prop_assert_eq!(design.encode_row(normal.as_bytes()).unwrap(), &key);
            prop_assert_eq!(normalized(&design, &normal)?, normal);
            prop_assert!(key.is_ascii() && !key.iter().any(u8::is_ascii_control));
        }
    }

    #[test]
    fn k2_decodes_only_the_key_of_a_row(
        written in prop_oneof!["[ac./:#0-8?%\\[\\]@é-]{0,12}", "com\\.[a-c]{1,2}/(#[0-9]{1,3})?[/.a]{0,6}"]
    ) {
        for design in designs() {
            for salt in 0..16 {
                let key = format!("{salt:x}:{written}");
                if let Ok(row) = design.decode_key(key.as_bytes()) {
                    prop_assert_eq!(design.encode_row(&row).unwrap(), key);
                }
            }
        }
    }

    #[test]
    fn k3_a_domain_contains_only_its_own_pages(
        (domain, host) in hosts_near_each_other(), subdomains: bool, port in port(), rest in rest()
    ) {
        let row = format!("{host}{port}{rest}");
        let rows = RowSelection::Domain { domain: domain.clone(), subdomains };
        for design in designs() {
            let spans = design.spans(&rows).unwrap();
            let is_below = !domain.starts_with(['1', '['])
                && host.ends_with(&format!(".{domain}"));
            let expected = host == domain || (subdomains && is_below);
            let key = design.encode_row(row.as_bytes()).unwrap();
            prop_assert_eq!(holding(&spans, &key), usize::from(expected), "{:?} {}", rows, row);
            prop_assert_eq!(design.contains(&rows, row.as_bytes()).unwrap(), expected);
        }
    }

    #[test]
    fn k3_a_prefix_contains_exactly_the_normalized_rows_that_begin_with_it(
        (host, near) in hosts_near_each_other(), ports in (port(), port()), rests in (rest(), rest()), odd in odd()
    ) {
        let pairs = [
            (format!("{host}{}{}", ports.0, rests.0), format!("{near}{}{}", ports.1, rests.1)),
            (odd.clone(), format!("{odd}{}", rests.1)),
            (format!("{host}/{odd}"), format!("{host}{}/{odd}", ports.1)),
        ];
        let designs = designs();
        let of_all = designs.iter().flat_map(|design| pairs.iter().map(move |pair| (design, pair)));
        for (design, (prefix, row)) in of_all {
            let Ok(spans) = design.spans(&RowSelection::Prefix(prefix.clone().into())) else { continue };
            let prefix = normalized(design, prefix)?;
            for row in [row.clone(), format!("{prefix}{}", rests.1)] {
                let Ok(key) = design.encode_row(row.as_bytes()) else { continue };
                let expected = normalized(design, &row)?.starts_with(&prefix);
                prop_assert_eq!(holding(&spans, &key), usize::from(expected), "{} {}", prefix, row);
            }
        }
    }

    #[test]
    fn k3_finds_a_row_and_all_rows_contain_it(row in url(), other in url()) {
        for design in designs() {
            let key = design.encode_row(row.as_bytes()).unwrap();
            let is_other = design.encode_row(other.as_bytes()).unwrap() == key;
            prop_assert_eq!(holding(&design.spans(&RowSelection::Row(row.clone().into())).unwrap(), &key), 1);
            let spans = design.spans(&RowSelection::Row(other.clone().into())).unwrap();
            prop_assert_eq!(holding(&spans, &key), usize::from(is_other));
            prop_assert_eq!(holding(&design.spans(&RowSelection::All).unwrap(), &key), 1);
        }
    }

    #[test]
    fn k4_within_a_salt_keys_have_the_order_of_their_unsalted_part(a in url(), b in url()) {
        for design in designs() {
            let (one, other) = (design.encode_row(a.as_bytes()).unwrap(), design.encode_row(b.as_bytes()).unwrap());
            let unsalted = design.unsalted(&one).unwrap().cmp(design.unsalted(&other).unwrap());
            let spans = design.spans(&RowSelection::All).unwrap();
            let holds = |span: &Span, key: &Bytes| span.contains(&Key::first_of_row(key.clone()));
            if spans.iter().any(|span| holds(span, &one) && holds(span, &other)) {
                prop_assert_eq!(one.cmp(&other), unsalted);
            }
        }
    }

    #[test]
    fn odd_domains_are_rejected_or_exact(domain in odd(), subdomains: bool) {
        for design in designs() {
            match design.spans(&RowSelection::Domain { domain: domain.clone(), subdomains }) {
                Err(error) => prop_assert_eq!(error.kind(), RecipeErrorKind::Scan),
                Ok(spans) => {
                    let key = design.encode_row(domain.as_bytes()).unwrap();
                    prop_assert_eq!(holding(&spans, &key), 1);
                }
            }
        }
    }

    #[test]
    fn every_tablet_count_has_ascending_points(tablets in 1_u32..300, leading_point: bool) {
        let design = KeyDesign::new(WebTable { leading_point, ..WebTable::default() }).unwrap();
        let Ok(points) = design.splits(tablets) else {
            prop_assert!(tablets > 256);
            return Ok(());
        };
        prop_assert!(points.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(points.len(), usize::try_from(tablets).unwrap() - usize::from(!leading_point));
        let weights = design.tablet_weights(tablets).unwrap().unwrap();
        prop_assert_eq!(weights.len(), points.len() + 1);
        prop_assert_eq!(weights.iter().sum::<u64>(), 256);
        prop_assert_eq!(weights[0] == 0, leading_point);
    }
}
