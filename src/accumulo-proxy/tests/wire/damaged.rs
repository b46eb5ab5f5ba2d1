//! Damaged replies: a call always ends with a value or an error sentence.
//!
//! The damage is derived from a number, which is in the message of a failure, so that the failure
//! can be reproduced. `FLUO_SOAK` makes the run longer.

use std::sync::{Arc, Mutex};

use accumulo_proxy::{Error, ErrorKind};

use crate::damage::{Dice, damage, soak};
use crate::exchanges::{Exchange, FOLDERS, Folder, bytes, exchanges};
use crate::raw::{Raw, framed};

const ROUNDS: u64 = 4_000;
/// Maximum length of an error sentence: data from the server is truncated.
const SENTENCE_CHARS: usize = 3_000;

/// A call and its recorded reply.
#[derive(Clone)]
struct Sample {
    exchange: Exchange,
    folder: Folder,
    message: Vec<u8>,
}

/// Returns a sample for each exchange with a proxy of Accumulo 2.x, which has no login.
fn samples() -> Vec<Sample> {
    let folders = FOLDERS.into_iter().filter(|folder| folder.is_2x);
    let samples = folders.flat_map(|folder| {
        exchanges().into_iter().map(move |exchange| {
            let recording = folder.recording(exchange.name);
            let reply = recording.lines().find_map(|line| line.strip_prefix("< "));
            Sample { exchange, folder, message: bytes(reply.unwrap()) }
        })
    });
    samples.collect()
}

/// A server that sends the last message that was set.
struct Server {
    message: Arc<Mutex<Vec<u8>>>,
    raw: Raw,
}

impl Server {
    async fn start() -> Self {
        let message = Arc::new(Mutex::new(Vec::new()));
        let sent = Arc::clone(&message);
        let raw = Raw::answering(move |_| framed(&sent.lock().unwrap())).await;
        Self { message, raw }
    }

    /// Makes the call of a sample, which `message` answers, and checks the sentence of an error.
    async fn call(&self, sample: &Sample, message: &[u8], story: &str) -> Result<String, Error> {
        message.clone_into(&mut self.message.lock().unwrap());
        let made = sample.exchange.make(sample.folder, &self.raw.address).await;
        if let Err(error) = &made {
            let sentence = error.to_string();
            assert!(!error.reason().is_empty(), "{story}");
            let chars = sentence.chars().count();
            assert!(chars <= SENTENCE_CHARS, "{story}: {sentence}");
            assert!(!sentence.contains(char::is_control), "{story}: {sentence}");
        }
        made
    }
}

fn story(sample: &Sample, damage: &str) -> String {
    format!("{} {:?} {damage}", sample.exchange.name, sample.folder)
}

#[tokio::test]
async fn rejects_a_truncated_reply() {
    let server = Server::start().await;
    for sample in samples() {
        for end in 0..sample.message.len() {
            let story = story(&sample, &format!("cut at {end}"));
            let made = server.call(&sample, &sample.message[..end], &story).await;
            assert_eq!(made.unwrap_err().kind(), ErrorKind::Protocol, "{story}");
        }
    }
}

#[tokio::test]
async fn rejects_a_reply_with_trailing_bytes() {
    let server = Server::start().await;
    for sample in samples() {
        let story = story(&sample, "with another byte");
        let longer = [&sample.message[..], &[0]].concat();
        let error = server.call(&sample, &longer, &story).await.unwrap_err();
        let expected = match sample.exchange.name {
            "createTable-unexpected" => "the proxy refused the call: Internal error",
            _ => "the reply is damaged: it ends 1 bytes before its frame",
        };
        assert_eq!(error.reason(), expected, "{story}");
    }
}

#[tokio::test]
async fn reads_or_rejects_a_damaged_reply() {
    let (server, samples) = (Server::start().await, samples());
    let (mut read, rounds) = (0_u64, ROUNDS * soak());
    for round in 0..rounds {
        let mut dice = Dice::new(round);
        let sample = &samples[dice.roll(samples.len())];
        let other = &samples[dice.roll(samples.len())].message;
        let mut message = sample.message.clone();
        for _ in 0..=dice.roll(6) {
            damage(&mut message, other, &mut dice);
        }
        let story = story(sample, &format!("round {round}"));
        let made = server.call(sample, &message, &story).await;
        read += u64::from(made.is_ok());
    }
    // Damage inside of strings and numbers cannot be detected; most other damage can.
    assert!(read > 0 && read < rounds / 2, "{read} of {rounds} were read");
}
