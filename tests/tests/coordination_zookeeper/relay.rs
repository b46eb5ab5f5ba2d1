//! A relay of connections that can be cut.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

/// A relay between clients and a server. While it is cut, all connections are refused.
pub(crate) struct Relay {
    server: String,
    address: SocketAddr,
    task: AbortHandle,
}

impl Relay {
    pub(crate) async fn new(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self {
            server: server.to_owned(),
            address: listener.local_addr().unwrap(),
            task: serve(listener, server.to_owned()),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes all connections, and refuses new ones.
    pub(crate) fn cut(&self) {
        self.task.abort();
    }

    /// Accepts connections again.
    pub(crate) async fn resume(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.task = serve(listener, self.server.clone());
    }
}

fn serve(listener: TcpListener, server: String) -> AbortHandle {
    let accept = async move {
        let mut connections = JoinSet::new();
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let server = server.clone();
            connections.spawn(async move {
                let mut server = TcpStream::connect(server).await.unwrap();
                // Both ends close a connection at any time.
                let _ = copy_bidirectional(&mut client, &mut server).await;
            });
        }
    };
    tokio::spawn(accept).abort_handle()
}
