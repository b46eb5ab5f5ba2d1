//! Keys whose design is recognised, and keys that only look like it.

mod lookalikes;
mod odd_designs;

use fluo_keys::{
    DigestSalt, DigestSide, DomainDirection, HashInput, HashScheme, HashedRows, Modulo, RandomSalt,
    ReverseTime, Reversed, RowAlphabet, RowLength, SaltedPart, WebTable,
};

use super::*;

fn existing(keys: impl Iterator<Item = Vec<u8>>, table: Option<&ExistingTable>) -> Existing {
    let mut builder = ProfileBuilder::new(ProfileOptions::new());
    keys.for_each(|key| builder.push(&key));
    Existing::new(&builder.finish(), table)
}

fn recognised(keys: impl Iterator<Item = Vec<u8>>) -> Option<DesignSettings> {
    let found = existing(keys, None);
    assert!(found.recipes.len() <= 1, "{found:?}");
    assert!(
        found.recipes.is_empty() || found.others.is_none(),
        "{found:?}"
    );
    let recipe = found.recipes.into_iter().next()?;
    assert!(recipe.before.is_empty(), "{recipe:?}");
    Some(recipe.settings)
}

fn keys_of(settings: &DesignSettings, rows: u32) -> impl Iterator<Item = Vec<u8>> {
    let design = KeyDesign::new(settings.clone()).unwrap();
    (0..rows).map(move |row| {
        design
            .encode_row(format!("user{row}").as_bytes())
            .unwrap()
            .to_vec()
    })
}

#[test]
fn recognises_a_design_by_the_salts_of_its_keys() {
    let mut designs: Vec<DesignSettings> = HashScheme::ALL
        .iter()
        .map(|scheme| {
            HashedRows {
                prefix: "p".to_owned(),
                scheme: *scheme,
            }
            .into()
        })
        .collect();
    for (digits, separator) in [(1, "|"), (2, ""), (2, ":"), (4, "_"), (8, "-")] {
        let separator = separator.to_owned();
        let end = if digits == 4 {
            DigestSide::Last
        } else {
            DigestSide::First
        };
        designs.push(
            DigestSalt {
                digits,
                separator,
                end,
                ..DigestSalt::default()
            }
            .into(),
        );
    }
    for settings in designs {
        // All 16 salts of one digit, each of one row, are 64 bits.
        let rows = 200;
        let found = recognised(keys_of(&settings, rows));
        assert_eq!(found, Some(settings));
    }
}

#[test]
fn recognises_a_web_table_and_a_modulus() {
    let number = Modulo {
        of: HashInput::Number,
        buckets: 24,
        separator: "_".to_owned(),
        ..Modulo::default()
    };
    let reversed = WebTable {
        text: DomainDirection::Reversed,
        ..WebTable::default()
    };
    let without_separator = Modulo {
        buckets: 100,
        separator: String::new(),
        ..Modulo::default()
    };
    let wide = Modulo {
        buckets: 256,
        ..Modulo::default()
    };
    let designs: [DesignSettings; 6] = [
        WebTable::default().into(),
        reversed.into(),
        Modulo::default().into(),
        number.into(),
        without_separator.into(),
        wide.into(),
    ];
    for settings in designs {
        let design = KeyDesign::new(settings.clone()).unwrap();
        let row = |id: u32| match &settings {
            DesignSettings::WebTable(_) => format!("www.site{}.com/{id}", id % 100),
            _ => format!("{}", 1_000 + id * 7),
        };
        let keys = (0..2_000).map(|id| design.encode_row(row(id).as_bytes()).unwrap().to_vec());
        assert_eq!(recognised(keys), Some(settings.clone()));
    }
}

#[test]
fn two_digits_and_reversed_hosts_alone_are_not_a_salt() {
    let months = |row: u32| format!("{:02}|event{row}", row % 12 + 1);
    assert_eq!(
        recognised((0..2_000).map(|row| months(row).into_bytes())),
        None
    );
    // After two zeros, and even, as for a number modulo 2.
    let even = |row: u32| format!("{:06}", row * 2);
    assert_eq!(
        recognised((0..2_000).map(|row| even(row).into_bytes())),
        None
    );
    let hosts = |row: u32| format!("{:02x}:com.site{}/{row}", row % 251, row % 100);
    assert_eq!(
        recognised((0..2_000).map(|row| hosts(row).into_bytes())),
        None
    );
}

#[test]
fn recognises_no_design_of_keys_that_only_look_salted() {
    let looks = |row: u32| format!("p:{:04x}:{row}", row.wrapping_mul(40_503) & 0xffff);
    assert_eq!(
        recognised((0..2_000).map(|row| looks(row).into_bytes())),
        None
    );
    let hex = |row: u32| format!("{:08x}", row.wrapping_mul(2_654_435_761));
    assert_eq!(
        recognised((0..2_000).map(|row| hex(row).into_bytes())),
        None
    );
    // Two agreeing keys may be chance.
    let settings = DigestSalt::default().into();
    assert_eq!(recognised(keys_of(&settings, 2)), None);
    assert_eq!(recognised(std::iter::empty()), None);
}

