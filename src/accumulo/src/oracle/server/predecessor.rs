//! The last known leader, which must have stopped before this oracle leads.
//!
//! A leader in Java has no lease. It ends when it notices that its session is lost, and until then
//! it may answer from its last reservation. So a candidate asks the last known leader whether it
//! leads, and waits while the answer is yes. A leader that does not answer at all is frozen or
//! unreachable; the candidate waits for it up to [`SILENCE`], because it might never return. It
//! cannot reserve timestamps when it resumes: its session has ended. Until it notices that, clients
//! of Java that are still connected get the rest of its reservation, which are old timestamps.
//! Clients of this crate look at the election before each request.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::oracle::wire::Exchange;

const POLL: Duration = Duration::from_millis(500);
const QUESTION: Duration = Duration::from_secs(2);
/// The time for which a candidate waits for a leader that does not answer.
const SILENCE: Duration = Duration::from_secs(10);

pub(super) async fn wait_until_it_stops(address: &str) {
    let mut silent_since = None;
    loop {
        match timeout(QUESTION, Exchange::connect(address)).await {
            Ok(Ok(_)) => silent_since = None,
            // It does not lead, refuses, disconnects, or is no oracle.
            Ok(Err(_)) => return,
            Err(_) => {
                let since = *silent_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= SILENCE {
                    tracing::warn!("the former oracle at {address} does not answer");
                    return;
                }
            }
        }
        sleep(POLL).await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;

    use super::*;
    use crate::oracle::wire::{Reply, encode_reply, write_frame};

    async fn predecessor() -> (TcpListener, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        (listener, address)
    }

    #[tokio::test]
    async fn waits_as_long_as_the_predecessor_leads() {
        let (listener, address) = predecessor().await;
        let answers = async {
            for leads in [true, true, false] {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.read_exact(&mut [0; 17]).await.unwrap();
                let reply = encode_reply(1, &Reply::Leader(leads)).unwrap();
                write_frame(&mut stream, &reply).await.unwrap();
            }
        };
        let start = Instant::now();
        tokio::join!(answers, wait_until_it_stops(&address));
        assert!(start.elapsed() >= POLL * 2);
    }

    #[tokio::test]
    async fn does_not_wait_for_a_closed_port() {
        let (listener, address) = predecessor().await;
        drop(listener);
        wait_until_it_stops(&address).await;
    }

    /// A defect of servers in Java: a frozen leader blocks all others until it is resumed.
    #[tokio::test(start_paused = true)]
    async fn does_not_wait_for_a_frozen_predecessor_for_ever() {
        let (listener, address) = predecessor().await;
        let start = Instant::now();
        wait_until_it_stops(&address).await;
        assert!((SILENCE..SILENCE * 2).contains(&start.elapsed()));
        drop(listener);
    }
}
