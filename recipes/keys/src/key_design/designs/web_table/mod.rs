//! `web-table`: the pages of the web, domain by domain.

mod domain;
mod encoding;
mod host;
mod page;

use fluo_table::Excerpt;
use serde::{Deserialize, Serialize};

use super::salted::DigestSalt;
use crate::error::RecipeError;
use crate::key_design::encoding::DesignParts;
use crate::key_design::salt::Salt;

/// Settings of the design `web-table`: `{salt}:{reversed host}{path}`.
///
/// A row is the URL of a page. The salt is the first digits of the MD5 of the registrable domain,
/// so a domain and all its subdomains are stored together. The Public Suffix List defines the
/// registrable domain.
///
/// # Dependencies of the stored format
///
/// The bytes of a key depend on the Public Suffix List (the crate `psl`), the serialization of URLs
/// (`url`) and the conversion of names to punycode (`idna`), whose versions are fixed for a version
/// of this crate. [`list`](Self::list) stores the version of the list with the settings of a table,
/// so a program with another version rejects the table instead of searching for pages in the wrong
/// places.
///
/// # Normalized rows
///
/// A key is decoded to the normalized row: without the scheme, the ports 80 and 443 and the
/// fragment, with the host in lower case and punycode, and with the path as the URL standard writes
/// it. URLs with a user or a password are rejected.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, RowSelection, WebTable};
///
/// let design = KeyDesign::new(WebTable::default())?;
/// let key = design.encode_row(b"https://Support.Example.com/docs#top")?;
/// assert_eq!(key, "5a:com.example.support/docs");
/// assert_eq!(design.decode_key(&key)?, "support.example.com/docs");
///
/// // A domain is one piece of the table, with or without its subdomains.
/// assert_eq!(design.spans(&RowSelection::domain_and_subdomains("example.com"))?.len(), 1);
/// assert_eq!(design.spans(&RowSelection::domain("example.com"))?.len(), 1);
/// // The pages below a public suffix have many salts.
/// assert_eq!(design.spans(&RowSelection::domain_and_subdomains("com"))?.len(), 256);
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebTable {
    /// Number of hexadecimal digits of the salt, 1 to 8. The default is 2, which makes 256 salts.
    pub digits: u8,
    /// The part of the host that is hashed. The default is the registrable domain.
    ///
    /// In both cases the pages of one host have one salt. To cut a large host further, add split
    /// points such as `99:com.github/m`.
    pub over: WebPart,
    /// The direction in which the hashed domain is written. The default is forward.
    pub text: DomainDirection,
    /// `true` if the split points begin with the first salt. The default is `false`.
    ///
    /// 16 tablets need 15 points, `10` to `f0`. Many guides print 16 points, `00` to `f0`, which
    /// create a 17th, empty tablet before all others. Set this for a table that was created that
    /// way.
    pub leading_point: bool,
    /// The version of the Public Suffix List with which the rows of the table were written, as a
    /// version of the `psl` crate. The default is not to check it. A program with another version
    /// rejects the design; set [`SUFFIX_LIST`](Self::SUFFIX_LIST) when you create a table.
    pub list: Option<String>,
}

impl Default for WebTable {
    fn default() -> Self {
        let (over, text) = (WebPart::default(), DomainDirection::default());
        Self { digits: 2, over, text, leading_point: false, list: None }
    }
}

impl WebTable {
    /// The compiled-in version of the Public Suffix List, as a version of the `psl` crate.
    pub const SUFFIX_LIST: &str = "2.1.247";

    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        if let Some(list) = &self.list
            && list != Self::SUFFIX_LIST
        {
            return Err(RecipeError::settings(format!(
                "the rows were written with the Public Suffix List {}: use a program with this list, not {}",
                Excerpt::new(list.as_bytes()),
                Self::SUFFIX_LIST
            )));
        }
        let digits =
            DigestSalt { digits: self.digits, separator: ":".to_owned(), ..DigestSalt::default() };
        let over_text = match (self.over, self.text) {
            (WebPart::RegistrableDomain, DomainDirection::Forward) => "",
            (WebPart::RegistrableDomain, DomainDirection::Reversed) => {
                " of the registrable domain read backwards"
            }
            (WebPart::Host, DomainDirection::Forward) => " of the host",
            (WebPart::Host, DomainDirection::Reversed) => " of the host read backwards",
        };
        let salt = Salt { usual_separator: ":", over_text: over_text.to_owned(), ..digits.salt()? };
        Ok(DesignParts {
            leading_point: self.leading_point,
            ..DesignParts::new("web-table", Some(salt), self.clone())?
        })
    }
}

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
