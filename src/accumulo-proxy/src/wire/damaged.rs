//! Damaged replies: decoding always ends with a value or an error sentence.
//!
//! The damage is derived from a number, which is in the message of a failure, so that the failure
//! can be reproduced. `FLUO_SOAK` makes the run longer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use thrift::protocol::TMessageType;

use super::codec::{self, DecodeError, LENGTH_BYTES};
use super::interface as wire;
use crate::options::Protocol;

const ROUNDS: u64 = 20_000;
const SEQUENCE: i32 = 7;
const MOST_BYTES: usize = 1 << 20;
/// Maximum length of an error sentence: data from the server is truncated.
const SENTENCE_CHARS: usize = 3_000;

/// A valid reply and its decoder.
struct Sample {
    name: &'static str,
    protocol: Protocol,
    message: Vec<u8>,
    decode: fn(&Sample, &[u8]) -> Result<String, DecodeError>,
}

fn sample<R: wire::WireValue + Debug>(name: &'static str, protocol: Protocol, reply: &R) -> Sample {
    let frame = codec::encode(protocol, name, TMessageType::Reply, SEQUENCE, reply).unwrap();
    Sample {
        name,
        protocol,
        message: frame[LENGTH_BYTES..].to_vec(),
        decode: |sample, message| {
            codec::decode::<R>(sample.protocol, sample.name, SEQUENCE, message, MOST_BYTES)
                .map(|reply| format!("{reply:?}"))
        },
    }
}

fn samples() -> Vec<Sample> {
    [Protocol::Compact, Protocol::Binary]
        .into_iter()
        .flat_map(samples_of)
        .collect()
}

fn samples_of(protocol: Protocol) -> Vec<Sample> {
    vec![
        sample("nextK", protocol, &entries()),
        sample("listIterators", protocol, &scopes()),
        sample("getActiveScans", protocol, &active_scans()),
        sample("getActiveCompactions", protocol, &active_compactions()),
        sample("getLocalityGroups", protocol, &groups()),
        sample("splitRangeByTablets", protocol, &ranges()),
        sample("updateRowsConditionally", protocol, &statuses()),
        sample("getTableProperties", protocol, &properties()),
        sample("listSplits", protocol, &splits()),
        sample("getDiskUsage", protocol, &usage()),
        sample("createTable", protocol, &exception()),
        sample(
            "getMaxRow",
            protocol,
            &wire::GetMaxRowReply::new(None, None, None, None),
        ),
    ]
}

fn key(row: u8) -> wire::Key {
    wire::Key::new(vec![b'r', row], vec![1], vec![2, 3], vec![], -5)
}

fn setting() -> wire::IteratorSetting {
    let options = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
    wire::IteratorSetting::new(10, "vers".to_owned(), "x.Y".to_owned(), options)
}

fn extent() -> wire::KeyExtent {
    wire::KeyExtent::new("2a".to_owned(), vec![200], None)
}

fn entries() -> wire::NextKReply {
    let results = (0..20).map(|row| wire::KeyValue::new(key(row), vec![row; 9]));
    let result = wire::ScanResult::new(results.collect::<Vec<_>>(), true);
    wire::NextKReply::new(result, None, None, None)
}

fn scopes() -> wire::ListIteratorsReply {
    let scopes = BTreeSet::from([wire::IteratorScope::MINC, wire::IteratorScope::SCAN]);
    let named = BTreeMap::from([("a".to_owned(), scopes), ("b".to_owned(), BTreeSet::new())]);
    wire::ListIteratorsReply::new(named, None, None, None)
}

fn active_scans() -> wire::GetActiveScansReply {
    let column = wire::Column::new(vec![1], vec![2], None);
    let scan = wire::ActiveScan::new(
        "client:1".to_owned(),
        "root".to_owned(),
        "t".to_owned(),
        1 << 40,
        3,
        wire::ScanType::BATCH,
        wire::ScanState::QUEUED,
        extent(),
        vec![column; 3],
        vec![setting(); 2],
        vec![b"A".to_vec()],
    );
    wire::GetActiveScansReply::new(vec![scan; 3], None, None)
}

fn active_compactions() -> wire::GetActiveCompactionsReply {
    let compaction = wire::ActiveCompaction::new(
        extent(),
        12,
        vec!["f1".to_owned(), "f2".to_owned()],
        "out".to_owned(),
        wire::CompactionType::FULL,
        wire::CompactionReason::USER,
        None,
        5,
        6,
        vec![setting()],
    );
    wire::GetActiveCompactionsReply::new(vec![compaction; 4], None, None)
}

fn groups() -> wire::GetLocalityGroupsReply {
    // The most expensive valid reply: names of one letter.
    let names = ('a'..='z').chain('A'..='Z');
    let groups = names.map(|name| (name.to_string(), BTreeSet::from([name.to_string()])));
    wire::GetLocalityGroupsReply::new(groups.collect::<BTreeMap<_, _>>(), None, None, None)
}

