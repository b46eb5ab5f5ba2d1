//! The location of the pages of a set of rows.

use fluo_table::{Bytes, prefix_successor};

use super::written::{self, PORT};
use crate::error::RecipeError;
use crate::key_design::encoding::RowRange;
use crate::key_design::row_selection::RowSelection;
use crate::key_design::web::{
    Host, Page, authority, excerpt, parse_domain, text_of, without_scheme,
};

pub(super) const NO_RANGE: &str = "keys begin with the top level of their host, so URLs that follow each other are \
     scattered: ask for the rows of a domain, with or without its subdomains";

pub(super) const NO_PART: &str = "URLs are ordered by their domain, then by their path, and by no other part or end: ask \
                                  for the rows of a domain, with or without its subdomains";

pub(super) const ONLY_PREFIXES: &str = "prefixes that hold the whole host and the `/` behind it, such as \
                                        `https://example.com/docs/`";

pub(super) const NO_PREFIX: &str = "keys begin with the top level of their host, so URLs with a common prefix are \
     scattered, unless the prefix holds the whole host and the `/` behind it, such as `https://example.com/docs/`: \
     ask for the rows of a domain, with or without its subdomains";

pub(super) fn ranges(rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
    match rows {
        RowSelection::All => Ok(vec![RowRange::as_they_are(rows)]),
        RowSelection::Row(row) => Ok(vec![RowRange::of_row(written(&Page::of_row(row)?))]),
        RowSelection::Prefix(prefix) => of_prefix(prefix),
        RowSelection::Range { .. } => Err(RecipeError::scan(format!(
            "a range of URLs cannot be read: {NO_RANGE}"
        ))),
        RowSelection::Domain { domain, subdomains } => of_domain(domain, *subdomains),
        RowSelection::Suffix(_) | RowSelection::Between { .. } => Err(RecipeError::scan(NO_PART)),
    }
}

fn written(page: &Page) -> Bytes {
    let mut key = Vec::new();
    written::write(page, &mut key);
    key.into()
}

/// Returns the range of a domain: a `/` follows its own host, a `.` the host of a subdomain, and
/// the two bytes are neighbors.
fn of_domain(domain: &str, subdomains: bool) -> Result<Vec<RowRange>, RecipeError> {
    let host = parse_domain(domain).map_err(|reason| {
        let domain = excerpt(domain.as_bytes());
        RecipeError::scan(format!("{domain} is not a domain: {reason}"))
    })?;
    let first = match host {
        Host::Name(_) if subdomains => ".",
        _ => "/",
    };
    let host = host.reversed();
    Ok(vec![RowRange {
        start: format!("{host}{first}").into(),
        end: prefix_successor(format!("{host}/").as_bytes()),
    }])
}

fn of_prefix(prefix: &[u8]) -> Result<Vec<RowRange>, RecipeError> {
    let page = page_of_prefix(prefix).map_err(|reason| {
        let prefix = excerpt(prefix);
        RecipeError::scan(format!("the prefix {prefix} cannot be read: {reason}"))
    })?;
    let range = RowRange::of_prefix(written(&page));
    if page.port.is_some() || page.rest != "/" {
        return Ok(vec![range]);
    }
    // All pages of the host, except the pages of its ports, which are stored among them but are
    // other rows.
    let ports = format!("{}{PORT}", page.host.reversed());
    let behind = prefix_successor(ports.as_bytes()).unwrap_or_default();
    let RowRange { start, end } = range;
    Ok(vec![
        RowRange {
            start,
            end: Some(ports.into()),
        },
        RowRange { start: behind, end },
    ])
}

/// Returns a page whose written form is the common beginning of exactly the pages with the prefix.
fn page_of_prefix(prefix: &[u8]) -> Result<Page, String> {
    let text = text_of(prefix)?;
    let url = without_scheme(text)?;
    let path = url.get(authority(url).len()..).unwrap_or_default();
    if !path.starts_with(['/', '\\']) {
        return Err(NO_PREFIX.to_owned());
    }
    if path.contains('#') {
        return Err("no key contains a fragment: remove the part that begins with `#`".to_owned());
    }
    if ends_in_dots(path) {
        return Err(
            "its last `.` may be the beginning of a name or of `..`: end the prefix with `/` or with a letter"
                .to_owned(),
        );
    }
    Page::parse(text)
}

/// Checks whether a path ends in a segment that would be resolved away if the path ended there.
/// Segments of a query are not resolved.
fn ends_in_dots(path: &str) -> bool {
    if path.contains('?') {
        return false;
    }
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let last = last.to_ascii_lowercase().replace("%2e", ".");
    matches!(last.as_str(), "." | "..")
}
