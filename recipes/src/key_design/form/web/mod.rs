//! A page of the web: its host read from the top level down, then its path.
//!
//! A row is the URL of a page, with its scheme or without; the normalised row, which is what a key is read back to, is
//! without. The written form is
//!
//! ```text
//!  com.example.support /docs?page=2          https://support.example.com/docs?page=2
//!  com.example.support /#8080 /docs          http://support.example.com:8080/docs
//!  [2001:db8::1] /docs                       http://[2001:db8::1]/docs
//!  reversed host  port  path and query
//! ```
//!
//! # Rules
//!
//! | | of a row | what is done |
//! |---|---|---|
//! | W1 | scheme | `http` and `https` are dropped, so that both are one page; others are refused |
//! | W2 | port | 80 and 443 are dropped: without the scheme they are one place; others are kept, see below |
//! | W3 | user information | refused: no key holds a user or a password, and no message shows one |
//! | W4 | upper case | lower case in the host; kept in the path and the query |
//! | W5 | trailing dot of the host | one is dropped; empty labels are refused |
//! | W6 | IPv4 and IPv6 addresses | not reversed; in their one usual text (`0x7f.1` is `127.0.0.1`, `[0:0::1]` is `[::1]`) |
//! | W7 | international names | punycode (UTS 46): `bücher.example` is `xn--bcher-kva.example` |
//! | W8 | host | ASCII letters, digits, `-` and `_`; labels to 63 bytes, names to 253; anything else is refused |
//! | W9 | query, fragment | the query is kept as it is, an empty one too; the fragment is dropped, as it is no other page |
//! | W10 | path | an empty one is `/`; `.` and `..` are resolved, `\` is `/`, as browsers do (the URL standard) |
//! | W11 | percent-encoding | added where the URL standard asks for it; what is encoded stays as it is, `%2f` and `%2F` are two |
//! | W12 | control characters, blanks at the ends, bytes that are not UTF-8 | refused |
//!
//! The salt is that of the registrable domain, by the Public Suffix List with its private part (`a.github.io` and
//! `b.github.io` are two domains). Addresses, hosts of one label (`localhost`) and hosts that are public suffixes
//! themselves (`co.uk`) have none: the whole host takes its place.
//!
//! # Why the port stands behind a `/#`
//!
//! A domain is to be one piece of the table. `.` and `/` are neighbours (2e, 2f), no host holds a `/`, and every path
//! begins with one. So the pages of `example.com` are what begins with `com.example/`, and those of its subdomains as
//! well are the range from `com.example.` to `com.example0`: neither catches `com.example-x` nor `com.example2`. A
//! port written as `com.example:8080/` would lie behind `com.example9`, in a piece of its own. No normalised row holds
//! a `#` (W9, W11), so that `/#8080/` is no path, and the pages of every port lie with those of their host.
//!
//! The one set of rows in two pieces is the prefix `example.com/`: the rows of that host without those of its ports.

mod domain;
mod host;
mod page;
mod ranges;
mod written;

use std::borrow::Cow;
use std::fmt;

use fluo_core::Bytes;
use serde::{Deserialize, Serialize};

pub(in super::super) use self::domain::holds;
pub(crate) use self::domain::is_web_address;
use self::host::Host;
use self::page::Page;
use super::super::error::DesignError;
use super::super::explain::KeyField;
use super::super::rows::Rows;
use super::{Asked, FormRange};
use crate::row_hasher::Excerpt;

/// Of which part of its host the salt of a page is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WebPart {
    /// The registrable domain, by the Public Suffix List: all subdomains lie together, and are read in one piece.
    #[default]
    RegistrableDomain,
    /// The full host: the subdomains of a large domain are spread, and reading them fans out over all salts.
    Host,
}

/// In which direction the domain is read whose digest is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainText {
    /// As it is written in a URL: `example.com`.
    #[default]
    Forward,
    /// As it is written in a key: `com.example`.
    Reversed,
}

/// Of which part of a page its salt is made, and how that is read. It changes nothing behind the salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct PagePart {
    pub(in super::super) over: WebPart,
    pub(in super::super) text: DomainText,
}

pub(super) fn write(row: &[u8], key: &mut Vec<u8>) -> Result<(), DesignError> {
    written::write(&Page::of_row(row)?, key);
    Ok(())
}