fn of(settings: impl Into<DesignSettings>, rows: u32) -> Vec<Vec<u8>> {
    keys_of(&settings.into(), rows).collect()
}

fn hashed(prefix: &str) -> HashedRows {
    HashedRows {
        prefix: prefix.to_owned(),
        scheme: HashScheme::default(),
    }
}

fn table(splits: Vec<Bytes>) -> ExistingTable {
    ExistingTable {
        servers: 1,
        splits,
        group_pattern: None,
    }
}

fn splits(settings: impl Into<DesignSettings>, tablets: u32) -> Vec<Bytes> {
    KeyDesign::new(settings).unwrap().splits(tablets).unwrap()
}

/// Two row hashers share a table, so neither has nearly all rows. The advice was a third hasher
/// over both.
#[test]
fn recognises_several_hashers_in_one_table() {
    let keys = [
        of(hashed("b"), 500),
        of(hashed("a"), 300),
        vec![b"x".to_vec()],
    ]
    .concat();
    let found = existing(keys.into_iter(), None);
    let recipes: Vec<_> = found
        .recipes
        .iter()
        .map(|recipe| (recipe.label.as_str(), recipe.keys))
        .collect();
    assert_eq!(recipes, [("row-hasher `a`", 300), ("row-hasher `b`", 500)]);
    let others = found.others.unwrap();
    assert_eq!((others.keys, others.first.as_str()), (1, "x"));
}

/// Regression test: a table had the rows of one tenant only, with one salt, which proves no design
/// by itself. The advice was a row hasher over the salted keys.
#[test]
fn recognises_the_salt_of_one_tenant_by_the_split_points() {
    let before = || SaltedPart::Before(":".to_owned());
    let digest = DigestSalt {
        over: before(),
        ..DigestSalt::default()
    };
    let modulo = Modulo {
        buckets: 64,
        over: before(),
        ..Modulo::default()
    };
    let designs = [DesignSettings::from(digest), modulo.into()];
    let rows = |tenant: &'static str| (0..3_000).map(move |row| format!("{tenant}:{row}"));
    for settings in designs {
        let design = KeyDesign::new(settings.clone()).unwrap();
        let keys = |tenant| rows(tenant).map(|row| design.encode_row(row.as_bytes()).unwrap());
        let keys = || keys("acme").map(|key| key.to_vec());
        let table = table(design.splits(16).unwrap());
        let found = existing(keys(), Some(&table));
        let found: Vec<_> = found.recipes.iter().map(|found| &found.settings).collect();
        assert_eq!(found, [&settings]);
        assert!(existing(keys(), None).is_none(), "one salt is no proof");
        // Tablets grew and were split at a row, the first and the last one too.
        let mut grown = table.clone();
        grown
            .splits
            .extend(["00acme:15".into(), "zz".repeat(3).into()]);
        grown.splits.sort();
        let found = existing(keys(), Some(&grown));
        assert_eq!(found.recipes.len(), 1, "{settings:?}");
        let plain = existing(rows("acme").map(String::into_bytes), Some(&table));
        assert!(plain.is_none(), "{:?}", plain.recipes);
    }
}

/// Regression test: only the front of a table was sampled, where all keys have the salt `00`, and
/// the advice was a row hasher over the salted keys. Each row hashes to `00`, which is no chance.
#[test]
fn recognises_a_salt_at_the_front_of_a_table() {
    let settings = DigestSalt::default().into();
    let front = keys_of(&settings, 20_000).filter(|key| key.starts_with(b"00"));
    assert_eq!(recognised(front), Some(settings));
}

/// The order of the groups is part of the balancer's property, so another order is a change for a
/// plan.
#[test]
fn sorts_recipes_by_the_groups_of_the_balancer() {
    let both = [splits(hashed("a"), 4), splits(hashed("b"), 2)].concat();
    let with = |pattern: &str| ExistingTable {
        group_pattern: Some(pattern.to_owned()),
        ..table(both.clone())
    };
    let found = existing(
        of(hashed("a"), 9).into_iter(),
        Some(&with(r"(\Qb:\E|\Qa:\E).*")),
    );
    let labels: Vec<_> = found.recipes.iter().map(|recipe| &recipe.label).collect();
    assert_eq!(labels, ["row-hasher `b`", "row-hasher `a`"]);
    assert_eq!(found.unknown_groups, None);
    let more = with(r"(\Qb:\E|queue:[0-9]|\Qa:\E).*");
    let found = existing(of(hashed("a"), 9).into_iter(), Some(&more));
    assert_eq!(found.unknown_groups.as_deref(), Some("queue:[0-9]"));
}

