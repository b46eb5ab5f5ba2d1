//! The split points of the table, in the node that all workers read.
//!
//! ```text
//! gzip of:  number of split points, 4 bytes big-endian
//!           per split point: length, 4 bytes big-endian, then the row
//! ```
//!
//! All workers must divide the table in the same way, so they use the split points in this node and
//! not those of the table. The node is bounded, so it may contain only some of them.

use std::io::{Read, Write};

use bytes::{Buf, BufMut};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use fluo_table::{Bytes, Error, Result};

/// The maximum size of the node, in bytes. While it is larger, every second split point is dropped.
const MAX_BYTES: usize = 1 << 18;
/// The maximum size of the node after decompression, in bytes, to bound the memory of readers.
const MAX_UNPACKED_BYTES: usize = 64 << 20;
/// Java's code for an unknown operating system, in the header.
const UNKNOWN_SYSTEM: u8 = 0xff;

/// Returns the data of the node for split points in their order.
pub(super) fn encode(splits: &[Bytes]) -> Vec<u8> {
    let mut kept: Vec<&Bytes> = splits.iter().collect();
    loop {
        let unpacked = unpacked(&kept);
        let packed = pack(&unpacked);
        if packed.len() <= MAX_BYTES && unpacked.len() <= MAX_UNPACKED_BYTES {
            return packed;
        }
        // A single row that is too large is dropped too.
        let others = kept.len().saturating_sub(1);
        kept = kept.into_iter().step_by(2).take(others).collect();
    }
}

fn unpacked(splits: &[&Bytes]) -> Vec<u8> {
    // Rows are bounded by the table.
    let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
    let mut bytes = Vec::new();
    bytes.put_u32(size(splits.len()));
    for split in splits {
        bytes.put_u32(size(split.len()));
        bytes.put_slice(split);
    }
    bytes
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let builder = GzBuilder::new().operating_system(UNKNOWN_SYSTEM);
    let mut encoder = builder.write(Vec::new(), Compression::default());
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    packed.expect("a vector accepts all bytes")
}

/// Reads the data of the node. The split points are sorted.
pub(super) fn decode(data: &[u8]) -> Result<Vec<Bytes>> {
    let mut bytes = Vec::new();
    let unpacked = GzDecoder::new(data).take(MAX_UNPACKED_BYTES as u64 + 1).read_to_end(&mut bytes);
    unpacked.map_err(|error| {
        Error::corrupt(format!("the split points in ZooKeeper are not valid gzip data: {error}"))
    })?;
    let read = (bytes.len() <= MAX_UNPACKED_BYTES).then(|| read(Bytes::from(bytes))).flatten();
    read.ok_or_else(|| Error::corrupt("the split points in ZooKeeper cannot be read"))
}

fn read(mut bytes: Bytes) -> Option<Vec<Bytes>> {
    let count = read_size(&mut bytes)?;
    let mut splits = Vec::new();
    for _ in 0..count {
        let size = read_size(&mut bytes)?;
        splits.push((size <= bytes.len()).then(|| bytes.split_to(size))?);
    }
    splits.sort();
    splits.dedup();
    bytes.is_empty().then_some(splits)
}

fn read_size(bytes: &mut Bytes) -> Option<usize> {
    usize::try_from(bytes.try_get_i32().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;
    use fluo_table::ErrorKind;
    use proptest::prelude::*;

    use super::*;

    fn rows(rows: &[&'static str]) -> Vec<Bytes> {
        rows.iter().copied().map(Bytes::from).collect()
    }

    /// The bytes are those that Fluo in Java wrote.
    #[test]
    fn reads_and_writes_the_bytes_of_java() {
        for (hex, splits) in [
            ("1f8b08000000000000ff6360606000001cdf442104000000", rows(&[])),
            ("1f8b08000000000000ff636060606400e25c00afeb4d0709000000", rows(&["m"])),
            (
                "1f8b08000000000000ff63606060666060604c04114940823939391900d09b12a215000000",
                rows(&["a", "b", "ccc"]),
            ),
        ] {
            let data = HEXLOWER.decode(hex.as_bytes()).unwrap();
            assert_eq!(decode(&data).unwrap(), splits);
            let mut other_system = data.clone();
            other_system[9] = 3;
            assert_eq!(decode(&other_system).unwrap(), splits);
            let encoded = encode(&splits);
            assert_eq!(encoded[..10], data[..10], "the header");
            assert_eq!(decode(&encoded).unwrap(), splits);
        }
    }

    #[test]
    fn drops_every_second_split_point_until_the_node_is_small_enough() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut splits: Vec<Bytes> = (0..40_000)
            .map(|_| Bytes::from((0..20).map(|_| random.u8(..)).collect::<Vec<_>>()))
            .collect();
        splits.sort();
        let data = encode(&splits);
        assert!(data.len() <= MAX_BYTES);
        let expected: Vec<Bytes> = splits.into_iter().step_by(4).collect();
        assert_eq!(decode(&data).unwrap(), expected);
    }

    #[test]
    fn drops_a_row_that_is_too_large() {
        let mut random = fastrand::Rng::with_seed(7);
        let large: Vec<u8> = (0..2 * MAX_BYTES).map(|_| random.u8(..)).collect();
        let data = encode(&[large.into()]);
        assert_eq!(decode(&data).unwrap(), rows(&[]));
    }

    #[test]
    fn rejects_damaged_data() {
        let data = encode(&rows(&["a", "b", "ccc"]));
        let kind = |data: &[u8]| decode(data).unwrap_err().kind();
        assert_eq!(kind(b""), ErrorKind::Corrupt);
        assert_eq!(kind(b"a,b"), ErrorKind::Corrupt);
        for end in 0..data.len() {
            assert_eq!(kind(&data[..end]), ErrorKind::Corrupt, "{end}");
        }
        for bytes in [
            &[0, 0, 0][..],
            &[0, 0, 0, 1],
            &[0xff, 0xff, 0xff, 0xff],
            &[0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff],
            &[0, 0, 0, 1, 0, 0, 0, 2, b'a'],
            &[0, 0, 0, 1, 0, 0, 0, 1, b'a', b'b'],
            &[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0],
        ] {
            assert_eq!(kind(&pack(bytes)), ErrorKind::Corrupt, "{bytes:?}");
        }
    }

    #[test]
    fn rejects_data_that_would_fill_the_memory() {
        let too_large = vec![0; MAX_UNPACKED_BYTES + 1];
        let packed = pack(&too_large);
        assert!(packed.len() < MAX_BYTES);
        assert_eq!(decode(&packed).unwrap_err().kind(), ErrorKind::Corrupt);
    }

    proptest! {
        #[test]
        fn decodes_what_it_encodes(splits in proptest::collection::btree_set(any::<Vec<u8>>(), 0..20)) {
            let splits: Vec<Bytes> = splits.into_iter().map(Bytes::from).collect();
            prop_assert_eq!(decode(&encode(&splits)).unwrap(), splits);
        }

        #[test]
        fn decodes_or_rejects_any_data(bytes in any::<Vec<u8>>()) {
            let _ = decode(&bytes);
            if let Ok(splits) = decode(&pack(&bytes)) {
                prop_assert!(splits.is_sorted());
            }
        }
    }
}
