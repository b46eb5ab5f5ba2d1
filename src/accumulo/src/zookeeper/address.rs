//! The address of the applications in ZooKeeper.

use fluo_table::{Error, Result};

/// The servers of a ZooKeeper, and the node below which the applications are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The servers, as `host:port` separated by commas.
    pub(crate) servers: String,
    pub(crate) chroot: String,
}

impl Address {
    /// Reads an address of the form `host:port,host:port/chroot`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (servers, chroot) = text.split_once('/').unwrap_or((text, ""));
        let are_servers = servers.split(',').all(|server| !server.trim().is_empty());
        let is_path = chroot.split('/').all(is_node_name);
        if !are_servers || !is_path {
            return Err(Error::invalid(format!(
                "`{}` is not an address of applications in ZooKeeper; write HOST:PORT,HOST:PORT/PATH",
                text.escape_debug()
            )));
        }
        Ok(Self { servers: servers.to_owned(), chroot: format!("/{chroot}") })
    }
}

fn is_node_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_servers_and_path() {
        for (text, servers, chroot) in [
            ("localhost/fluo", "localhost", "/fluo"),
            ("a:2181,b:2181/x/fluo", "a:2181,b:2181", "/x/fluo"),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((&*address.servers, &*address.chroot), (servers, chroot));
        }
    }

    #[test]
    fn rejects_an_address_without_a_path() {
        for text in ["", "localhost:2181", "localhost/", "/fluo", "a,/fluo", "a/fluo/", "a/../b"] {
            let error = Address::parse(text).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "`{text}` is not an address of applications in ZooKeeper; write HOST:PORT,HOST:PORT/PATH"
                )
            );
        }
    }
}
