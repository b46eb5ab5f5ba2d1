//! The users who own the local connections to this process.

use std::fs;
use std::io;

use rustix::process::geteuid;
use tokio::net::TcpStream;

/// The connections of this machine over IPv4, with their owners.
const OWNERS: &str = "/proc/net/tcp";
const ESTABLISHED: &str = "01";

/// Checks that a process of the same user has the other end of a local connection.
///
/// # Errors
///
/// Another user owns the other end, or it is closed, or the list of owners cannot be read: only
/// Linux has one.
pub(super) fn check(connection: &TcpStream) -> io::Result<()> {
    let (peer, own) = (connection.peer_addr()?, connection.local_addr()?);
    let owners = fs::read_to_string(OWNERS)
        .map_err(|error| io::Error::new(error.kind(), format!("{OWNERS}: {error}")))?;
    match owner(&owners, peer.port(), own.port()) {
        Some(owner) if owner == geteuid().as_raw() => Ok(()),
        _ => Err(io::Error::other("a process of another user tries to use the connection")),
    }
}

/// Returns the user who owns an open connection between two local ports.
fn owner(owners: &str, from: u16, to: u16) -> Option<u32> {
    let local = |port| format!("{:08X}:{port:04X}", u32::from_ne_bytes([127, 0, 0, 1]));
    let ends = [local(from), local(to)];
    owners.lines().find_map(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let [_, a, b, ESTABLISHED, _, _, _, owner, ..] = *fields else { return None };
        ([a, b] == ends).then(|| owner.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::net::TcpListener;

    use super::*;

    #[test]
    #[cfg(target_endian = "little")]
    fn finds_the_owner_of_an_open_connection() {
        let owners = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     7        0 1 1 0 20 4 30 10 -1\n\
            1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1\n\
            2: 0100007F:C351 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1\n";
        assert_eq!(owner(owners, 50_000, 8080), Some(1000));
        assert_eq!(owner(owners, 8080, 50_000), Some(7));
        // It is closed, so its owner is unknown.
        assert_eq!(owner(owners, 50_001, 8080), None);
        assert_eq!(owner("", 50_000, 8080), None);
    }

    #[tokio::test]
    async fn connections_of_this_process_have_its_user() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        check(&server).unwrap();
    }
}
