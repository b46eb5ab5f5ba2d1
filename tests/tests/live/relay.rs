//! A relay in front of a proxy that counts the calls by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};

/// The name under which scans of notifications are counted.
pub(crate) const NOTIFICATIONS: &str = "scan of notifications";

/// The first byte of a message in the compact protocol, and the bits of its version and type.
const COMPACT: u8 = 0x82;

/// A relay. Its connections end with the runtime of the test.
pub(crate) struct Relay {
    pub(crate) address: String,
    calls: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Relay {
    /// Starts a relay to a proxy.
    pub(crate) async fn start(proxy: String) -> Self {
        let listener = TcpListener::bind("localhost:0").await.unwrap();
        let address = format!("localhost:{}", listener.local_addr().unwrap().port());
        let calls = Arc::new(Mutex::new(BTreeMap::new()));
        let counted = calls.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&proxy).await.unwrap();
                tokio::spawn(relay(client, server, counted.clone()));
            }
        });
        Self { address, calls }
    }

    /// Returns the number of calls so far, by name, without the checks of the table's identity.
    pub(crate) fn calls(&self) -> BTreeMap<String, u64> {
        let mut calls = self.calls.lock().unwrap().clone();
        calls.remove("tableIdMap");
        calls
    }

    /// Returns the number of calls of this name.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.calls.lock().unwrap().get(name).copied().unwrap_or(0)
    }
}

async fn relay(client: TcpStream, server: TcpStream, calls: Arc<Mutex<BTreeMap<String, u64>>>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    tokio::spawn(async move { copy(&mut from_server, &mut to_client).await });
    while let Ok(length) = from_client.read_u32().await {
        let mut frame = vec![0; usize::try_from(length).unwrap()];
        if from_client.read_exact(&mut frame).await.is_err() {
            break;
        }
        let iterator = b"NotificationIterator";
        let reads_notifications = frame.windows(iterator.len()).any(|part| part == iterator);
        let mut counted = vec![name(&frame)];
        counted.extend(reads_notifications.then(|| NOTIFICATIONS.to_owned()));
        for name in counted {
            *calls.lock().unwrap().entry(name).or_default() += 1;
        }
        let sent = to_server.write_u32(length).await;
        if sent.is_err() || to_server.write_all(&frame).await.is_err() {
            break;
        }
    }
}

/// Returns the name of the call in a frame: after two bytes and the sequence number.
fn name(frame: &[u8]) -> String {
    assert_eq!(frame[0], COMPACT);
    let is_last = |byte: &u8| byte & 0x80 == 0;
    let number = frame[2..].iter().position(is_last).unwrap() + 1;
    let name = &frame[2 + number..];
    let length = usize::from(name[0]);
    assert!(is_last(&name[0]), "a name of more than 127 bytes");
    String::from_utf8(name[1..=length].to_vec()).unwrap()
}
