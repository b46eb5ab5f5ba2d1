//! The target itself: `embedded:DIR` or `proxy:HOST:PORT`.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Embedded(PathBuf),
    /// The address of the proxy of a live Accumulo, `HOST:PORT`. An IPv6 address is in brackets.
    Proxy(String),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded(directory) => write!(f, "embedded:{}", directory.display()),
            Self::Proxy(address) => write!(f, "proxy:{address}"),
        }
    }
}

impl FromStr for Target {
    type Err = anyhow::Error;

    /// Parses a target. No error repeats it, because it may contain a password.
    fn from_str(text: &str) -> Result<Self> {
        match text.split_once(':') {
            Some(("embedded", directory)) => Ok(Self::Embedded(path(directory)?)),
            _ if text.contains('@') => bail!(
                "remove the user and password from the target, which other users can read; use --user and FLUO_PASSWORD"
            ),
            Some(("proxy", place)) => Ok(Self::Proxy(address(place)?)),
            _ => bail!("a target has a kind and a place; write embedded:DIR or proxy:HOST:PORT"),
        }
    }
}

/// Returns the path of a directory. Expands a leading `~` to the home directory, because shells do
/// not expand it within `embedded:~/data`.
fn path(directory: &str) -> Result<PathBuf> {
    let Some(below) = directory.strip_prefix('~') else {
        return match directory {
            "" => bail!("the directory is missing; write embedded:DIR"),
            directory => Ok(PathBuf::from(directory)),
        };
    };
    let below = match below {
        "" => "",
        below => below.strip_prefix('/').with_context(|| {
            format!(
                "only `~/` is expanded, not `{directory}`; write its path, or embedded:./{directory}"
            )
        })?,
    };
    let home = if cfg!(unix) { env::var_os("HOME").map(PathBuf::from) } else { env::home_dir() };
    let home = home.filter(|home| !home.as_os_str().is_empty());
    let home = home.with_context(|| {
        format!("`{directory}` needs the variable HOME; set it or write the path")
    })?;
    Ok(match below {
        "" => home,
        below => home.join(below.trim_start_matches('/')),
    })
}

fn address(place: &str) -> Result<String> {
    let host_and_port = place.rsplit_once(':');
    // The last part of an IPv6 address is not a port.
    let Some((host, port)) = host_and_port.filter(|(_, port)| !port.ends_with(']')) else {
        bail!("the port is missing; write proxy:HOST:PORT, such as proxy:localhost:42424");
    };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if bare.unwrap_or(host).is_empty() {
        bail!("the host is missing; write proxy:HOST:PORT, such as proxy:localhost:42424");
    }
    if bare.is_none() && host.contains(':') {
        bail!("an IPv6 address is written in brackets, such as proxy:[::1]:42424");
    }
    match u16::from_str(port) {
        Ok(1..) if port.bytes().all(|byte| byte.is_ascii_digit()) => Ok(place.to_owned()),
        _ => bail!("the port is not a number from 1 to 65535; write proxy:HOST:PORT"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Target {
        text.parse().unwrap()
    }

    fn message(text: &str) -> String {
        text.parse::<Target>().unwrap_err().to_string()
    }

    #[test]
    fn parses_a_directory_or_a_proxy() {
        assert_eq!(target("embedded:a:b"), Target::Embedded("a:b".into()));
        for text in ["proxy:localhost:42424", "proxy:[::1]:1", "proxy:10.0.0.1:65535"] {
            let address = text.strip_prefix("proxy:").unwrap();
            assert_eq!(target(text), Target::Proxy(address.to_owned()));
            assert_eq!(target(text).to_string(), text);
        }
    }

    /// `embedded:~/data` made a directory of the name `~`, which invites `rm -r ~`.
    #[test]
    fn expands_a_leading_tilde() {
        let home = env::home_dir().unwrap();
        for (text, expected) in [
            ("embedded:~", home.clone()),
            ("embedded:~/", home.clone()),
            ("embedded:~/data", home.join("data")),
            ("embedded:~//data", home.join("data")),
            ("embedded:./~/data", "./~/data".into()),
            ("embedded:a/~", "a/~".into()),
        ] {
            assert_eq!(target(text), Target::Embedded(expected), "{text}");
        }
        for text in ["~bob/data", "~+", "~-/x"] {
            assert_eq!(
                message(&format!("embedded:{text}")),
                format!(
                    "only `~/` is expanded, not `{text}`; write its path, or embedded:./{text}"
                )
            );
        }
    }

    #[test]
    fn refuses_wrong_targets_with_a_correction() {
        for (texts, expected) in [
            (&["embedded:"][..], "the directory is missing; "),
            (&["hbase:x", "dir", ""], "a target has a kind and a place; "),
            (&["proxy:", "proxy:host", "proxy:[::1]"], "the port is missing; "),
            (&["proxy::1", "proxy:[]:1"], "the host is missing; "),
            (
                &["proxy:::1:42424", "proxy:http://host:x"],
                "an IPv6 address is written in brackets, ",
            ),
            (
                &["proxy:host:", "proxy:host:0", "proxy:host:+1", "proxy:host:65536"],
                "the port is not a number from 1 to 65535; ",
            ),
            (&["proxy:root:x@h:1", "root:x@h:1"], "remove the user and password from the target, "),
        ] {
            for text in texts {
                let message = message(text);
                assert!(message.starts_with(expected), "{text}: {message}");
            }
        }
    }
}