/// Rows of a table during a migration from one design to another.
#[test]
fn joins_successive_designs_into_one_recipe() {
    let salt = |digits, separator: &str| DigestSalt {
        digits,
        separator: separator.to_owned(),
        ..DigestSalt::default()
    };
    for (old, new) in [
        (
            DesignSettings::from(salt(1, "|")),
            DesignSettings::from(salt(2, ":")),
        ),
        (Modulo::default().into(), salt(4, "_").into()),
    ] {
        let table = table(splits(new.clone(), 16));
        for moved in [40, 900] {
            let keys = [of(old.clone(), 900), of(new.clone(), moved)].concat();
            let found = existing(keys.into_iter(), Some(&table));
            assert_eq!(found.recipes.len(), 1, "{found:?}");
            let recipe = &found.recipes[0];
            assert_eq!(
                (&recipe.settings, &recipe.before),
                (&new, &vec![old.clone()])
            );
            assert_eq!(
                (recipe.keys, recipe.in_earlier_designs),
                (900 + u64::from(moved), 900)
            );
            assert!(found.others.is_none() && found.apart.is_empty());
        }
    }
}

/// A table that was made for a hasher and loaded without it: its split points show the hasher.
#[test]
fn recognises_a_hasher_by_its_split_points_alone() {
    let plain = (0..300_u32).map(|row| format!("/usr/share/{row}").into_bytes());
    let sha1 = HashedRows {
        scheme: HashScheme::Sha1Base32,
        ..hashed("p")
    };
    let found = existing(plain, Some(&table(splits(sha1.clone(), 20))));
    assert_eq!(found.recipes[0].settings, sha1.into());
    assert_eq!(
        (found.recipes[0].keys, found.others.unwrap().keys),
        (0, 300)
    );
}

/// Random salts, times and counters have no hash as evidence: their form and the split points show
/// the design.
#[test]
fn recognises_designs_without_a_hash_by_form_and_split_points() {
    let timed = ReverseTime::default();
    let salted = ReverseTime {
        salt: Some(
            DigestSalt {
                separator: ":".to_owned(),
                over: SaltedPart::Entity,
                ..DigestSalt::default()
            }
            .into(),
        ),
        ..ReverseTime::default()
    };
    let counted = Reversed {
        alphabet: Some(RowAlphabet::Digits),
        ..Reversed::new(RowLength::Fixed(8))
    };
    let drawn = RandomSalt::new(16);
    let designs: [(DesignSettings, Vec<Bytes>); 4] = [
        (timed.into(), Vec::new()),
        (salted.clone().into(), splits(salted, 8)),
        (counted.clone().into(), splits(counted, 5)),
        (drawn.clone().into(), splits(drawn, 8)),
    ];
    for (settings, splits) in designs {
        let next = std::sync::atomic::AtomicU64::new(3);
        let draw = move || next.fetch_add(7, std::sync::atomic::Ordering::Relaxed);
        let design = KeyDesign::new(settings.clone())
            .unwrap()
            .with_salt_source(draw);
        let row = |id: u32| match &settings {
            DesignSettings::ReverseTime(_) => {
                format!(
                    "sensor{}|{}",
                    id % 90,
                    1_696_744_051_903_u64 + u64::from(id)
                )
            }
            _ => format!("{id:08}"),
        };
        let keys = (0..1_000).map(|id| design.encode_row(row(id).as_bytes()).unwrap().to_vec());
        let found = existing(keys, Some(&table(splits)));
        assert_eq!(found.recipes.len(), 1, "{settings:?}");
        assert_eq!(found.recipes[0].settings, settings);
    }
}

/// Keys in their own order, in a table that is split like one of reversed counters.
#[test]
fn does_not_recognise_plain_ids_as_reversed() {
    let ids = (0..1_000_u32).map(|id| format!("{:08}", id * 99_991).into_bytes());
    let points = ["2", "4", "6", "8"].map(Bytes::from).to_vec();
    let found = existing(ids, Some(&table(points)));
    assert!(found.is_none(), "{:?}", found.recipes);
}

/// A few hashed keys among others show nothing about the rest.
#[test]
fn ignores_a_design_of_a_few_keys() {
    let plain = (0..900_u32).map(|row| format!("/usr/share/{row}").into_bytes());
    let found = existing(plain.chain(of(hashed("p"), 100)), None);
    assert!(found.is_none());
    assert_eq!(found.apart, [(hashed("p").into(), 100)]);
}

/// A spec contains a design without a prefix alone; hashed rows beside it are reported.
#[test]
fn reports_a_hasher_beside_a_salt_without_a_recipe() {
    let salt = DesignSettings::from(DigestSalt::default());
    let keys = || {
        [of(salt.clone(), 400), of(hashed("p"), 90)]
            .concat()
            .into_iter()
    };
    let found = existing(keys(), None);
    assert_eq!(found.recipes[0].settings, salt);
    assert_eq!((found.recipes.len(), found.recipes[0].keys), (1, 400));
    assert_eq!(found.apart, [(hashed("p").into(), 90)]);
    let found = existing(keys(), Some(&table(splits(hashed("p"), 8))));
    assert_eq!(found.recipes[0].settings, hashed("p").into());
    assert_eq!(found.apart, [(salt.clone(), 400)]);
    assert_eq!(found.others, None);
}
