//! The cost of a hashed key, for rows of 24 bytes.
//!
//! Run with `cargo bench -p fluo-tests --bench row_hasher`. The throughput that it prints is in
//! rows; the budget of `add_to` with the default scheme is 60 M rows/s on one core.
//!
//! The rows are different page addresses with reversed domains, because the processor would predict
//! every branch for a single row. The baseline makes the same keys in the plain way, as Java's
//! RowHasher does: it converts the whole number to text in base 36, pads it, cuts it to its last
//! four characters, and joins it with the prefix and the row in a new string of bytes.

use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use fluo_keys::{HashScheme, RowHasher};

/// The number of rows: few enough for the second-level cache, and too many for branch prediction.
const ROWS: u32 = 16_384;
const ROW_LEN: usize = 24;

const DOMAINS: [&str; 8] = [
    "org.wikipedia",
    "com.github",
    "org.apache",
    "com.cnn",
    "net.example",
    "de.heise",
    "org.kernel",
    "com.nytimes",
];

/// Returns addresses such as `org.wikipedia/w/8d31a7f2`, each with 24 bytes.
fn rows() -> Vec<Vec<u8>> {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    (0..ROWS)
        .zip(DOMAINS.iter().cycle())
        .map(|(number, domain)| format!("{domain}/{number:x}/{:08x}{:08x}", next(), next()))
        .map(|row| row.into_bytes().into_iter().take(ROW_LEN).collect())
        .collect()
}

/// Makes the key in the way of Java's RowHasher.
fn plain_add(prefix: &str, row: &[u8]) -> Vec<u8> {
    let hash = format!("{:0>4}", to_base_36(plain_murmur3(row) & 0x7fff_ffff));
    let last_four: String = hash.chars().skip(hash.len() - 4).collect();
    let mut key = format!("{prefix}:{last_four}:").into_bytes();
    key.extend_from_slice(row);
    key
}

/// Converts a number in the way of Java's `Integer.toString(number, 36)`.
fn to_base_36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('?'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

/// Computes MurmurHash3 (x86, 32 bits, seed 0), step by step as its description has it.
fn plain_murmur3(row: &[u8]) -> u32 {
    let mut hash = 0_u32;
    for block in row.chunks(4) {
        let word = block.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        let word = word.wrapping_mul(0xcc9e_2d51).rotate_left(15);
        hash ^= word.wrapping_mul(0x1b87_3593);
        if block.len() == 4 {
            hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        }
    }
    hash ^= u32::try_from(row.len()).unwrap_or(u32::MAX);
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

fn bench_plain(group: &mut BenchmarkGroup<'_, WallTime>, rows: &[Vec<u8>]) {
    group.bench_function("plain/add", |bencher| {
        bencher.iter(|| {
            for row in rows {
                black_box(plain_add(black_box("p"), row));
            }
        });
    });
}

fn bench_scheme(group: &mut BenchmarkGroup<'_, WallTime>, hasher: &RowHasher, rows: &[Vec<u8>]) {
    let scheme = hasher.scheme();
    group.bench_function(format!("{scheme}/hash"), |bencher| {
        bencher.iter(|| {
            for row in rows {
                black_box(hasher.hash(row));
            }
        });
    });
    group.bench_function(format!("{scheme}/add"), |bencher| {
        bencher.iter(|| {
            for row in rows {
                black_box(hasher.add(row));
            }
        });
    });
    bench_add_to(group, hasher, rows);
    bench_remove(group, hasher, rows);
}

fn bench_add_to(group: &mut BenchmarkGroup<'_, WallTime>, hasher: &RowHasher, rows: &[Vec<u8>]) {
    let scheme = hasher.scheme();
    group.bench_function(format!("{scheme}/add_to/one key"), |bencher| {
        let mut key = Vec::with_capacity(64);
        bencher.iter(|| {
            for row in rows {
                key.clear();
                hasher.add_to(row, &mut key);
                black_box(key.as_slice());
            }
        });
    });
    group.bench_function(format!("{scheme}/add_to/all keys"), |bencher| {
        let mut keys = Vec::new();
        bencher.iter(|| {
            keys.clear();
            for row in rows {
                hasher.add_to(row, &mut keys);
            }
            black_box(keys.as_slice());
        });
    });
}

fn bench_remove(group: &mut BenchmarkGroup<'_, WallTime>, hasher: &RowHasher, rows: &[Vec<u8>]) {
    let keys: Vec<_> = rows.iter().map(|row| hasher.add(row)).collect();
    group.bench_function(format!("{}/remove", hasher.scheme()), |bencher| {
        bencher.iter(|| {
            for key in &keys {
                black_box(hasher.remove(key).is_ok());
            }
        });
    });
}

/// Checks that both ways make the same keys; otherwise their times cannot be compared.
fn assert_same_keys(hasher: &RowHasher, rows: &[Vec<u8>]) {
    for row in rows {
        assert_eq!(row.len(), ROW_LEN);
        assert_eq!(hasher.add(row), plain_add("p", row));
    }
}

fn main() -> Result<(), fluo_keys::RecipeError> {
    let rows = rows();
    let murmur3 = RowHasher::new("p")?;
    let sha1 = RowHasher::with_scheme("p", HashScheme::Sha1Base32)?;
    assert_same_keys(&murmur3, &rows);

    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("row_hasher");
    group.throughput(Throughput::Elements(ROWS.into()));
    bench_plain(&mut group, &rows);
    bench_scheme(&mut group, &murmur3, &rows);
    bench_scheme(&mut group, &sha1, &rows);
    group.finish();
    criterion.final_summary();
    Ok(())
}
