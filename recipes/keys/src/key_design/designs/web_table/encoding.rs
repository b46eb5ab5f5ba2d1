//! Pages as rows: their keys, and the location of a set of them.

use std::borrow::Cow;

use fluo_table::{Excerpt, prefix_successor};

use super::domain::{parse_domain, registrable_of_all_below};
use super::host::Host;
use super::page::{PORT, Page, authority, excerpt, text_of, without_scheme};
use super::{DomainDirection, WebPart, WebTable};
use crate::error::RecipeError;
use crate::key_design::encoding::RowEncoding;
use crate::key_design::scan_cost::MAX_RANGES;
use crate::key_design::{KeyField, KeyOrder, RowRange, RowSelection, SaltedPart, ScanCost};

/// The salted part of a page does not affect the bytes after the salt.
impl RowEncoding for WebTable {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        key.extend_from_slice(Page::of_row(row)?.written().as_bytes());
        Ok(())
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        row.extend_from_slice(Page::of_written(written)?.to_string().as_bytes());
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        let page = Page::of_written(written)?;
        let host = page.host.text();
        let meaning = match &page.host {
            Host::Address(_) => format!("the address {host}"),
            Host::Name(_) => format!(
                "the host {host} from the top level down; salted by {}",
                self.salted(&page.host).text()
            ),
        };
        let mut fields = vec![KeyField::new("host", page.host.reversed(), meaning)];
        if let Some(port) = page.port {
            fields.push(KeyField::new("port", page.written_port(), format!("the port {port}")));
        }
        let has_query = page.rest.contains('?');
        let meaning = if has_query { "the path and the query" } else { "the path" };
        fields.push(KeyField::new("path", page.rest, meaning));
        Ok(fields)
    }

    fn order(&self) -> KeyOrder {
        KeyOrder::Domains
    }

    fn part_of<'a>(&self, row: &'a [u8], _over: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        Ok(self.part_of_host(&Page::of_row(row)?.host).into_bytes().into())
    }

    fn common_part(&self, rows: &RowSelection, _over: &SaltedPart) -> Option<Vec<u8>> {
        let part = match rows {
            RowSelection::Prefix(prefix) => self.part_of_host(&Page::of_row(prefix).ok()?.host),
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
            _ => return None,
        };
        Some(part.into())
    }

    fn cost(&self, rows: &RowSelection) -> ScanCost {
        let salts = 1_u64 << (4 * u32::from(self.digits));
        let others = if salts <= MAX_RANGES {
            format!("are read in up to {salts} ranges")
        } else {
            "cannot be read".to_owned()
        };
        match (rows, self.over) {
            // There are two ranges if the host has other ports.
            (RowSelection::Prefix(_), _) => ScanCost::Limited {
                ranges: 2,
                only: "prefixes that hold the whole host and the `/` behind it".to_owned(),
            },
            (RowSelection::Domain { .. }, WebPart::RegistrableDomain) => ScanCost::only(format!(
                "registrable domains and domains below; the subdomains of a public suffix {others}"
            )),
            (RowSelection::Domain { .. }, WebPart::Host) => {
                ScanCost::only(format!("domains without their subdomains, which {others}"))
            }
            _ => {
                ScanCost::unsupported("URLs are stored by their domain; read the pages of a domain")
            }
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        match rows {
            RowSelection::Prefix(prefix) => ranges_of_prefix(prefix),
            RowSelection::Domain { domain, subdomains } => {
                range_of_domain(domain, *subdomains).map(|range| vec![range])
            }
            _ => Ok(vec![rows.bounds()]),
        }
    }

    fn excerpt(&self, bytes: &[u8]) -> Excerpt {
        excerpt(bytes)
    }
}

impl WebTable {
    /// Returns the host or domain from which the salt is computed, as in a URL.
    fn salted(&self, host: &Host) -> Host {
        match (host, self.over) {
            (Host::Name(name), WebPart::RegistrableDomain) => {
                Host::Name(psl::domain_str(name).unwrap_or(name).to_owned())
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

/// Returns the range of a domain: a `/` follows its own host, a `.` the host of a subdomain, and
/// the two bytes are neighbors.
fn range_of_domain(domain: &str, subdomains: bool) -> Result<RowRange, RecipeError> {
    let host = parse_domain(domain).map_err(|reason| {
        let domain = excerpt(domain.as_bytes());
        RecipeError::scan(format!("{domain} is not a domain: {reason}"))
    })?;
    let first = match host {
        Host::Name(_) if subdomains => ".",
        _ => "/",
    };
    let host = host.reversed();
    Ok(RowRange {
        start: format!("{host}{first}").into(),
        end: prefix_successor(format!("{host}/").as_bytes()),
    })
}

fn ranges_of_prefix(prefix: &[u8]) -> Result<Vec<RowRange>, RecipeError> {
    let page = page_of_prefix(prefix).map_err(|reason| {
        let prefix = excerpt(prefix);
        RecipeError::scan(format!("the prefix {prefix} cannot be read: {reason}"))
    })?;
    let RowRange { start, end } = RowRange::of_prefix(page.written());
    if page.port.is_some() || page.rest != "/" {
        return Ok(vec![RowRange { start, end }]);
    }
    // All pages of the host, except the pages of its ports, which are stored among them but are
    // other rows.
    let ports = RowRange::of_prefix(format!("{}{PORT}", page.host.reversed()));
    let before = RowRange { start, end: Some(ports.start) };
    let behind = RowRange { start: ports.end.unwrap_or_default(), end };
    Ok(vec![before, behind])
}

/// Returns a page whose written form is the common beginning of exactly the pages with the prefix.
fn page_of_prefix(prefix: &[u8]) -> Result<Page, String> {
    let text = text_of(prefix)?;
    let url = without_scheme(text)?;
    let path = url.get(authority(url).len()..).unwrap_or_default();
    let reason = if !path.starts_with(['/', '\\']) {
        "it does not hold the whole host and the `/` behind it; read the pages of a domain"
    } else if path.contains('#') {
        "no key contains a fragment: remove the part that begins with `#`"
    } else if ends_in_dots(path) {
        "its last `.` may begin a name or `..`: end it with `/` or a letter"
    } else {
        return Page::parse(text);
    };
    Err(reason.to_owned())
}

/// Checks whether a path ends in a segment that would be resolved away if the path ended there.
/// Segments of a query are not resolved.
fn ends_in_dots(path: &str) -> bool {
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let last = last.to_ascii_lowercase().replace("%2e", ".");
    !path.contains('?') && matches!(last.as_str(), "." | "..")
}
