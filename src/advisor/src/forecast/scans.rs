//! The costs of reads in a design.

use fluo_keys::{KeyDesign, RowSelection, ScanCost, WebTable};
use fluo_table::Bytes;
use serde::Serialize;
use url::Url;

use crate::KeyProfile;
use crate::profile::FieldCut;
use fluo_keys::number::count;

/// The costs of each kind of read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ScanCosts {
    /// A read of one row with a known key.
    pub by_row: ScanCost,
    /// A scan of all rows with a known prefix.
    pub by_prefix: ScanCost,
    /// A scan of all rows between two rows.
    pub by_range: ScanCost,
    /// A scan of all rows with one known leading field, such as the host of a URL; `None` if the
    /// keys have no such field.
    pub by_leading_field: Option<ScanCost>,
    /// A scan of all pages of a domain and of its subdomains; `None` if the keys are not web
    /// addresses.
    pub by_domain: Option<ScanCost>,
    /// The order in which rows are returned.
    pub order: String,
}

impl ScanCosts {
    pub(crate) fn new(design: &KeyDesign, profile: &KeyProfile) -> Self {
        let scans = design.scans();
        // The first way in which the design supports the read, or its last refusal.
        let ways = of_one_field(profile).into_iter().flatten();
        let costs = ways.map(|rows| cost_of(design, &rows));
        let by_leading_field = costs.reduce(|first, next| match first {
            ScanCost::Unsupported { .. } => next,
            possible => possible,
        });
        Self {
            by_row: scans.by_row,
            by_prefix: scans.by_prefix,
            by_range: scans.by_range,
            by_leading_field,
            by_domain: of_one_domain(profile).map(|rows| cost_of(design, &rows)),
            order: scans.order.to_string(),
        }
    }
}

fn cost_of(design: &KeyDesign, rows: &RowSelection) -> ScanCost {
    match design.spans(rows) {
        Ok(spans) if spans.len() <= 1 => ScanCost::SingleRange,
        Ok(spans) => ScanCost::FanOut { ranges: count(spans.len()) },
        Err(error) => ScanCost::Unsupported { reason: error.to_string() },
    }
}

/// Returns the pages of the domain of one key of the sample, as a web table interprets it; `None`
/// unless nearly all keys are web addresses.
fn of_one_domain(profile: &KeyProfile) -> Option<RowSelection> {
    let is_web = matches!(profile.leading_fields.cut, Some(FieldCut::UrlHost | FieldCut::Host));
    let web = KeyDesign::new(WebTable::default()).ok().filter(|_| is_web)?;
    profile.sample.keys.iter().find_map(|sampled| {
        let domain = web.salted_part(&sampled.key).ok()??.into_owned();
        let rows = RowSelection::domain_and_subdomains(String::from_utf8(domain).ok()?);
        // An IP address, or a host of one label, has no subdomains.
        matches!(web.spans(&rows), Ok(spans) if spans.len() == 1).then_some(rows)
    })
}

/// Returns the rows that share the leading field of one key of the sample, in each way in which a
/// design can select them; `None` if no key has a leading field with an end. All fields are read
/// alike, so any of them will do.
fn of_one_field(profile: &KeyProfile) -> Option<Vec<RowSelection>> {
    let cut = profile.leading_fields.cut?;
    profile.sample.keys.iter().find_map(|sampled| rows_with_field_of(cut, &sampled.key))
}

fn rows_with_field_of(cut: FieldCut, key: &[u8]) -> Option<Vec<RowSelection>> {
    let field = cut.field(key);
    match cut {
        FieldCut::Separator { .. } => {
            let with_end = key.get(..=field.len())?;
            Some(vec![RowSelection::Prefix(Bytes::copy_from_slice(with_end))])
        }
        FieldCut::UrlHost => rows_of_host(field, std::str::from_utf8(key).ok()?),
        FieldCut::Host => {
            let address =
                std::str::from_utf8(key).ok().filter(|_| WebTable::is_web_address(key))?;
            rows_of_host(field, &format!("http://{address}"))
        }
        FieldCut::FirstBytes { .. } => None,
    }
}

/// Returns the pages of the host of a URL whose key begins with this field.
fn rows_of_host(field: &[u8], url: &str) -> Option<Vec<RowSelection>> {
    let url = Url::parse(url).ok()?;
    let pages = [field, b"/"].concat();
    Some(vec![RowSelection::domain(url.host_str()?), RowSelection::Prefix(pages.into())])
}
