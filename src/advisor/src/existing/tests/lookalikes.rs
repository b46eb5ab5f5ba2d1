//! Keys that look salted or hashed, but belong to no design.

use super::*;

/// Returns a number that looks random.
pub(super) fn random(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn base32(mut number: u64) -> String {
    let mut text = String::new();
    for _ in 0..12 {
        text.push(char::from(
            b"0123456789abcdefghjkmnpqrstvwxyz"[(number % 32) as usize],
        ));
        number /= 32;
    }
    text
}

type Line = fn(u64) -> String;

const LOOKALIKES: [(&str, Line); 18] = [
    ("uuid", |n| {
        let (a, b) = (random(n), random(n + 1_000_000));
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            a >> 32,
            a & 0xffff,
            b & 0xfff,
            (b >> 12) & 0xfff,
            b >> 16
        )
    }),
    ("hexadecimal", |n| {
        format!("{:016x}{:016x}", random(n), random(n ^ 77))
    }),
    ("base32", |n| base32(random(n))),
    ("milliseconds", |n| {
        format!("{}", 1_696_744_051_903 + n * 1_733)
    }),
    ("time of day", |n| {
        format!("{:02}:{:02}:{:02}|{n}", n % 24, n * 7 % 60, n * 13 % 60)
    }),
    ("date", |n| {
        format!("20231{:03}{:02}-{n}", n / 24 % 365, n % 24)
    }),
    ("month", |n| {
        format!("{:02}-{:02}/{n}", n % 12 + 1, n % 28 + 1)
    }),
    ("phone", |n| {
        format!("0{}", 1_500_000_000 + random(n) % 99_999_999)
    }),
    ("mac", |n| {
        let bytes = random(n).to_be_bytes();
        let digits: Vec<_> = bytes[..6]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        digits.join(":")
    }),
    ("ip", |n| {
        let [a, b, c, d, ..] = random(n).to_be_bytes();
        format!("{a}.{b}.{c}.{d}")
    }),
    ("ip with zeros", |n| {
        let [_, b, c, d, ..] = random(n).to_be_bytes();
        format!("010.{b:03}.{c:03}.{d:03}")
    }),
    ("words", |n| {
        let words = [
            "abacus", "badge", "cafe", "dead", "decade", "face", "fad", "bead", "zoo", "ether",
        ];
        let word = |n: u64| words[(n % 10) as usize];
        format!("{}{}{}", word(random(n)), word(random(n) >> 20), n % 50)
    }),
    // Salts of a hash that no design uses.
    ("unknown salt", |n| {
        format!("{:02x}--user{n}", random(n * 31) & 0xff)
    }),
    ("unknown salt of a tenant", |n| {
        format!("{:02x}:tenant{}:{n}", random(n % 90) & 0xff, n % 90)
    }),
    ("unknown digit", |n| format!("{:x}{n}", random(n) & 0xf)),
    ("unknown bucket", |n| {
        format!("{:02}|user{n}", random(n) % 20)
    }),
    ("unknown hash", |n| {
        format!("p:{:04x}:{n}", random(n) & 0xffff)
    }),
    ("even", |n| format!("{:08}", n * 2)),
];

/// One in 16 keys with an unknown salt agrees with a salt of one digit by chance, which must not
/// suffice.
#[test]
fn recognises_no_design_of_lookalikes() {
    for (name, line) in LOOKALIKES {
        for keys in [300, 3_000] {
            let found = existing((0..keys).map(|n| line(n).into_bytes()), None);
            assert!(found.is_none(), "{name}: {:?}", found.recipes);
            assert!(found.apart.is_empty(), "{name}: {:?}", found.apart);
        }
    }
}

/// Split points at which a salted table would be split make no design of plain keys.
#[test]
fn recognises_no_design_of_lookalikes_by_split_points() {
    let designs: [DesignSettings; 3] = [
        DigestSalt::default().into(),
        Modulo {
            buckets: 64,
            ..Modulo::default()
        }
        .into(),
        Modulo {
            buckets: 100,
            ..Modulo::default()
        }
        .into(),
    ];
    for settings in designs {
        let table = table(splits(settings.clone(), 16));
        for (name, line) in LOOKALIKES {
            let found = existing((0..300).map(|n| line(n).into_bytes()), Some(&table));
            assert!(found.is_none(), "{name}: {:?}", found.recipes);
        }
    }
}

/// Plain keys whose first field looks like one salt on all of them agree with a design by chance in
/// at most one of 8 tables.
#[test]
fn one_unknown_salt_is_seldom_taken_for_a_design() {
    let modulo = Modulo {
        buckets: 64,
        ..Modulo::default()
    };
    let hexadecimal = |salt: u64, n: u64| format!("{salt:02x}:acme:{n}");
    let decimal = |salt: u64, n: u64| format!("{salt:02}|acme:{n}");
    type Key = fn(u64, u64) -> String;
    let tables: [(DesignSettings, u64, Key); 2] = [
        (DigestSalt::default().into(), 256, hexadecimal),
        (modulo.into(), 64, decimal),
    ];
    for (settings, salts, key) in tables {
        let table = table(splits(settings.clone(), 16));
        let is_taken = |salt: &u64| {
            let keys = (0..40).map(|n| key(*salt, n).into_bytes());
            !existing(keys, Some(&table)).is_none()
        };
        let taken = (0..salts).filter(is_taken).count();
        assert!(
            taken * 8 <= usize::try_from(salts).unwrap(),
            "{settings:?}: {taken}"
        );
    }
}

/// The same for many tables.
#[test]
fn recognises_no_design_of_unknown_salts() {
    for table in 0..6 {
        let salt = |n: u64| random(n * 41 + table) & 0xff;
        let keys = (0..300).map(|n| format!("{:02x}--user{n}", salt(n)).into_bytes());
        let found = existing(keys, None);
        assert!(found.is_none(), "{table}: {:?}", found.recipes);
        assert!(found.apart.is_empty(), "{table}: {:?}", found.apart);
    }
}

/// Random bytes and unknown salts look salted; words, times, addresses and counters do not.
#[test]
fn recognises_keys_that_spread_by_themselves() {
    let looks = |line: Line| {
        let found = existing((0..3_000).map(|n| line(n).into_bytes()), None);
        found.look.map(|look| look.to_string())
    };
    for (name, line) in LOOKALIKES {
        let expected = match name {
            "uuid" | "hexadecimal" => {
                Some("the first 8 characters, hexadecimal digits, are spread evenly")
            }
            "base32" => Some("the first 8 characters, base32 digits, are spread evenly"),
            "unknown salt" | "mac" => {
                Some("the first 2 characters, hexadecimal digits, are spread evenly")
            }
            "unknown bucket" => {
                Some("the first 2 characters, numbers from 0 to 19, are spread evenly")
            }
            _ => None,
        };
        assert_eq!(looks(line).as_deref(), expected, "{name}");
    }
}
