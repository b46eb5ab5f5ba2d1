//! A page of the web: its host read from the top level down, then its path.
//!
//! A row is the URL of a page, with or without its scheme. A key is decoded to the normalised row,
//! which has no scheme. The written form is
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
//! | | part of a row | handling |
//! |---|---|---|
//! | W1 | scheme | `http` and `https` are dropped, so both are one page; other schemes are rejected |
//! | W2 | port | 80 and 443 are dropped, because without the scheme they are the same place; other ports are kept, see below |
//! | W3 | user information | rejected: no key contains a user or a password, and no message shows one |
//! | W4 | upper case | converted to lower case in the host; kept in the path and the query |
//! | W5 | trailing dot of the host | one is dropped; empty labels are rejected |
//! | W6 | IPv4 and IPv6 addresses | not reversed; in their usual text (`0x7f.1` is `127.0.0.1`, `[0:0::1]` is `[::1]`) |
//! | W7 | international names | punycode (UTS 46): `bücher.example` is `xn--bcher-kva.example` |
//! | W8 | host | ASCII letters, digits, `-` and `_`; labels up to 63 bytes, names up to 253; anything else is rejected |
//! | W9 | query, fragment | the query is kept as it is, even if empty; the fragment is dropped, because it is part of the same page |
//! | W10 | path | an empty path is `/`; `.` and `..` are resolved, `\` is `/`, as in browsers (the URL standard) |
//! | W11 | percent-encoding | added where the URL standard requires it; existing encoding is kept, so `%2f` and `%2F` differ |
//! | W12 | control characters, spaces at the ends, bytes that are not UTF-8 | rejected |
//!
//! The salt is computed from the registrable domain, by the Public Suffix List with its private
//! part (`a.github.io` and `b.github.io` are two domains). Addresses, hosts with one label
//! (`localhost`) and hosts that are public suffixes themselves (`co.uk`) have no registrable
//! domain: the whole host is used instead.
//!
//! # Why the port follows a `/#`
//!
//! A domain should be one piece of the table. `.` and `/` are neighbours (2e, 2f), no host contains
//! a `/`, and every path begins with one. So the keys of the pages of `example.com` begin with
//! `com.example/`, and with the pages of its subdomains they are the range from `com.example.` to
//! `com.example0`. Neither includes `com.example-x` or `com.example2`. A port written as
//! `com.example:8080/` would sort after `com.example9`, in a separate piece. No normalised row
//! contains a `#` (W9, W11), so `/#8080/` cannot be a path, and the pages of every port are stored
//! with those of their host.
//!
//! The only set of rows in two pieces is the prefix `example.com/`: the rows of that host without
//! those of its ports.

mod domain;
mod host;
mod page;
mod ranges;
mod written;

use std::borrow::Cow;
use std::fmt;

use fluo_table::Bytes;
use serde::{Deserialize, Serialize};

pub(in super::super) use self::domain::holds;
pub(in super::super) use self::domain::is_web_address;
use self::host::Host;
use self::page::Page;
use super::super::error::DesignError;
use super::super::explain::KeyField;
use super::super::row_selection::RowSelection;
use super::{Asked, FormRange};
use crate::row_hasher::Excerpt;

/// The part of the host from which the salt of a page is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WebPart {
    /// The registrable domain, by the Public Suffix List: all its subdomains are stored together
    /// and read in one piece.
    #[default]
    RegistrableDomain,
    /// The full host: the subdomains of a large domain are spread, and a read of all of them fans
    /// out over all salts.
    Host,
}

/// The direction in which the hashed domain is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainDirection {
    /// As in a URL: `example.com`.
    #[default]
    Forward,
    /// As in a key: `com.example`.
    Reversed,
}

/// The part of a page from which its salt is computed, and the direction in which it is written. It
/// does not affect the bytes after the salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct PagePart {
    pub(in super::super) over: WebPart,
    pub(in super::super) text: DomainDirection,
}

pub(super) fn write(row: &[u8], key: &mut Vec<u8>) -> Result<(), DesignError> {
    written::write(&Page::of_row(row)?, key);
    Ok(())
}

pub(super) fn read(written: &[u8], row: &mut Vec<u8>) -> Result<(), DesignError> {
    row.extend_from_slice(written::read(written)?.to_string().as_bytes());
    Ok(())
}

/// Returns a row or a key for display in a message.
pub(super) fn shown(bytes: &[u8]) -> Excerpt {
    page::shown(bytes)
}

pub(super) fn ranges(rows: &RowSelection) -> Result<Vec<FormRange>, DesignError> {
    ranges::ranges(rows)
}

pub(super) fn scatters(asked: Asked) -> Option<String> {
    match asked {
        Asked::Row | Asked::Prefix | Asked::Domain => None,
        Asked::Range => Some(ranges::NO_RANGE.to_owned()),
        Asked::Suffix | Asked::Between => Some(ranges::NO_PART.to_owned()),
    }
}

/// Returns a description of the sets of a kind that can be read, or `None` if all can.
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

    pub(super) fn common_part(self, rows: &RowSelection) -> Option<Bytes> {
        let part = match rows {
            RowSelection::Row(row) | RowSelection::Prefix(row) => {
                self.part_of_host(&Page::of_row(row).ok()?.host)
            }
            RowSelection::Domain { domain, subdomains } => {
                let host = domain::parse(domain).ok()?;
                match (&host, self.over) {
                    (Host::Name(name), WebPart::RegistrableDomain) if *subdomains => {
                        self.text_of(&Host::Name(domain::of_all_below(name)?.to_owned()))
                    }
                    (Host::Name(_), WebPart::Host) if *subdomains => return None,
                    _ => self.part_of_host(&host),
                }
            }
            RowSelection::All
            | RowSelection::Range { .. }
            | RowSelection::Suffix(_)
            | RowSelection::Between { .. } => return None,
        };
        Some(part.into())
    }

    /// Describes the domains that are read in one piece with their subdomains.
    ///
    /// Other domains can have any of the `salts` salts; `None` if there are too many to read each
    /// of them.
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

    /// Returns the host or domain from which the salt is computed, as in a URL.
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
            DomainDirection::Forward => salted.text().to_owned(),
            DomainDirection::Reversed => salted.reversed(),
        }
    }
}

/// Writes the salted part, if it is not the usual one.
impl fmt::Display for PagePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.over, self.text) {
            (WebPart::RegistrableDomain, DomainDirection::Forward) => "",
            (WebPart::RegistrableDomain, DomainDirection::Reversed) => {
                " of the registrable domain read backwards"
            }
            (WebPart::Host, DomainDirection::Forward) => " of the host",
            (WebPart::Host, DomainDirection::Reversed) => " of the host read backwards",
        })
    }
}
