//! The host of a page.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Maximum length in bytes of a name, and of one label (RFC 1035, 2.3.4).
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

pub(super) const HOST_CHARACTERS: &str =
    "its host is not a name: a name has letters, digits, `-` and `_`, with `.` between its labels";

/// The host of a page, normalized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// A name, whose labels are read from the last to the first. The last is never a number.
    Name(String),
    /// An IPv4 address, or an IPv6 address in brackets.
    Address(String),
}

impl Host {
    /// Returns the host of a parsed URL, or the reason why it is not valid.
    pub(super) fn of_url(host: &url::Host<&str>) -> Result<Self, String> {
        match host {
            url::Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                check_name(name)?;
                Ok(Self::Name(name.to_owned()))
            }
            url::Host::Ipv4(address) => Ok(Self::Address(address.to_string())),
            url::Host::Ipv6(address) => Ok(Self::Address(format!("[{address}]"))),
        }
    }

    /// Parses a host as written by [`reversed`](Self::reversed), without checking that it is valid.
    pub(super) fn of_reversed(written: &str) -> Self {
        let inner = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let is_v6 = inner.is_some_and(|text| text.parse::<Ipv6Addr>().is_ok());
        if is_v6 || written.parse::<Ipv4Addr>().is_ok() {
            Self::Address(written.to_owned())
        } else {
            Self::Name(reversed_labels(written))
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Name(text) | Self::Address(text) => text,
        }
    }

    /// Returns the host as written in a key: names from the top level down, addresses unchanged.
    pub(super) fn reversed(&self) -> String {
        match self {
            Self::Name(name) => reversed_labels(name),
            Self::Address(address) => address.clone(),
        }
    }
}

fn reversed_labels(name: &str) -> String {
    let labels: Vec<_> = name.rsplit('.').collect();
    labels.join(".")
}

/// Checks a name that the parser has converted to lower case and punycode. The parser accepts many
/// names that no host can have.
fn check_name(name: &str) -> Result<(), String> {
    let length = name.len();
    if length > MAX_NAME {
        return Err(format!("its host has {length} bytes, and a host has at most {MAX_NAME}"));
    }
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    name.split('.').try_for_each(|label| match label.len() {
        0 => Err("its host has an empty label: use one `.` between two labels".to_owned()),
        1..=MAX_LABEL if label.bytes().all(is_allowed) => Ok(()),
        1..=MAX_LABEL => Err(HOST_CHARACTERS.to_owned()),
        length => Err(format!(
            "a label of its host has {length} bytes, and a label has at most {MAX_LABEL}"
        )),
    })
}
