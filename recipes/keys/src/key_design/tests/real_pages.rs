//! The design `web-table` on the home pages of software packages.

use std::collections::BTreeMap;

use super::design_of;

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
