//! `web-table`: the pages of the web, domain by domain.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::super::form::{DomainText, Form, PagePart, WebPart};
use super::super::part::SaltedPart;
use super::super::salt::{Digest, DigestDigits, DigestEnd, Salt};
use super::{DesignSettings, Halves, SaltOf};
use crate::row_hasher::Excerpt;

/// Settings of the design `web-table`: `{salt}:{reversed host}{path}`.
///
/// A row is the URL of a page. The salt is the first digits of the MD5 of the registrable domain, so that a domain and
/// all its subdomains lie together; which domain is registrable says the Public Suffix List.
///
/// # What the stored format depends on
///
/// The bytes of a key follow from three things that others keep: the Public Suffix List (the crate `psl`), how the URL
/// standard writes a URL (`url`) and how a name becomes punycode (`idna`). All three are fixed for a version of this
/// crate, and its tests hold a file of odd URLs with their keys against them byte by byte. Another version of one of
/// them is a change of the stored format. [`list`](Self::list) keeps the version of the list with the settings of a
/// table, so that a program with another one refuses it instead of looking for pages where they are not.
///
/// # One row
///
/// Two URLs are one row if their normalised rows are the same: without the scheme, the ports 80 and 443 and the
/// fragment, the host in lower case and punycode, the path as the URL standard writes it. A key is read back to the
/// normalised row. URLs with a user or a password are refused.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{KeyDesign, Rows, WebTable};
///
/// let design = KeyDesign::new(WebTable::default())?;
/// let key = design.add(b"https://Support.Example.com/docs#top")?;
/// assert_eq!(key, "5a:com.example.support/docs");
/// assert_eq!(design.remove(&key)?, "support.example.com/docs");
///
/// // A domain is one piece of the table, with its subdomains or without.
/// assert_eq!(design.spans(&Rows::domain_and_subdomains("example.com"))?.len(), 1);
/// assert_eq!(design.spans(&Rows::domain("example.com"))?.len(), 1);
/// // The pages below a public suffix have many salts.
/// assert_eq!(design.spans(&Rows::domain_and_subdomains("com"))?.len(), 256);
/// # Ok::<(), fluo_recipes::DesignError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebTable {
    /// How many hexadecimal digits the salt has, 1 to 8; 2 unless given, which make 256 salts.
    pub digits: u8,
    /// Of which part of the host the salt is; of the registrable domain unless given.
    ///
    /// Either way the pages of one host have one salt. A host that has much of a table makes one tablet hot; points of
    /// your own cut it further, such as `99:com.github/m`.
    pub over: WebPart,
    /// In which direction that domain is read for the digest; forward unless given.
    pub text: DomainText,
    /// Whether the split points begin with the first salt; not unless given.
    ///
    /// 16 tablets need 15 points, `10` to `f0`. Many guides print 16, from `00` to `f0`: those make a 17th tablet
    /// before all others, which is always empty, as no key sorts before the first salt. Set this for a table that was
    /// made so, and its points and weights are those of that table: 16 points, 17 weights, the first of them 0.
    pub leading_point: bool,
    /// The version of the Public Suffix List, as that of the `psl` crate, with which the rows of the table were
    /// written; not looked at unless given. With another one the design is refused: give
    /// [`SUFFIX_LIST`](Self::SUFFIX_LIST) where a table is made.
    pub list: Option<String>,
}

impl Default for WebTable {
    fn default() -> Self {
        Self {
            digits: 2,
            over: WebPart::default(),
            text: DomainText::default(),
            leading_point: false,
            list: None,
        }
    }
}

impl WebTable {
    /// The version of the Public Suffix List that is compiled in, as that of the `psl` crate.
    pub const SUFFIX_LIST: &str = "2.1.247";

    fn check_list(&self) -> Result<(), DesignError> {
        let compiled_in = Self::SUFFIX_LIST;
        match self.list.as_deref() {
            Some(list) if list != compiled_in => Err(DesignError::settings(format!(
                "the rows were written with the Public Suffix List {}, and this program has {compiled_in}, in which \
                 domains may have other salts: read the table with a program that has its list, and copy it into one \
                 that is written with `list = \"{compiled_in}\"`",
                Excerpt::new(list.as_bytes())
            ))),
            _ => Ok(()),
        }
    }

    pub(super) fn halves(&self) -> Result<Halves, DesignError> {
        self.check_list()?;
        let digits = DigestDigits::new(Digest::Md5, DigestEnd::First, self.digits)?;
        Ok(Halves {
            name: "web-table",
            salt: Some(SaltOf {
                salt: Salt::Digest(digits),
                part: SaltedPart::Whole,
                page: PagePart {
                    over: self.over,
                    text: self.text,
                },
                separator: ":".to_owned(),
            }),
            leading_point: self.leading_point,
            form: Form::Web,
        })
    }
}

impl From<WebTable> for DesignSettings {
    fn from(settings: WebTable) -> Self {
        Self::WebTable(settings)
    }
}