pub(super) fn read(written: &[u8], row: &mut Vec<u8>) -> Result<(), DesignError> {
    row.extend_from_slice(written::read(written)?.to_string().as_bytes());
    Ok(())
}

/// A row or a key as a message shows it.
pub(super) fn shown(bytes: &[u8]) -> Excerpt {
    page::shown(bytes)
}

pub(super) fn ranges(rows: &Rows) -> Result<Vec<FormRange>, DesignError> {
    ranges::ranges(rows)
}

pub(super) fn scatters(asked: Asked) -> Option<String> {
    match asked {
        Asked::Row | Asked::Prefix | Asked::Domain => None,
        Asked::Range => Some(ranges::NO_RANGE.to_owned()),
        Asked::Suffix | Asked::Between => Some(ranges::NO_PART.to_owned()),
    }
}

/// Of which sets of a kind it is said that they can be read, where it is not all of them.
pub(super) fn only(asked: Asked) -> Option<String> {
    (asked == Asked::Prefix).then(|| ranges::ONLY_PREFIXES.to_owned())
}

pub(super) fn explain(
    written: &[u8],
    part: Option<PagePart>,
) -> Result<Vec<KeyField>, DesignError> {
    let page = written::read(written)?;
    let salted = part.map(|part| part.salted(&page.host));
    Ok(written::fields(&page, salted.as_ref()))
}

impl PagePart {
    pub(super) fn part_of(self, row: &[u8]) -> Result<Cow<'static, [u8]>, DesignError> {
        let page = Page::of_row(row)?;
        Ok(self.part_of_host(&page.host).into_bytes().into())
    }

    pub(super) fn common_part(self, rows: &Rows) -> Option<Bytes> {
        let part = match rows {
            Rows::Row(row) | Rows::Prefix(row) => self.part_of_host(&Page::of_row(row).ok()?.host),
            Rows::Domain { domain, subdomains } => {
                let host = domain::parse(domain).ok()?;
                match (&host, self.over) {
                    (Host::Name(name), WebPart::RegistrableDomain) if *subdomains => {
                        self.text_of(&Host::Name(domain::of_all_below(name)?.to_owned()))
                    }
                    (Host::Name(_), WebPart::Host) if *subdomains => return None,
                    _ => self.part_of_host(&host),
                }
            }
            Rows::All | Rows::Range { .. } | Rows::Suffix(_) | Rows::Between { .. } => return None,
        };
        Some(part.into())
    }

    /// Which domains are read in one piece, with their subdomains.
    ///
    /// Others have any of so many salts; None are too many to be looked into.
    pub(in super::super) fn only_domains(self, salts: Option<u64>) -> String {
        let others = salts.map_or_else(
            || "cannot be read".to_owned(),
            |salts| format!("are fanned out over up to {salts} pieces"),
        );
        match self.over {
            WebPart::RegistrableDomain => format!(
                "a registrable domain such as `example.com`, or one below it; the subdomains of a public suffix, such \
                 as `com`, {others}"
            ),
            WebPart::Host => format!("a domain without its subdomains, which {others}"),
        }
    }

    /// What the salt is made of, as it is written in a URL.
    fn salted(self, host: &Host) -> Host {
        match (host, self.over) {
            (Host::Name(name), WebPart::RegistrableDomain) => {
                let domain = domain::registrable(name).unwrap_or(name);
                Host::Name(domain.to_owned())
            }
            _ => host.clone(),
        }
    }

    fn part_of_host(self, host: &Host) -> String {
        self.text_of(&self.salted(host))
    }

    fn text_of(self, salted: &Host) -> String {
        match self.text {
            DomainText::Forward => salted.text().to_owned(),
            DomainText::Reversed => salted.reversed(),
        }
    }
}

/// What the salt is made of, where that is not the usual.
impl fmt::Display for PagePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.over, self.text) {
            (WebPart::RegistrableDomain, DomainText::Forward) => "",
            (WebPart::RegistrableDomain, DomainText::Reversed) => {
                " of the registrable domain read backwards"
            }
            (WebPart::Host, DomainText::Forward) => " of the host",
            (WebPart::Host, DomainText::Reversed) => " of the host read backwards",
        })
    }
}
