//! The owner of a local connection.

use std::fs;
use std::io;
use std::path::Path;

use fluo_table::{Error, ErrorKind, Result};
use tokio::net::TcpStream;

/// The connections of this machine over IPv4.
const CONNECTIONS: &str = "/proc/net/tcp";
/// The open files and sockets of this process.
const HANDLES: &str = "/proc/self/fd";
const ESTABLISHED: &str = "01";

/// Checks that the owners of connections can be found.
///
/// # Errors
///
/// [`Unavailable`](ErrorKind::Unavailable) if the lists of Linux cannot be read.
pub(super) fn check_support() -> Result<()> {
    let lists = connections().and_then(|_| fs::read_dir(HANDLES));
    lists.map(drop).map_err(|error| {
        let message =
            format!("TLS and SASL to ZooKeeper need Linux, with {CONNECTIONS} and {HANDLES}");
        Error::with_source(ErrorKind::Unavailable, message, error)
    })
}

/// Checks that this process has the other end of a local connection.
///
/// # Errors
///
/// Another process has the other end, or it is closed, or the lists of Linux cannot be read.
pub(super) fn check(connection: &TcpStream) -> io::Result<()> {
    let (peer, own) = (connection.peer_addr()?, connection.local_addr()?);
    let connections = connections()?;
    let socket = inode(&connections, peer.port(), own.port())
        .map(|inode| format!("socket:[{inode}]"))
        .ok_or_else(|| io::Error::other("its other end is closed"))?;
    for handle in fs::read_dir(HANDLES)? {
        // A handle that another thread has closed has no target.
        if fs::read_link(handle?.path()).is_ok_and(|target| target == Path::new(&socket)) {
            return Ok(());
        }
    }
    Err(io::Error::other("another process has its other end"))
}

fn connections() -> io::Result<String> {
    fs::read_to_string(CONNECTIONS)
}

/// Returns the inode of the first end of an open connection between two local ports.
fn inode(connections: &str, from: u16, to: u16) -> Option<&str> {
    let local = |port| format!("{:08X}:{port:04X}", u32::from_ne_bytes([127, 0, 0, 1]));
    let ends = [local(from), local(to)];
    connections.lines().find_map(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let [_, a, b, ESTABLISHED, _, _, _, _, _, inode, ..] = *fields else { return None };
        ([a, b] == ends).then_some(inode)
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::net::TcpListener;

    use super::*;

    #[test]
    #[cfg(target_endian = "little")]
    fn finds_the_inode_of_an_open_connection() {
        let connections = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     7        0 11 1 0 20 4 30 10 -1\n\
            1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0 20 4 30 10 -1\n\
            2: 0100007F:C351 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1\n";
        assert_eq!(inode(connections, 50_000, 8080), Some("12"));
        assert_eq!(inode(connections, 8080, 50_000), Some("11"));
        // It is closed, so its owner is unknown.
        assert_eq!(inode(connections, 50_001, 8080), None);
        assert_eq!(inode("", 50_000, 8080), None);
    }

    #[tokio::test]
    async fn only_a_connection_with_an_open_end_in_this_process_passes() {
        check_support().unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        check(&server).unwrap();
        drop(client);
        assert_eq!(check(&server).unwrap_err().to_string(), "its other end is closed");
    }
}
