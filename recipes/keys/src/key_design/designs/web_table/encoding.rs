//! A page of the web: its host read from the top level down, then its path.
//!
//! A row is the URL of a page, with or without its scheme. A key is decoded to the normalized row,
//! which has no scheme. The written form is
//!
//! ```text
//!  com.example.support /docs?page=2          https://support.example.com/docs?page=2
//!  com.example.support /#8080 /docs          http://support.example.com:8080/docs
//!  [2001:db8::1] /docs                       http://[2001:db8::1]/docs
//!  reversed host  port  path and query
//! ```
//!
//! # Why the port follows a `/#`
//!
//! A domain should be one piece of the table. `.` and `/` are neighbors (2e, 2f), no host contains
//! a `/`, and every path begins with one. So the keys of the pages of `example.com` begin with
//! `com.example/`, and with the pages of its subdomains they are the range from `com.example.` to
//! `com.example0`. Neither includes `com.example-x` or `com.example2`. A port written as
//! `com.example:8080/` would sort after `com.example9`, in a separate piece. No normalized row
//! contains a `#` (W9, W11), so `/#8080/` cannot be a path, and the pages of every port are stored
//! with those of their host.
//!
//! The only set of rows in two pieces is the prefix `example.com/`: the rows of that host without
//! those of its ports.

use std::borrow::Cow;

use fluo_table::{Bytes, Excerpt};

use super::ranges::{self, NO_PART, NO_RANGE, ONLY_PREFIXES};
use super::{DomainDirection, WebPart, WebTable, written};
use crate::error::RecipeError;
use crate::key_design::encoding::{Contiguity, RowEncoding, RowRange, SelectionKind, downcast};
use crate::key_design::explain::KeyField;
use crate::key_design::row_selection::RowSelection;
use crate::key_design::salted_part::SaltedPart;
use crate::key_design::scan_cost::{KeyOrder, MOST_PIECES, ScanCost};
use crate::key_design::web::{
    self, Host, Page, parse_domain, registrable, registrable_of_all_below,
};

/// The salted part of a page does not affect the bytes after the salt.
impl RowEncoding for WebTable {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        written::write(&Page::of_row(row)?, key);
        Ok(())
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        row.extend_from_slice(written::read(written)?.to_string().as_bytes());
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        let page = written::read(written)?;
        Ok(written::fields(&page, &self.salted(&page.host)))
    }

    fn order(&self) -> KeyOrder {
        KeyOrder::Domains
    }

    fn writes_as(&self, other: &dyn RowEncoding) -> bool {
        downcast::<Self>(other).is_some()
    }

    fn part_of<'a>(&self, row: &'a [u8], _part: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        let page = Page::of_row(row)?;
        Ok(self.part_of_host(&page.host).into_bytes().into())
    }

    fn common_part(&self, rows: &RowSelection, _part: &SaltedPart) -> Option<Bytes> {
        let part = match rows {
            RowSelection::Row(row) | RowSelection::Prefix(row) => {
                self.part_of_host(&Page::of_row(row).ok()?.host)
            }
            RowSelection::Domain { domain, subdomains } => {
                let host = parse_domain(domain).ok()?;
                match (&host, self.over) {
                    (Host::Name(name), WebPart::RegistrableDomain) if *subdomains => {
                        self.text_of(&Host::Name(registrable_of_all_below(name)?.to_owned()))
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

    fn shares_parts(&self, _part: &SaltedPart) -> bool {
        true
    }

    fn part_text(&self, _part: &SaltedPart) -> String {
        let text = match (self.over, self.text) {
            (WebPart::RegistrableDomain, DomainDirection::Forward) => "",
            (WebPart::RegistrableDomain, DomainDirection::Reversed) => {
                " of the registrable domain read backwards"
            }
            (WebPart::Host, DomainDirection::Forward) => " of the host",
            (WebPart::Host, DomainDirection::Reversed) => " of the host read backwards",
        };
        text.to_owned()
    }

    fn contiguity(&self, kind: SelectionKind) -> Contiguity {
        match kind {
            SelectionKind::Row | SelectionKind::Domain => Contiguity::Always,
            SelectionKind::Prefix => Contiguity::Only(ONLY_PREFIXES),
            SelectionKind::Range => Contiguity::Never(NO_RANGE),
            SelectionKind::Suffix | SelectionKind::Between => Contiguity::Never(NO_PART),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        ranges::ranges(rows)
    }

    fn salted_cost(&self, kind: SelectionKind, salts: u64) -> Option<ScanCost> {
        match kind {
            // A readable prefix contains a whole host: one salt, with two pieces if there are other
            // ports.
            SelectionKind::Prefix => Some(ScanCost::Limited {
                ranges: 2,
                only: ONLY_PREFIXES.to_owned(),
            }),
            SelectionKind::Domain => Some(ScanCost::Limited {
                ranges: 1,
                only: self.only_domains((salts <= MOST_PIECES).then_some(salts)),
            }),
            _ => None,
        }
    }

    /// Formats a row or a key without a possible password.
    fn excerpt(&self, bytes: &[u8]) -> Excerpt {
        web::excerpt(bytes)
    }
}

impl WebTable {
    /// Describes the domains that are read in one piece with their subdomains.
    ///
    /// Other domains can have any of the `salts` salts; `None` if there are too many to read each
    /// of them.
    fn only_domains(&self, salts: Option<u64>) -> String {
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
    fn salted(&self, host: &Host) -> Host {
        match (host, self.over) {
            (Host::Name(name), WebPart::RegistrableDomain) => {
                let domain = registrable(name).unwrap_or(name);
                Host::Name(domain.to_owned())
            }
            _ => host.clone(),
        }
    }

    fn part_of_host(&self, host: &Host) -> String {
        self.text_of(&self.salted(host))
    }

    fn text_of(&self, salted: &Host) -> String {
        match self.text {
            DomainDirection::Forward => salted.text().to_owned(),
            DomainDirection::Reversed => salted.reversed(),
        }
    }
}
