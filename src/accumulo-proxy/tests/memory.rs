//! The memory that a hostile reply may use: with everything that is decoded from it, never more
//! than eight times `max_reply_bytes`.
//!
//! The test is a separate binary, because the counting allocator counts for the whole process.
//! `FLUO_SOAK` makes the run with damaged replies longer.
#![cfg(test)]

#[path = "wire/damage.rs"]
mod damage;
#[allow(dead_code, reason = "only a part of it is needed here")]
#[path = "wire/raw.rs"]
mod raw;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use accumulo_proxy::{Protocol, ProxyClient, ScanOptions};
use futures::StreamExt;
use futures::future::BoxFuture;
use peak_alloc::PeakAlloc;
use thrift::protocol::{
    TFieldIdentifier, TListIdentifier, TMessageType, TOutputProtocol, TStructIdentifier, TType,
};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::damage::{Dice, damage, soak};
use crate::raw::{Asked, Raw, begin, field, framed, message, reply, structure};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// A lock that allows one measurement at a time.
static MEASURING: Mutex<()> = Mutex::new(());

const PROTOCOLS: [Protocol; 2] = [Protocol::Compact, Protocol::Binary];
/// Allocations of a call apart from the reply: the connection, buffers of the runtime, the error.
const BESIDES_BYTES: usize = 192 * 1024;
const ROUNDS: u64 = 1_500;

/// A call of the client, and the reply that it requests.
#[derive(Clone, Copy)]
struct Exchange {
    name: &'static str,
    call: fn(&ProxyClient) -> BoxFuture<'_, bool>,
    honest: fn(&mut dyn TOutputProtocol) -> thrift::Result<()>,
    /// Depth of the list: 0 is the result itself, 1 a field of it.
    depth: usize,
}

const EXCHANGES: &[Exchange] = &[
    Exchange {
        name: "listSplits",
        call: |client| {
            Box::pin(async { client.table_operations().list_splits("t", Some(9)).await.is_ok() })
        },
        honest: splits,
        depth: 0,
    },
    Exchange {
        name: "nextK",
        call: |client| {
            Box::pin(async {
                let mut scanner = client.scanner("t", ScanOptions::default());
                let batch = scanner.next().await;
                batch.is_some_and(|batch| batch.is_ok())
            })
        },
        honest: entries,
        depth: 1,
    },
];

fn entries(output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
    field(output, TType::Struct, 0, |output| {
        structure(output, |output| {
            field(output, TType::List, 1, |output| {
                output.write_list_begin(&TListIdentifier::new(TType::Struct, 20))?;
                (0..20_u8).try_for_each(|row| structure(output, |output| entry(output, row)))
            })?;
            field(output, TType::Bool, 2, |output| output.write_bool(false))
        })
    })
}

fn entry(output: &mut dyn TOutputProtocol, row: u8) -> thrift::Result<()> {
    field(output, TType::Struct, 1, |output| {
        structure(output, |output| {
            (1..=4).try_for_each(|id| {
                field(output, TType::String, id, |output| output.write_bytes(&[row]))
            })?;
            field(output, TType::I64, 5, |output| output.write_i64(7))
        })
    })?;
    field(output, TType::String, 2, |output| output.write_bytes(b"value"))
}

fn splits(output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
    field(output, TType::List, 0, |output| {
        output.write_list_begin(&TListIdentifier::new(TType::String, 200))?;
        (0..200_u8).try_for_each(|split| output.write_bytes(&[split]))
    })
}

