//! The stored format of web tables: unusual URLs and their keys, byte by byte.
//!
//! The keys depend on the Public Suffix List, and on the serialization of URLs and international
//! names, which are other crates. If this test fails after one of those crates has changed,
//! existing tables hold pages under keys that are no longer computed: the change is wrong, not the
//! file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fluo_table::Escaped;

use crate::{DomainDirection, KeyDesign, WebPart, WebTable};

const GOLDEN: &str = include_str!("golden_web_table.txt");
/// The home pages of software packages.
const PAGES: &str = include_str!("../../../../../examples/data/package-homepages.txt");
const WORKSPACE: &str = include_str!("../../../../../Cargo.toml");

fn designs() -> [KeyDesign; 2] {
    let by_host =
        WebTable { over: WebPart::Host, text: DomainDirection::Reversed, ..WebTable::default() };
    [WebTable::default(), by_host].map(|settings| KeyDesign::new(settings).unwrap())
}

/// Returns a line of the file: a URL as text, then its key in each of the designs, or `refused`.
fn line(url: &str) -> String {
    let mut line = url.to_owned();
    for design in designs() {
        let key = match design.encode_row(url.as_bytes()) {
            Ok(key) => Escaped(&key).to_string(),
            Err(_) => "refused".to_owned(),
        };
        write!(line, "\t{key}").unwrap();
    }
    line
}

#[test]
fn every_url_keeps_its_key() {
    let lines = || GOLDEN.lines().filter(|line| !line.starts_with('#'));
    for golden in lines() {
        let url = golden.split('\t').next().unwrap();
        assert_eq!(line(url), golden);
    }
    assert!(lines().count() >= 60);
}

#[test]
fn dependencies_of_the_keys_are_pinned() {
    let list = WebTable::SUFFIX_LIST;
    for pin in [
        format!("\npsl = \"={list}\"\n"),
        "\nurl = \"=2.5.8\"\n".to_owned(),
        "\nidna = \"=1.1.0\"\n".to_owned(),
    ] {
        assert!(WORKSPACE.contains(&pin), "{pin}");
    }
}

/// Returns the URLs of the data, which contains the hosts in reverse, with their lines.
fn urls() -> impl Iterator<Item = (String, &'static str)> {
    PAGES.lines().map(|line| {
        let end = line.find(['/', ':', '?', '#']).unwrap_or(line.len());
        let (host, rest) = line.split_at(end);
        let host: Vec<_> = host.rsplit('.').collect();
        (format!("https://{}{rest}", host.join(".")), line)
    })
}

#[test]
fn every_page_has_a_key() {
    let [design, _] = designs();
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
