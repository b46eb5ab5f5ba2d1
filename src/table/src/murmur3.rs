//! MurmurHash3 in its 32-bit x86 form, seed 0: the hash of every recipe of Fluo.
//!
//! The constants and the order of the steps are those of Austin Appleby's public-domain reference
//! code. Guava's `Hashing.murmur3_32()`, which Fluo calls, gives the same bits; Java reads them as
//! a signed number.

/// Returns the hash of the bytes.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the algorithm mixes in the length modulo 2^32"
)]
pub fn murmur3_32(bytes: &[u8]) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut hash = 0_u32;
    for block in blocks {
        hash ^= scramble(u32::from_le_bytes(*block));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let last = match *tail {
        [a] => u32::from_le_bytes([a, 0, 0, 0]),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]),
        [a, b, c, ..] => u32::from_le_bytes([a, b, c, 0]),
        [] => 0,
    };
    // Scrambling zero gives zero, so a row without a tail needs no branch here.
    hash ^= scramble(last) ^ bytes.len() as u32;
    // Spread every input bit over every output bit.
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

fn scramble(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::murmur3_32;

    /// Hashes as printed by Guava's `murmur3_32().hashBytes(..).asInt()`.
    const GUAVA: [(&[u8], i32); 18] = [
        (b"", 0),
        (b"a", 1_009_084_850),
        (b"ab", -1_681_926_305),
        (b"abc", -1_277_324_294),
        (b"hello", 613_153_351),
        (b"cat", 1_751_422_759),
        (b"dog", -1_312_749_093),
        (b"fish", 326_019_215),
        (b"test1", 374_203_662),
        ("café".as_bytes(), 605_818_632),
        ("日本".as_bytes(), -992_347_838),
        (b"org.wikipedia/accumulo", 1_095_201_108),
        (b"\x00", 1_364_076_727),
        (b"\xff", -43_192_051),
        (b"\x00\x00\x00\x00", 593_689_054),
        (b"\xff\xff\xff\xff", 1_982_413_648),
        (b"\x01\x02\x03\x04\x05\x06\x07\x08\x09", -1_583_812_440),
        // From the reference code itself: tails of three bytes after several blocks.
        (b"The quick brown fox jumps over the lazy dog", 776_992_547),
    ];

    #[test]
    fn equals_guava() {
        for (bytes, hash) in GUAVA {
            assert_eq!(murmur3_32(bytes).cast_signed(), hash, "{bytes:?}");
        }
    }
}
