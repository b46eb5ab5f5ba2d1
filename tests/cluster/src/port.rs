//! A port that nobody listens on.
//!
//! It is looked for below the range from which the system draws the ports of outgoing connections (32768 and up), so
//! that none of those takes it before its server does. Another process may: whoever uses it must be ready to try again.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;

use anyhow::{Result, bail};

const PORTS: Range<u16> = 20_000..32_000;
const TRIES: u16 = 200;

/// This many different ports that were free a moment ago.
pub(crate) fn free_ports<const N: usize>() -> Result<[u16; N]> {
    let mut ports = [0; N];
    let mut taken = HashSet::new();
    for port in &mut ports {
        *port = free_port(&taken)?;
        taken.insert(*port);
    }
    Ok(ports)
}

fn free_port(taken: &HashSet<u16>) -> Result<u16> {
    for _ in 0..TRIES {
        let port = random_port();
        if !taken.contains(&port) && is_free(port) {
            return Ok(port);
        }
    }
    bail!(
        "of {TRIES} ports tried between {} and {} none was free",
        PORTS.start,
        PORTS.end
    )
}

/// Processes that start at the same moment must not try the same ports in the same order: the keys of the standard
/// hasher differ in each.
fn random_port() -> u16 {
    let width = u64::from(PORTS.end - PORTS.start);
    let offset = RandomState::new().hash_one(0) % width;
    PORTS.start + u16::try_from(offset).unwrap_or(0)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok()
}
