//! `web-table`: the pages of the web, domain by domain.

mod encoding;
mod ranges;
mod written;

use serde::{Deserialize, Serialize};

use fluo_table::Excerpt;

use super::digest_salt::DigestSalt;
use crate::error::RecipeError;
use crate::key_design::parts::DesignParts;
use crate::key_design::salt::SaltSpec;
use crate::key_design::web::is_web_address;

/// Settings of the design `web-table`: `{salt}:{reversed host}{path}`.
///
/// A row is the URL of a page. The salt is the first digits of the MD5 of the registrable domain,
/// so a domain and all its subdomains are stored together. The Public Suffix List defines the
/// registrable domain.
///
/// # Dependencies of the stored format
///
/// The bytes of a key depend on three external definitions: the Public Suffix List (the crate
/// `psl`), the serialization of URLs (`url`) and the conversion of names to punycode (`idna`). All
/// three are fixed for a version of this crate, and its tests compare the keys of a file of unusual
/// URLs byte by byte. Another version of one of them changes the stored format.
/// [`list`](Self::list) stores the version of the list with the settings of a table, so a program
/// with another version rejects the table instead of searching for pages in the wrong places.
///
/// # Normalized rows
///
/// Two URLs are the same row if their normalized rows are equal: without the scheme, the ports 80
/// and 443 and the fragment, with the host in lower case and punycode, and with the path as the URL
/// standard writes it. A key is decoded to the normalized row. URLs with a user or a password are
/// rejected.
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
    /// In both cases the pages of one host have one salt. A host with a large share of the table
    /// makes one tablet hot; add your own split points to cut it further, such as
    /// `99:com.github/m`.
    pub over: WebPart,
    /// The direction in which the hashed domain is written. The default is forward.
    pub text: DomainDirection,
    /// `true` if the split points begin with the first salt. The default is `false`.
    ///
    /// 16 tablets need 15 points, `10` to `f0`. Many guides print 16 points, `00` to `f0`, which
    /// create a 17th tablet before all others; it is always empty, because no key sorts before the
    /// first salt. Set this for a table that was created that way, so that points and weights match
    /// it: 16 points, and 17 weights with 0 as the first.
    pub leading_point: bool,
    /// The version of the Public Suffix List with which the rows of the table were written, as a
    /// version of the `psl` crate. The default is not to check it. A program with another version
    /// rejects the design; set [`SUFFIX_LIST`](Self::SUFFIX_LIST) when you create a table.
    pub list: Option<String>,
}

impl Default for WebTable {
    fn default() -> Self {
        Self {
            digits: 2,
            over: WebPart::default(),
            text: DomainDirection::default(),
            leading_point: false,
            list: None,
        }
    }
}

impl WebTable {
    /// The compiled-in version of the Public Suffix List, as a version of the `psl` crate.
    pub const SUFFIX_LIST: &str = "2.1.247";

    /// Checks whether a row without a scheme is clearly a web address: its host is a name below a
    /// public suffix of the list.
    ///
    /// A row that could also be a file name is not, nor is a row with a fragment, which this design
    /// would drop. A row that is not may still have a key.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::WebTable;
    ///
    /// assert!(WebTable::is_web_address(b"shop.example.com/path"));
    /// for other in ["localhost/path", "a.txt", "main.rs", "1.2.3", "192.0.2.7"] {
    ///     assert!(!WebTable::is_web_address(other.as_bytes()));
    /// }
    /// ```
    #[must_use]
    pub fn is_web_address(row: &[u8]) -> bool {
        is_web_address(row)
    }

    fn check_list(&self) -> Result<(), RecipeError> {
        let compiled_in = Self::SUFFIX_LIST;
        match self.list.as_deref() {
            Some(list) if list != compiled_in => Err(RecipeError::settings(format!(
                "the rows were written with the Public Suffix List {}, and this program has {compiled_in}, in which \
                 domains may have other salts: read the table with a program that has its list, and copy it into one \
                 that is written with `list = \"{compiled_in}\"`",
                Excerpt::new(list.as_bytes())
            ))),
            _ => Ok(()),
        }
    }

    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        self.check_list()?;
        let digits = DigestSalt {
            digits: self.digits,
            separator: ":".to_owned(),
            ..DigestSalt::default()
        };
        let salt = SaltSpec {
            usual_separator: ":",
            ..digits.salt()?
        };
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
