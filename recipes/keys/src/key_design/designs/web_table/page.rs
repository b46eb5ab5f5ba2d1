//! A page of the web: the URL of a row, normalized, and its written form in a key.
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
//! # Written form
//!
//! ```text
//!  com.example.support /docs?page=2          https://support.example.com/docs?page=2
//!  com.example.support /#8080 /docs          http://support.example.com:8080/docs
//!  [2001:db8::1] /docs                       http://[2001:db8::1]/docs
//!  reversed host  port  path and query
//! ```
//!
//! A domain should be one piece of the table. `.` and `/` are neighbors (2e, 2f), no host contains
//! a `/`, and every path begins with one. So the keys of the pages of `example.com` begin with
//! `com.example/`, and with the pages of its subdomains they are the range from `com.example.` to
//! `com.example0`. Neither includes `com.example-x` or `com.example2`. A port written as
//! `com.example:8080/` would sort after `com.example9`, in a separate piece. No normalized row
//! contains a `#` (W9, W11), so `/#8080/` cannot be a path, and the pages of every port are stored
//! with those of their host.

use std::fmt;

use fluo_table::Excerpt;
use url::{ParseError, Url};

use super::host::{HOST_CHARACTERS, Host};
use crate::error::RecipeError;

/// The text between the host and a port.
pub(super) const PORT: &str = "/#";

/// Maximum length in bytes of the text of a host: more than any host has, even with every character
/// percent-encoded or non-ASCII.
const MAX_AUTHORITY: usize = 4_096;

const NO_HOST: &str = "it has no host, as `https://example.com/path` or `example.com/path` has";

/// A page: a normalized URL without its scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) host: Host,
    /// The port; `None` for the default ports.
    pub(super) port: Option<u16>,
    /// The path, which begins with `/`, and the query.
    pub(super) rest: String,
}

impl Page {
    pub(super) fn of_row(row: &[u8]) -> Result<Self, RecipeError> {
        text_of(row).and_then(Self::parse).map_err(|reason| {
            let row = excerpt(row);
            RecipeError::row(format!("{row} has no key in a web table: {reason}"))
        })
    }

    /// Parses the page of a URL with or without a scheme. The error is the reason why there is
    /// none.
    pub(super) fn parse(url: &str) -> Result<Self, String> {
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

    pub(super) fn written(&self) -> String {
        format!("{}{}{}", self.host.reversed(), self.written_port(), self.rest)
    }

    pub(super) fn written_port(&self) -> String {
        self.port.map(|port| format!("{PORT}{port}")).unwrap_or_default()
    }

    pub(super) fn of_written(written: &[u8]) -> Result<Self, RecipeError> {
        let reason = match unwritten(written).and_then(|row| Self::parse(&row)) {
            Ok(page) if page.written().as_bytes() == written => return Ok(page),
            Ok(page) => format!("the page is written {}", excerpt(page.written().as_bytes())),
            Err(reason) => reason,
        };
        let written = excerpt(written);
        Err(RecipeError::key(format!("{written} is not the key of a page: {reason}")))
    }
}

fn unwritten(written: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(written).map_err(|_| "it is not ASCII text".to_owned())?;
    let (host, path) =
        text.split_once('/').ok_or("a `/` must follow its host, as in `com.example/`")?;
    let host = Host::of_reversed(host);
    Ok(match path.strip_prefix('#') {
        None => format!("{}/{path}", host.text()),
        Some(port) => format!("{}:{port}", host.text()),
    })
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.host.text())?;
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        f.write_str(&self.rest)
    }
}

pub(super) fn text_of(url: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(url).map_err(|_| "it is not UTF-8 text: percent-encode its path".to_owned())
}

pub(super) fn without_scheme(url: &str) -> Result<&str, String> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return Ok(url);
    };
    let is_more = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let is_scheme =
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_more);
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
pub(super) fn authority(url: &str) -> &str {
    url.split(['/', '\\', '?', '#']).next().unwrap_or_default()
}

fn check_authority(authority: &str) -> Result<(), String> {
    let length = authority.len();
    let reason = if authority.contains('@') {
        "the text before `@` may be a password, which no key may contain: leave it out"
    } else if authority.is_empty() {
        // The parser would skip slashes until it finds text for a host.
        NO_HOST
    } else if authority.ends_with(':') {
        "a `:` without a port follows its host: give the port, or leave the `:` out"
    } else if length > MAX_AUTHORITY {
        return Err(format!("its host has {length} bytes, and a host has at most 253"));
    } else {
        return Ok(());
    };
    Err(reason.to_owned())
}

fn reason_of(error: ParseError) -> String {
    let reason = match error {
        ParseError::EmptyHost => NO_HOST,
        ParseError::InvalidPort => {
            "the text after the `:` is not a port: a port is a number from 0 to 65535"
        }
        ParseError::InvalidIpv4Address => {
            "its host ends in a number but is not an IPv4 address, such as 192.0.2.1"
        }
        ParseError::InvalidIpv6Address => {
            "the text in brackets is not an IPv6 address, such as [2001:db8::1]"
        }
        ParseError::IdnaError | ParseError::InvalidDomainCharacter => HOST_CHARACTERS,
        other => return format!("it is not a URL such as `example.com/path`: {other}"),
    };
    reason.to_owned()
}

/// Returns a URL for display in a message, without a possible password.
pub(super) fn excerpt(url: &[u8]) -> Excerpt {
    match url.iter().rposition(|&byte| byte == b'@') {
        None => Excerpt::new(url),
        Some(at) => Excerpt::new(&[b"***", url.get(at..).unwrap_or_default()].concat()),
    }
}