fn ranges() -> wire::SplitRangeByTabletsReply {
    let range = |row| wire::Range::new(key(row), true, key(row + 1), false);
    let ranges: BTreeSet<_> = (0..9).map(range).collect();
    wire::SplitRangeByTabletsReply::new(ranges, None, None, None)
}

fn statuses() -> wire::UpdateRowsConditionallyReply {
    let statuses = (0..30).map(|row| (vec![row], wire::ConditionalStatus::REJECTED));
    wire::UpdateRowsConditionallyReply::new(statuses.collect::<BTreeMap<_, _>>(), None, None, None)
}

fn properties() -> wire::GetTablePropertiesReply {
    let properties = (0..30).map(|at| (format!("table.custom.{at}"), "é".to_owned()));
    wire::GetTablePropertiesReply::new(properties.collect::<BTreeMap<_, _>>(), None, None, None)
}

fn splits() -> wire::ListSplitsReply {
    let splits: Vec<_> = (0..=255_u8).map(|split| vec![split]).collect();
    wire::ListSplitsReply::new(splits, None, None, None)
}

fn usage() -> wire::GetDiskUsageReply {
    let usage = wire::DiskUsage::new(vec!["a".to_owned(), "b".to_owned()], 77);
    wire::GetDiskUsageReply::new(vec![usage; 2], None, None, None)
}

fn exception() -> wire::CreateTableReply {
    let thrown = wire::Thrown::new("there is one".to_owned());
    wire::CreateTableReply::new(None, None, thrown)
}

/// A pseudo-random number generator: xorshift.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let below = u64::try_from(below.max(1)).unwrap();
        usize::try_from(self.0 % below).unwrap()
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.roll(256)).unwrap()
    }

    /// Returns an index into `bytes`.
    fn place(&mut self, bytes: &[u8]) -> usize {
        self.roll(bytes.len())
    }
}

/// Damages `message`.
fn damage(message: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    if message.is_empty() {
        return;
    }
    let at = dice.place(message);
    match dice.roll(8) {
        0 => message.truncate(at),
        1 => message[at] = dice.byte(),
        2 => message[at] ^= 1 << dice.roll(8),
        3 => message.insert(at, dice.byte()),
        4 => drop(message.remove(at)),
        // The largest number, in either protocol.
        5 => drop(message.splice(at..at, [0xFF, 0xFF, 0xFF, 0xFF, 0x07])),
        6 => {
            let end = (at + 4).min(message.len());
            message[at..end].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF][..end - at]);
        }
        _ => {
            let from = dice.place(other);
            let most = (other.len() - from).min(40);
            let length = dice.roll(most);
            message.splice(at..at, other[from..from + length].iter().copied());
        }
    }
}

/// Returns the factor for the number of rounds. An invalid factor must not make a soak test short.
fn soak() -> u64 {
    match std::env::var("FLUO_SOAK") {
        Err(_) => 1,
        Ok(times) => times
            .parse()
            .unwrap_or_else(|_| panic!("FLUO_SOAK is `{times}`, which is not a number")),
    }
}

fn check(sample: &Sample, message: &[u8], story: &str) -> bool {
    match (sample.decode)(sample, message) {
        Ok(_) => true,
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.is_empty(), "{story}");
            assert!(
                sentence.chars().count() <= SENTENCE_CHARS,
                "{story}: {sentence}"
            );
            assert!(!sentence.contains(char::is_control), "{story}: {sentence}");
            false
        }
    }
}

#[test]
fn reads_complete_replies() {
    for sample in samples() {
        let read = (sample.decode)(&sample, &sample.message);
        assert!(
            read.is_ok(),
            "{} {:?}: {read:?}",
            sample.name,
            sample.protocol
        );
    }
}

#[test]
fn rejects_a_truncated_reply() {
    for sample in samples() {
        for end in 0..sample.message.len() {
            let story = format!("{} {:?} cut at {end}", sample.name, sample.protocol);
            assert!(
                !check(&sample, &sample.message[..end], &story),
                "{story} was read"
            );
        }
    }
}

#[test]
fn rejects_a_reply_with_trailing_bytes() {
    for sample in samples() {
        let longer = [&sample.message[..], &[0]].concat();
        let error = (sample.decode)(&sample, &longer).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the reply is damaged: it ends 1 bytes before its frame"
        );
    }
}

#[test]
fn reads_or_rejects_a_damaged_reply() {
    let samples = samples();
    let mut read = 0_u64;
    let rounds = ROUNDS * soak();
    for round in 0..rounds {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (round + 1));
        dice.roll(1);
        let sample = &samples[dice.roll(samples.len())];
        let other = &samples[dice.roll(samples.len())].message;
        let mut message = sample.message.clone();
        for _ in 0..=dice.roll(6) {
            damage(&mut message, other, &mut dice);
        }
        let story = format!("round {round}: {} {:?}", sample.name, sample.protocol);
        read += u64::from(check(sample, &message, &story));
    }
    // Damage inside of strings and numbers cannot be detected; most other damage can.
    assert!(
        read > 0 && read < rounds / 2,
        "{read} of {rounds} were read"
    );
}
