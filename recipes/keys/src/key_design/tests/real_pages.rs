//! The design `web-table` on the home pages of software packages.

use std::collections::BTreeMap;

use super::design_of;
use crate::{KeyDesign, RowSelection};

const ROWS: &str = include_str!("../../../../../examples/data/package-homepages.txt");

/// Returns the URLs of the data, which contains the hosts in reverse, with their lines.
fn urls() -> impl Iterator<Item = (String, &'static str)> {
    ROWS.lines().map(|line| {
        let end = line.find(['/', ':', '?', '#']).unwrap_or(line.len());
        let (host, rest) = line.split_at(end);
        let host: Vec<_> = host.rsplit('.').collect();
        (format!("https://{}{rest}", host.join(".")), line)
    })
}

fn keys(design: &KeyDesign) -> impl Iterator<Item = fluo_table::Bytes> {
    urls().map(|(url, _)| design.encode_row(url.as_bytes()).unwrap())
}

#[test]
fn every_page_has_a_key() {
    let design = design_of(r#"{"design": "web-table"}"#).unwrap();
    let mut pages = BTreeMap::<_, Vec<_>>::new();
    for (url, line) in urls() {
        let key = design.encode_row(url.as_bytes()).unwrap();
        let row = design.decode_key(&key).unwrap();
        assert_eq!(design.encode_row(&row).unwrap(), key, "{url}");
        // Only the fragment is lost, and only an empty path is added.
        let (kept, _) = line.split_once('#').unwrap_or((line, ""));
        let path = if kept.contains('/') { "" } else { "/" };
        assert_eq!(design.unsalted(&key).unwrap(), format!("{kept}{path}").as_bytes());
        pages.entry(key).or_default().push(url);
    }
    assert_eq!(pages.values().map(Vec::len).sum::<usize>(), 4_208);
    let same: Vec<_> = pages.values().filter(|urls| urls.len() > 1).collect();
    assert_eq!(same, [&["https://www.scribus.net/", "https://www.scribus.net"]]);
}

#[test]
fn one_domain_makes_one_tablet_hot() {
    let by_domain = design_of(r#"{"design": "web-table"}"#).unwrap();
    for (domain, pages) in [("github.com", 1_830), ("metacpan.org", 531)] {
        let rows = RowSelection::domain_and_subdomains(domain);
        let [span] = &by_domain.spans(&rows).unwrap()[..] else {
            panic!("{domain} is not one piece");
        };
        let held = keys(&by_domain)
            .filter(|key| span.contains(&fluo_table::Key::first_of_row(key.clone())));
        assert_eq!(held.count(), pages, "{domain}");
    }
    // A large domain stays large with every salt, because it has one host.
    let by_host = design_of(r#"{"design": "web-table", "over": "host"}"#).unwrap();
    for (design, most) in [(by_domain, [1_936, 646, 280]), (by_host, [1_912, 599, 248])] {
        let points = design.splits(16).unwrap();
        let mut tablets = vec![0; points.len() + 1];
        for key in keys(&design) {
            tablets[points.partition_point(|point| *point < key)] += 1;
        }
        tablets.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(tablets[..3], most);
    }
}
