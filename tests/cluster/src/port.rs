//! A port on which no process listens.
//!
//! The port is below the range from which the system takes the ports of outgoing connections (32768
//! and higher), so no such connection takes it first. Another process may still take it, so the
//! caller must be prepared to try again.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;

use anyhow::{Result, bail};

/// Number of attempts with other ports, if another process has taken a port meanwhile.
pub(crate) const TRIES: u32 = 3;
const PORTS: Range<u16> = 20_000..32_000;
const DRAWS: u16 = 200;

/// Returns different ports that are free at this moment.
///
/// # Errors
///
/// No port is free.
pub fn free_ports<const N: usize>() -> Result<[u16; N]> {
    let mut ports = [0; N];
    let mut found = Vec::with_capacity(N);
    for port in &mut ports {
        let mut tries = (0..DRAWS).map(|_| random_port());
        match tries.find(|port| !found.contains(port) && is_free(*port)) {
            Some(free) => *port = free,
            None => bail!("none of {DRAWS} random ports in {PORTS:?} is free"),
        }
        found.push(*port);
    }
    Ok(ports)
}

/// Draws a random port. Processes that start at the same moment must not try the same ports in the
/// same order; the keys of the standard hasher differ in each process.
fn random_port() -> u16 {
    let width = u64::from(PORTS.end - PORTS.start);
    let offset = RandomState::new().hash_one(0) % width;
    PORTS.start + u16::try_from(offset).unwrap_or(0)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok()
}
