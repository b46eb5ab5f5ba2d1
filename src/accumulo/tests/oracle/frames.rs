//! Connections that send damaged frames, or nothing. Each of them makes a server in Java deaf for
//! all clients, or for as long as it is open.

use fluo_tests::STUCK;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::ground::{Ground, ID, ID_NODE, count};

/// Returns the bytes of a request as servers in Java receive it.
fn request(id: &str, zigzag_count: &[u8]) -> Vec<u8> {
    let length = u8::try_from(id.len()).unwrap();
    let message = [
        b"\x82\x21\x01\x0dgetTimestamps\x18",
        &[length][..],
        id.as_bytes(),
        b"\x15",
        zigzag_count,
        b"\x00",
    ]
    .concat();
    framed(&message)
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap();
    [&length.to_be_bytes(), message].concat()
}

/// Sends bytes and returns the reply, which is empty if the connection is closed.
async fn exchange(address: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut reply = vec![0; 256];
    let read = timeout(STUCK, stream.read(&mut reply)).await.unwrap();
    reply.truncate(read.unwrap_or(0));
    reply
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_the_byte() {
    let ground = Ground::new().await;
    let oracle = ground.leader(&ground.link).await;
    let address = oracle.leads_at().unwrap();
    let is_leader = framed(b"\x82\x21\x01\x08isLeader\x00");
    let yes = framed(b"\x82\x41\x01\x08isLeader\x01\x00\x00");
    assert_eq!(exchange(&address, &is_leader).await, yes);
    let stamps = framed(b"\x82\x41\x01\x0dgetTimestamps\x0c\x00\x16\x04\x16\x00\x00\x00");
    assert_eq!(exchange(&address, &request(ID, b"\x02")).await, stamps);
    let unknown = framed(b"\x82\x21\x01\x03foo\x00");
    let reply = exchange(&address, &unknown).await;
    let expected = framed(b"\x82\x61\x01\x03foo\x18\x1aInvalid method name: 'foo'\x15\x02\x00");
    assert_eq!(reply, expected);
    oracle.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_requests_disturb_no_other_client() {
    let ground = Ground::new().await;
    let oracle = ground.leader(&ground.link).await;
    let address = oracle.leads_at().unwrap();
    let client = ground.oracle_client().await;
    let first = client.timestamps(count(10)).await.unwrap().first;
    let good = request(ID, b"\x02");
    let refused = [
        request("another application", b"\x02"),
        // -5, and the smallest and the largest number.
        request(ID, b"\x09"),
        request(ID, b"\xff\xff\xff\xff\x0f"),
        request(ID, b"\xfe\xff\xff\xff\x0f"),
        good[..30].to_vec(),
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        0_u32.to_be_bytes().to_vec(),
        u32::MAX.to_be_bytes().to_vec(),
        2_049_u32.to_be_bytes().to_vec(),
        framed(&good),
        framed(&[0x82, 0x21, 0x01, 0x0d]),
    ];
    for _ in 0..10 {
        for (number, bytes) in refused.iter().enumerate() {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            stream.write_all(bytes).await.unwrap();
            stream.shutdown().await.unwrap();
            let mut reply = Vec::new();
            let read = timeout(STUCK, stream.read_to_end(&mut reply)).await;
            assert!(read.is_ok() && reply.is_empty(), "{number}: {reply:?}");
        }
    }
    let next = client.timestamps(count(1)).await.unwrap().first;
    assert_eq!(next.get(), first.get() + 10, "nothing was used up or repeated");
    oracle.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_sent_frames_and_idle_connections_block_no_other_client() {
    let ground = Ground::new().await;
    let oracle = ground.leader(&ground.link).await;
    let address = oracle.leads_at().unwrap();
    let client = ground.oracle_client().await;
    let mut open = Vec::new();
    for number in 0..200 {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        if number % 2 == 0 {
            // A frame of 2,000 bytes, of which one arrives.
            stream.write_all(b"\0\0\x07\xd0\x82").await.unwrap();
        }
        open.push(stream);
    }
    let answered = client.timestamps(count(1));
    timeout(STUCK, answered).await.unwrap().unwrap();
    // Connections without a whole request are closed after a while.
    for stream in &mut open {
        let read = timeout(STUCK, stream.read(&mut [0])).await.unwrap();
        assert!(matches!(read, Ok(0) | Err(_)));
    }
    oracle.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_a_request_that_no_oracle_answers() {
    let ground = Ground::new().await;
    let client = ground.oracle_client().await;
    let error = client.timestamps(count(u32::MAX)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "4294967295 timestamps are too many for one request; request at most 16777216"
    );
    ground.client.delete(ID_NODE, None).await.unwrap();
    let error = client.timestamps(count(1)).await.unwrap_err();
    assert_eq!(error.kind(), fluo_table::ErrorKind::NotFound);
}
