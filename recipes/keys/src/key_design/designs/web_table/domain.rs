//! Domains: the Public Suffix List's view of a name.
//!
//! The salt is computed from the registrable domain, by the list with its private part
//! (`a.github.io` and `b.github.io` are two domains). Addresses, hosts with one label (`localhost`)
//! and hosts that are public suffixes themselves (`co.uk`) have no registrable domain: the whole
//! host is used instead.

use std::cell::Cell;
use std::iter;

use psl::Psl;

use super::WebTable;
use super::host::Host;
use super::page::{Page, authority, text_of};

/// Returns the registrable domain of a name if all names below it have the same one.
///
/// `None` if the list has, or may have, rules for names below it: `s3.amazonaws.com` is a public
/// suffix, so the names below `amazonaws.com` have different registrable domains.
pub(super) fn registrable_of_all_below(name: &str) -> Option<&str> {
    let looked_below = Cell::new(false);
    let below = iter::from_fn(|| {
        looked_below.set(true);
        None
    });
    // The list's answer depends only on the labels that it asks for. If it asks for no label below
    // the name, it gives the same answer for every name below.
    psl::List.find(name.rsplit('.').map(str::as_bytes).chain(below));
    if looked_below.get() { None } else { psl::domain_str(name) }
}

/// Top-level domains that are also file extensions.
const FILE_ENDINGS: [&str; 14] =
    ["cc", "md", "mk", "ml", "mm", "mov", "pl", "pm", "ps", "py", "rs", "sh", "so", "zip"];

impl WebTable {
    /// Checks whether a row without a scheme is clearly a web address: its host is a name below a
    /// public suffix of the list.
    ///
    /// A row that could also be a file name is not, nor is a row with a fragment, which this design
    /// would drop. A row that is not may still have a key.
    pub fn is_web_address(row: &[u8]) -> bool {
        // A cheap check before parsing, which excludes most rows of other kinds.
        let may_be_one = |text: &&str| {
            !text.contains("://") && !text.contains('#') && authority(text).contains('.')
        };
        let Some(text) = text_of(row).ok().filter(may_be_one) else {
            return false;
        };
        let Ok(Page { host: Host::Name(name), port, .. }) = Page::parse(text) else {
            return false;
        };
        let is_alone = port.is_none() && !text.contains(['/', '?']);
        let may_be_a_file =
            is_alone && name.rsplit('.').next().is_some_and(|last| FILE_ENDINGS.contains(&last));
        let domain = psl::domain(name.as_bytes());
        !may_be_a_file && domain.is_some_and(|domain| domain.suffix().is_known())
    }
}

/// Parses a domain named by a caller, such as `example.com`. The error is the reason why it is not
/// a domain.
pub(super) fn parse_domain(domain: &str) -> Result<Host, String> {
    let is_address = domain.starts_with('[') && domain.ends_with(']');
    let is_more = |c: char| matches!(c, '/' | '\\' | '?' | '#' | '@') || (c == ':' && !is_address);
    if domain.is_empty() {
        return Err("it is empty: for the pages of all domains ask for all rows".to_owned());
    }
    if domain.contains(is_more) {
        return Err("give the domain without scheme, port and path".to_owned());
    }
    Ok(Page::parse(domain)?.host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_web_addresses_from_other_text_with_dots() {
        for address in [
            "support.example.com/path",
            "Support.Example.com",
            "example.com:8080/x",
            "example.co.uk?q=1",
            "someone.github.io/page",
            "bücher.de/",
            "main.rs/docs",
            "www.example.com.",
        ] {
            assert!(WebTable::is_web_address(address.as_bytes()), "{address}");
        }
        for other in [
            "",
            "word",
            "word/path",
            "localhost/path",
            "com",
            "co.uk/x",
            "a.txt",
            "src/a.txt",
            "report.final.pdf",
            "main.rs",
            "README.md",
            "test.setup.py",
            "1.2.3",
            "v1.2.3",
            "2024.01.31",
            "192.0.2.7/x",
            "user.name.42",
            "metrics.cpu.load",
            "ann@example.com",
            "https://example.com/x",
            "example.com#42",
            "example.com|42",
            "example.com 42",
            "example.com:order",
            ".com/x",
            "example..com",
        ] {
            assert!(!WebTable::is_web_address(other.as_bytes()), "{other}");
        }
        assert!(!WebTable::is_web_address(b"example.com/\xff"));
    }

    #[test]
    fn a_name_with_rules_below_it_has_no_common_domain() {
        for (name, domain) in [
            ("example.com", Some("example.com")),
            ("a.b.example.com", Some("example.com")),
            ("example.co.uk", Some("example.co.uk")),
            ("xn--e1afmkfd.xn--p1ai", Some("xn--e1afmkfd.xn--p1ai")),
            ("github.io", None),
            ("someone.github.io", Some("someone.github.io")),
            ("amazonaws.com", None),
            ("s3.amazonaws.com", None),
            ("bucket.s3.amazonaws.com", Some("bucket.s3.amazonaws.com")),
            ("ck", None),
            ("b.ck", None),
            ("a.b.ck", Some("a.b.ck")),
            ("com", None),
            ("localhost", None),
            ("a.localhost", Some("a.localhost")),
        ] {
            assert_eq!(registrable_of_all_below(name), domain, "{name}");
        }
    }
}
