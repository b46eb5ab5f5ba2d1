//! `web-table`: the pages of the web, domain by domain.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::super::form::{DomainText, Form, WebForm, WebPart};
use super::super::part::SaltedPart;
use super::super::salt::{Digest, DigestDigits, DigestEnd, Salt};
use super::{DesignSettings, Halves, SaltOf};

/// Settings of the design `web-table`: `{salt}:{reversed host}{path}`.
///
/// A row is the URL of a page. The salt is the first digits of the MD5 of the registrable domain, so that a domain and
/// all its subdomains lie together; which domain is registrable says the Public Suffix List. The list is part of the
/// stored format, and fixed for a version of this crate.
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
}

impl Default for WebTable {
    fn default() -> Self {
        Self {
            digits: 2,
            over: WebPart::default(),
            text: DomainText::default(),
            leading_point: false,
        }
    }
}

impl WebTable {
    pub(super) fn halves(&self) -> Result<Halves, DesignError> {
        let digits = DigestDigits::new(Digest::Md5, DigestEnd::First, self.digits)?;
        Ok(Halves {
            name: "web-table",
            salt: Some(SaltOf {
                salt: Salt::Digest(digits),
                // The form knows which part of a page is salted.
                part: SaltedPart::Whole,
                separator: ":".to_owned(),
            }),
            form: Form::Web(WebForm {
                over: self.over,
                text: self.text,
                leading_point: self.leading_point,
            }),
        })
    }
}

impl From<WebTable> for DesignSettings {
    fn from(settings: WebTable) -> Self {
        Self::WebTable(settings)
    }
}