/// The name of the call under test and the frame that answers it. It exists before the measurement
/// starts.
type Prepared = Arc<Mutex<(&'static str, Arc<Vec<u8>>)>>;

struct Bench {
    client: ProxyClient,
    prepared: Prepared,
    most_bytes: usize,
    _server: Raw,
}

impl Bench {
    async fn new(protocol: Protocol, max_reply_bytes: usize) -> Self {
        let prepared = Prepared::default();
        let next = Arc::clone(&prepared);
        let server = Raw::start(move |stream| serve(stream, protocol, Arc::clone(&next))).await;
        let settings = server.settings().protocol(protocol).max_reply_bytes(max_reply_bytes);
        // Each call gets its own connection, so that each has the number 1.
        let settings = settings.idle_timeout(Duration::ZERO);
        Self {
            client: ProxyClient::lazy(settings),
            prepared,
            most_bytes: max_reply_bytes * 8 + BESIDES_BYTES,
            _server: server,
        }
    }

    /// Makes the call that `frame` answers. Returns whether it succeeds and the peak of its
    /// allocated bytes.
    async fn measure(&self, exchange: Exchange, frame: Vec<u8>, story: &str) -> (bool, usize) {
        *self.prepared.lock().unwrap() = (exchange.name, Arc::new(frame));
        let before = ALLOCATED.current_usage();
        ALLOCATED.reset_peak_usage();
        let is_read = (exchange.call)(&self.client).await;
        let peak = ALLOCATED.peak_usage().saturating_sub(before);
        let most = self.most_bytes;
        assert!(peak <= most, "{story}: {peak} bytes, {most} allowed");
        (is_read, peak)
    }
}

/// Sends the prepared frame for the call under test, and valid replies for the other calls.
async fn serve(mut stream: TcpStream, protocol: Protocol, prepared: Prepared) -> io::Result<()> {
    loop {
        let asked = raw::read_request(&mut stream).await?;
        let (name, frame) = prepared.lock().unwrap().clone();
        if asked.name == name {
            // The connection ends here, so the client does not wait for the rest of a false claim.
            return stream.write_all(&frame).await;
        }
        let around = reply(protocol, &asked, |output| match asked.name.as_str() {
            "createScanner" => field(output, TType::String, 0, |output| output.write_string("s")),
            _ => Ok(()),
        });
        stream.write_all(&around).await?;
    }
}

fn asked(exchange: Exchange) -> Asked {
    Asked { name: exchange.name.to_owned(), sequence: 1, message: Vec::new() }
}

/// Returns frames of `bytes` bytes whose field 0 claims to be a container of `claim` elements,
/// followed by zeros.
fn hostile(protocol: Protocol, exchange: Exchange, bytes: usize) -> Vec<(String, Vec<u8>)> {
    let elements = [TType::Bool, TType::I64, TType::String, TType::Struct, TType::Map, TType::Set];
    let mut frames = Vec::new();
    for element in elements {
        for container in [TType::List, TType::Set, TType::Map] {
            for claim in [i32::MAX, full(bytes), full(bytes / 2), full(bytes / 8), full(bytes / 97)]
            {
                let start = message(protocol, exchange.name, TMessageType::Reply, 1, |output| {
                    into_structures(output, exchange.depth)?;
                    let id = i16::from(exchange.depth > 0);
                    output.write_field_begin(&TFieldIdentifier::new("any", container, id))?;
                    begin(output, container, element, claim)
                });
                let mut message = start[4..].to_vec();
                // Zeros are elements that are empty, false, 0, or a structure without fields.
                message.resize(bytes, 0);
                let story = format!(
                    "{} {protocol:?}: {container} of {claim} {element} in {bytes} bytes",
                    exchange.name
                );
                frames.push((story, framed(&message)));
            }
        }
    }
    frames
}

/// Begins the structure of a reply, and `depth` more structures inside of it.
fn into_structures(output: &mut dyn TOutputProtocol, depth: usize) -> thrift::Result<()> {
    output.write_struct_begin(&TStructIdentifier::new("any"))?;
    for _ in 0..depth {
        output.write_field_begin(&TFieldIdentifier::new("any", TType::Struct, 0))?;
        output.write_struct_begin(&TStructIdentifier::new("any"))?;
    }
    Ok(())
}

fn full(bytes: usize) -> i32 {
    i32::try_from(bytes).unwrap() - 64
}

fn run(test: impl Future<Output = ()>) {
    let _one = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(test);
}

#[test]
fn limits_the_memory_for_containers_with_false_sizes() {
    run(async {
        for protocol in PROTOCOLS {
            for max_reply_bytes in [64 * 1024, 1024 * 1024] {
                let bench = Bench::new(protocol, max_reply_bytes).await;
                for exchange in EXCHANGES {
                    for bytes in [200, max_reply_bytes / 16, max_reply_bytes] {
                        for (story, frame) in hostile(protocol, *exchange, bytes) {
                            bench.measure(*exchange, frame, &story).await;
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn allocates_nothing_for_a_length_alone() {
    run(async {
        for protocol in PROTOCOLS {
            let bench = Bench::new(protocol, 64 * 1024 * 1024).await;
            for length in [0, 60_000_000, 67_108_864, 67_108_865, u32::MAX] {
                let mut frame = length.to_be_bytes().to_vec();
                frame.extend([0x82; 10]);
                let (is_read, peak) = bench.measure(EXCHANGES[0], frame, "a length").await;
                assert!(!is_read);
                assert!(peak < BESIDES_BYTES, "{length}: {peak} bytes");
            }
        }
    });
}

#[test]
fn allocates_little_for_a_small_reply() {
    run(async {
        for protocol in PROTOCOLS {
            let bench = Bench::new(protocol, 64 * 1024 * 1024).await;
            for exchange in EXCHANGES {
                for (story, frame) in hostile(protocol, *exchange, 1024) {
                    let (_, peak) = bench.measure(*exchange, frame, &story).await;
                    assert!(peak < 1024 * 600 + BESIDES_BYTES, "{story}: {peak} bytes");
                }
            }
        }
    });
}

#[test]
fn reads_valid_replies() {
    run(async {
        for protocol in PROTOCOLS {
            let bench = Bench::new(protocol, 1024 * 1024).await;
            for exchange in EXCHANGES {
                let frame = reply(protocol, &asked(*exchange), exchange.honest);
                let (is_read, _) = bench.measure(*exchange, frame, exchange.name).await;
                assert!(is_read, "{} {protocol:?}", exchange.name);
            }
        }
    });
}

#[test]
fn limits_the_memory_for_damaged_replies() {
    run(async {
        let rounds = ROUNDS * soak();
        for protocol in PROTOCOLS {
            let bench = Bench::new(protocol, 16 * 1024).await;
            for round in 0..rounds {
                let mut dice = Dice::new(round);
                let exchange = EXCHANGES[dice.roll(EXCHANGES.len())];
                let honest = reply(protocol, &asked(exchange), exchange.honest).split_off(4);
                let mut message = honest.clone();
                for _ in 0..=dice.roll(4) {
                    damage(&mut message, &honest, &mut dice);
                }
                message.truncate(16 * 1024);
                let story = format!("{} {protocol:?} round {round}", exchange.name);
                bench.measure(exchange, framed(&message), &story).await;
            }
        }
    });
}
