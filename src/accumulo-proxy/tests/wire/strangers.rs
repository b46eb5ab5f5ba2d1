//! Servers that are broken or not a proxy: each call ends with an error sentence.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use accumulo_proxy::{Error, ErrorKind, Protocol, ProxyClient};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::fake::timed_out;
use crate::hostile::{PROTOCOLS, list_splits, two_splits};
use crate::raw::{Asked, Raw, answer_all, read_request, until_closed};

/// Checks that a call ends with its time limit if the server sends only these bytes.
async fn times_out_after(bytes: Vec<u8>) {
    let is_sent = Arc::new(AtomicBool::new(false));
    let sent = Arc::clone(&is_sent);
    let server = Raw::start(move |mut stream| {
        let (sent, bytes) = (Arc::clone(&sent), bytes.clone());
        async move {
            read_request(&mut stream).await?;
            stream.write_all(&bytes).await?;
            sent.store(true, Ordering::SeqCst);
            until_closed(stream).await
        }
    })
    .await;
    let client = server.client(Protocol::Compact);
    let is_sent = || is_sent.load(Ordering::SeqCst);
    let error = timed_out("the request", is_sent, list_splits(&client)).await;
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert_eq!(error.reason(), "no answer within 60s");
}

#[tokio::test]
async fn times_out_if_a_reply_or_its_rest_never_arrives() {
    times_out_after(Vec::new()).await;
    let length = 60_000_000_u32.to_be_bytes();
    times_out_after([&length[..], &[0x82; 10]].concat()).await;
}

#[tokio::test]
async fn fails_if_the_connection_ends_at_any_byte_of_a_reply() {
    for protocol in PROTOCOLS {
        let asked = Asked { name: "listSplits".to_owned(), sequence: 1, message: Vec::new() };
        let whole = two_splits(protocol, &asked);
        for end in 0..whole.len() {
            let part = whole[..end].to_vec();
            let server = Raw::start(move |mut stream| {
                let part = part.clone();
                async move {
                    read_request(&mut stream).await?;
                    stream.write_all(&part).await
                }
            })
            .await;
            let error = list_splits(&server.client(protocol)).await;
            assert_eq!(error.kind(), ErrorKind::Unreachable, "{end}: {error}");
            let ended = "the proxy closed the connection before it answered";
            assert!(error.reason().starts_with(ended), "{error}");
            // If no byte arrived at all, the reason may be different.
            assert_eq!(error.reason() == ended, end >= 4, "{error}");
        }
    }
}

/// Returns the error of a call to a server that sends `bytes`, `after` a request or before it, and
/// then closes the connection.
async fn saying(bytes: &'static [u8], after: bool) -> Error {
    let server = Raw::start(move |mut stream: TcpStream| async move {
        if after {
            read_request(&mut stream).await?;
        }
        stream.write_all(bytes).await?;
        stream.shutdown().await?;
        until_closed(stream).await
    })
    .await;
    list_splits(&server.client(Protocol::Compact)).await
}

#[tokio::test]
async fn names_servers_of_another_kind() {
    let http = "an HTTP server answers there, not an Accumulo proxy";
    let tls = "the server requires TLS; configure TLS";
    let unframed = "the server uses Thrift without frames; this client supports only the framed \
                    transport of an Accumulo proxy";
    let other = |start| {
        let kind = "another kind of server answers there, not an Accumulo proxy";
        format!("the answer begins with `{start}`: {kind}")
    };
    for (bytes, sentence) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], http.to_owned()),
        (b"<!DOCTYPE html>", other("<!DO")),
        (b"SSH-2.0-OpenSSH_9.2\r\n", other("SSH-")),
        (b"220 mail ESMTP\r\n", other("220 ")),
        (b"\x15\x03\x01\x00\x02\x02\x46", tls.to_owned()),
        (b"\x82\x41\x01\x05login", unframed.to_owned()),
        (b"\x80\x01\x00\x02\x00\x00", unframed.to_owned()),
    ] {
        for after in [true, false] {
            let error = saying(bytes, after).await;
            assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
            assert_eq!(error.reason(), sentence, "{error}");
        }
    }
}

#[tokio::test]
async fn closes_a_connection_that_violated_the_protocol() {
    for protocol in PROTOCOLS {
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let server = Raw::start(move |stream| {
            let nth = count.fetch_add(1, Ordering::SeqCst);
            answer_all(stream, move |asked| {
                let shift = i32::from(nth == 0);
                let sequence = asked.sequence - shift;
                two_splits(protocol, &Asked { sequence, ..asked.clone() })
            })
        })
        .await;
        let client = server.client(protocol);
        list_splits(&client).await;
        for _ in 0..3 {
            let splits = client.table_operations().list_splits("t", Some(10)).await;
            assert_eq!(splits.unwrap().len(), 2);
        }
        assert_eq!(connections.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn rejects_an_invalid_address() {
    for address in ["localhost", "", "a:b:c"] {
        let server = Raw::start(until_closed).await;
        let settings = server.settings().address(address);
        let error = list_splits(&ProxyClient::lazy(settings)).await;
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert_eq!(
            error.reason(),
            format!("the address `{address}` is not of the form `host:port`")
        );
    }
}
