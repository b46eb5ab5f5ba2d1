//! A server that answers immediately: the rest is the cost of the client, and of two trips over the
//! loopback.

use std::time::Instant;

use accumulo_proxy::{Credentials, ProxyClient, ProxyOptions};
use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::figures::Figures;

const CALLS: usize = 20_000;
const ROUNDS: usize = 5;
/// A reply of the compact protocol whose result (field 0) is true.
const TRUE: [u8; 3] = [0x01, 0x00, 0x00];
/// The kind of a message, with the version of the protocol, in its second byte.
const REPLY: u8 = 0x41;

pub(crate) async fn run() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(serve(stream));
        }
    });
    let client = ProxyClient::lazy(ProxyOptions::new(address, Credentials::shared_secret("s")));
    for tasks in [1, 8] {
        let mut figures = Figures::default();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            join_all((0..tasks).map(|_| ask(&client, CALLS / tasks))).await;
            figures.add(begin.elapsed());
        }
        let rate = figures.rate(CALLS);
        println!(
            "a call to a server that answers at once, {tasks} at a time: {rate:.0} calls/s, {:.1} us each",
            1e6 / rate
        );
    }
}

async fn ask(client: &ProxyClient, calls: usize) {
    for _ in 0..calls {
        assert!(client.table_operations().exists("pages").await.unwrap());
    }
}

/// Answers each call with its own number and name, and the result `true`.
async fn serve(mut stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    let mut frame = Vec::new();
    while let Ok(length) = stream.read_u32().await {
        frame.resize(usize::try_from(length).unwrap(), 0);
        stream.read_exact(&mut frame).await.unwrap();
        let number_bytes = 1 + frame.iter().skip(2).position(|byte| byte & 0x80 == 0).unwrap();
        let name_bytes = 1 + usize::from(*frame.get(2 + number_bytes).unwrap());
        let head = frame.get(2..2 + number_bytes + name_bytes).unwrap();
        let reply = [&[0x82, REPLY], head, &TRUE].concat();
        let framed = [&u32::try_from(reply.len()).unwrap().to_be_bytes()[..], &reply].concat();
        stream.write_all(&framed).await.unwrap();
    }
}
