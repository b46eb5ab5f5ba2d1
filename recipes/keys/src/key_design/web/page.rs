//! The row: the URL of a page, normalized.

use std::fmt;

use url::{ParseError, Url};

use fluo_table::Excerpt;

use super::host::{HOST_CHARACTERS, Host};
use crate::error::RecipeError;

/// Maximum length in bytes of the text of a host: more than any host has, even with every character
/// percent-encoded or non-ASCII.
const LONGEST_AUTHORITY: usize = 4_096;

/// A page: a normalized URL without its scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::key_design) struct Page {
    pub(in crate::key_design) host: Host,
    /// The port; `None` for the default ports.
    pub(in crate::key_design) port: Option<u16>,
    /// The path, which begins with `/`, and the query.
    pub(in crate::key_design) rest: String,
}

impl Page {
    /// Parses the page of a row.
    pub(in crate::key_design) fn of_row(row: &[u8]) -> Result<Self, RecipeError> {
        text_of(row).and_then(Self::parse).map_err(|reason| {
            let row = excerpt(row);
            RecipeError::row(format!("{row} has no key in a web table: {reason}"))
        })
    }

    /// Parses the page of a URL with or without a scheme. The error is the reason why there is
    /// none.
    pub(in crate::key_design) fn parse(url: &str) -> Result<Self, String> {
        // The parser would silently remove these characters.
        if url.chars().any(|c| c.is_ascii_control()) {
            return Err("it holds a control character: percent-encode it".to_owned());
        }
        if url.starts_with(' ') || url.ends_with(' ') {
            return Err("a space precedes or follows it: give the URL alone".to_owned());
        }
        let rest = without_scheme(url)?;
        check_authority(authority(rest))?;
        let parsed = Url::parse(&format!("http://{rest}")).map_err(reason_of)?;
        let host = parsed.host().ok_or_else(|| NO_HOST.to_owned())?;
        Ok(Self {
            host: Host::of_url(&host)?,
            port: parsed.port().filter(|&port| port != 443),
            rest: match parsed.query() {
                None => parsed.path().to_owned(),
                Some(query) => format!("{}?{query}", parsed.path()),
            },
        })
    }
}

/// Writes the normalized row.
impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.host.text())?;
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        f.write_str(&self.rest)
    }
}

pub(in crate::key_design) fn text_of(url: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(url)
        .map_err(|_| "it is not UTF-8 text: percent-encode the bytes of its path".to_owned())
}

/// Returns the URL without its scheme, if it has one.
pub(in crate::key_design) fn without_scheme(url: &str) -> Result<&str, String> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return Ok(url);
    };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => Ok(rest),
        _ if is_scheme => Err(format!(
            "a web table holds pages of http and https, not of {}",
            Excerpt::new(scheme.as_bytes())
        )),
        _ => Ok(url),
    }
}

/// Returns the text before the path, the query and the fragment.
pub(in crate::key_design) fn authority(url: &str) -> &str {
    url.split(['/', '\\', '?', '#']).next().unwrap_or_default()
}

const NO_HOST: &str =
    "it has no host: a row is a URL such as `https://example.com/path` or `example.com/path`";

fn check_authority(authority: &str) -> Result<(), String> {
    if authority.contains('@') {
        return Err(
            "the text before `@` is a user and perhaps a password, which no key may contain: give the URL without it"
                .to_owned(),
        );
    }
    // The parser would skip slashes until it finds text for a host.
    if authority.is_empty() {
        return Err(NO_HOST.to_owned());
    }
    if authority.ends_with(':') {
        return Err(
            "a `:` without a port follows its host: give the port, or leave the `:` out, and write a scheme as \
             `http://`"
                .to_owned(),
        );
    }
    if authority.len() > LONGEST_AUTHORITY {
        let length = authority.len();
        return Err(format!(
            "its host has {length} bytes, and a host has at most 253"
        ));
    }
    Ok(())
}

fn reason_of(error: ParseError) -> String {
    match error {
        ParseError::EmptyHost => NO_HOST.to_owned(),
        ParseError::InvalidPort => {
            "the text after the `:` is not a port: a port is a number from 0 to 65535".to_owned()
        }
        ParseError::InvalidIpv4Address => {
            "its host ends in a number but is not an IPv4 address, such as 192.0.2.1".to_owned()
        }
        ParseError::InvalidIpv6Address => {
            "the text in brackets is not an IPv6 address, such as [2001:db8::1]".to_owned()
        }
        ParseError::IdnaError | ParseError::InvalidDomainCharacter => HOST_CHARACTERS.to_owned(),
        other => format!("it is not a URL such as `example.com/path`: {other}"),
    }
}

/// Returns a URL for display in a message, without a possible password.
pub(in crate::key_design) fn excerpt(url: &[u8]) -> Excerpt {
    match url.iter().rposition(|&byte| byte == b'@') {
        None => Excerpt::new(url),
        Some(at) => Excerpt::new(&[b"***", url.get(at..).unwrap_or_default()].concat()),
    }
}
