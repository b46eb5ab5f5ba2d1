//! The design `web-table` on the home pages of software packages.

use std::collections::BTreeMap;

use crate::{KeyDesign, RecipeErrorKind, RowSelection, WebPart, WebTable};

const ROWS: &str = include_str!("../../../../../examples/data/package-homepages.txt");

/// Returns the URLs of the data, which contains the hosts in reverse.
fn urls() -> impl Iterator<Item = String> {
    ROWS.lines().map(|line| {
        let end = line.find(['/', ':', '?', '#']).unwrap_or(line.len());
        let (host, rest) = line.split_at(end);
        let host: Vec<_> = host.rsplit('.').collect();
        format!("https://{}{rest}", host.join("."))
    })
}

fn design(over: WebPart) -> KeyDesign {
    KeyDesign::new(WebTable {
        over,
        ..WebTable::default()
    })
    .unwrap()
}

#[test]
fn every_page_has_a_key_or_an_error() {
    let design = design(WebPart::RegistrableDomain);
    let mut refused = Vec::new();
    let mut pages = BTreeMap::<_, Vec<_>>::new();
    for (url, line) in urls().zip(ROWS.lines()) {
        let key = match design.encode_row(url.as_bytes()) {
            Ok(key) => key,
            Err(error) => {
                assert_eq!(error.kind(), RecipeErrorKind::Row);
                refused.push(error.to_string());
                continue;
            }
        };
        let row = design.decode_key(&key).unwrap();
        assert_eq!(design.encode_row(&row).unwrap(), key, "{url}");
        assert_eq!(
            design
                .decode_key(&design.encode_row(&row).unwrap())
                .unwrap(),
            row,
            "{url}"
        );
        // Only the fragment is lost, and only an empty path is added.
        let (kept, _) = line.split_once('#').unwrap_or((line, ""));
        let path = if kept.contains('/') { "" } else { "/" };
        assert_eq!(
            design.unsalted(&key).unwrap(),
            format!("{kept}{path}").as_bytes()
        );
        pages.entry(key).or_default().push(url);
    }
    assert!(refused.is_empty(), "{refused:?}");
    assert_eq!(pages.values().map(Vec::len).sum::<usize>(), 4_208);
    let same: Vec<_> = pages.values().filter(|urls| urls.len() > 1).collect();
    assert_eq!(
        same,
        [&["https://www.scribus.net/", "https://www.scribus.net"]]
    );
}

/// Returns the number of pages in each of 16 tablets.
fn tablets(over: WebPart) -> Vec<usize> {
    let design = design(over);
    let points = design.splits(16).unwrap();
    let mut tablets = vec![0_usize; points.len() + 1];
    for url in urls() {
        let key = design.encode_row(url.as_bytes()).unwrap();
        tablets[points.partition_point(|point| *point < key)] += 1;
    }
    tablets
}

#[test]
fn one_domain_makes_one_tablet_hot() {
    let design = design(WebPart::RegistrableDomain);
    let pages_of = |domain: &str| {
        let rows = RowSelection::domain_and_subdomains(domain);
        let [span] = &design.spans(&rows).unwrap()[..] else {
            panic!("{domain} is not one piece");
        };
        let keys = urls().map(|url| design.encode_row(url.as_bytes()).unwrap());
        keys.filter(|key| span.contains(&fluo_table::Key::first_of_row(key.clone())))
            .count()
    };
    let (github, metacpan) = (pages_of("github.com"), pages_of("metacpan.org"));
    assert_eq!(
        (github, metacpan),
        (1_830, 531),
        "github.com has {} % of the pages",
        100 * github / 4_208
    );
    // A large domain stays large with every salt, because it has one host.
    for (over, most) in [
        (WebPart::RegistrableDomain, [1_936, 646, 280]),
        (WebPart::Host, [1_912, 599, 248]),
    ] {
        let mut tablets = tablets(over);
        tablets.sort_unstable_by(|a, b| b.cmp(a));
        let share = 100 * tablets[0] / 4_208;
        assert_eq!(
            tablets[..3],
            most,
            "the fullest of 16 tablets holds {share} % of the pages"
        );
    }
}
