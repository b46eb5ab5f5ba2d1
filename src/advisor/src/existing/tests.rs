//! Keys whose design is recognized, and keys that only look like it.

use fluo_keys::{
    DesignSettings, DigestSalt, DigestSide, DomainDirection, HashInput, HashScheme, HashedRows,
    Modulo, RandomSalt, ReverseTime, SaltSettings, SaltedPart, Unsalted, WebPart, WebTable,
};
use rstest::rstest;

use super::*;

/// The home pages of software packages, with their hosts in reverse.
const PAGES: &str = include_str!("../../../../examples/data/package-homepages.txt");

fn existing(keys: impl IntoIterator<Item = Vec<u8>>, table: Option<&ExistingTable>) -> Existing {
    with_named(keys, table, &[])
}

fn with_named(
    keys: impl IntoIterator<Item = Vec<u8>>,
    table: Option<&ExistingTable>,
    named: &[DesignSettings],
) -> Existing {
    let mut builder = ProfileBuilder::default();
    keys.into_iter().for_each(|key| builder.push(&key));
    let named = named.iter().map(|settings| KeyDesign::new(settings.clone()).unwrap());
    Existing::new(&builder.finish(), table, &named.collect::<Vec<_>>())
}

/// Returns the keys of a web table for real pages.
fn keys_of_pages(web: &WebTable, is_taken: fn(&str) -> bool) -> Vec<Vec<u8>> {
    let design = KeyDesign::new(web.clone()).unwrap();
    let key = |line: &str| {
        let (host, rest) = line.split_at(line.find(['/', ':', '?', '#']).unwrap_or(line.len()));
        let host: Vec<_> = host.rsplit('.').collect();
        design.encode_row(format!("{}{rest}", host.join(".")).as_bytes()).unwrap().to_vec()
    };
    PAGES.lines().filter(|line| is_taken(line)).map(key).collect()
}

fn settings(found: &Existing) -> Vec<&DesignSettings> {
    found.designs.iter().map(|design| &design.settings).collect()
}

/// Returns the keys of a design for rows of the given form.
fn keys_of(settings: &DesignSettings, rows: u64, row: fn(u64) -> String) -> Vec<Vec<u8>> {
    let design = KeyDesign::new(settings.clone()).unwrap();
    let key = |number| design.encode_row(row(number).as_bytes()).unwrap().to_vec();
    (0..rows).map(key).collect()
}

fn hashed(prefix: &str) -> DesignSettings {
    hashed_by(prefix, HashScheme::default())
}

fn hashed_by(prefix: &str, scheme: HashScheme) -> DesignSettings {
    let prefix = prefix.to_owned();
    HashedRows { prefix, scheme }.into()
}

fn digest(digits: u8, separator: &str, over: SaltedPart) -> DesignSettings {
    let end = match digits {
        4 => DigestSide::Last,
        _ => DigestSide::First,
    };
    let separator = separator.to_owned();
    DigestSalt { digits, separator, end, over, ..DigestSalt::default() }.into()
}

fn modulo(buckets: u32, separator: &str, of: HashInput) -> DesignSettings {
    let separator = separator.to_owned();
    Modulo { buckets, separator, of, ..Modulo::default() }.into()
}

fn before(end: &str) -> SaltedPart {
    SaltedPart::Before(end.to_owned())
}

fn table(splits: Vec<Bytes>) -> ExistingTable {
    ExistingTable { servers: 1, splits, group_pattern: None }
}

fn splits(settings: &DesignSettings, tablets: u32) -> Vec<Bytes> {
    let design = KeyDesign::new(settings.clone()).unwrap();
    design.splits(tablets).unwrap()
}

const USER: fn(u64) -> String = |row| format!("user{row}");
const PATH: fn(u64) -> String = |row| format!("/usr/share/doc/{}/{row}", row % 97);
const ORDER: fn(u64) -> String = |row| format!("acme{}:order-{row}", row % 180);
const NUMBER: fn(u64) -> String = |row| format!("{}", 1_000_000 + row * 7);
const TENANT: fn(u64) -> String = |row| format!("tenant.{}/orders", row % 900);

#[rstest]
#[case(hashed("p"), USER)]
#[case(hashed_by("p", HashScheme::Sha1Base32), USER)]
#[case(digest(1, "|", SaltedPart::Whole), USER)]
#[case(digest(2, "", SaltedPart::Whole), USER)]
#[case(digest(4, "_", SaltedPart::Whole), PATH)]
#[case(digest(8, "--", SaltedPart::Whole), NUMBER)]
#[case(digest(2, "\u{2192}", SaltedPart::Whole), PATH)]
#[case(digest(2, "::", before(":")), ORDER)]
#[case(digest(2, ":", before("/")), TENANT)]
#[case(modulo(10, "|", HashInput::JavaHash), USER)]
#[case(modulo(64, "--", HashInput::JavaHash), PATH)]
#[case(modulo(100, "", HashInput::JavaHash), USER)]
#[case(modulo(256, "_", HashInput::JavaHash), USER)]
#[case(modulo(24, "_", HashInput::Number), NUMBER)]
fn recognizes_a_design_by_the_salts_of_its_keys(
    #[case] design: DesignSettings,
    #[case] row: fn(u64) -> String,
) {
    let found = existing(keys_of(&design, 900, row), None);
    assert_eq!(settings(&found), [&design]);
    assert_eq!((found.others, found.designs[0].keys), (None, 900));
}

/// The advice for a web table was a row hasher over its salts, because 43 % of its pages are of one
/// host, so that it is uneven.
#[rstest]
#[case(WebTable::default())]
#[case(WebTable { digits: 1, ..WebTable::default() })]
#[case(WebTable { digits: 4, text: DomainDirection::Reversed, ..WebTable::default() })]
#[case(WebTable { over: WebPart::Host, ..WebTable::default() })]
#[case(WebTable { over: WebPart::Host, text: DomainDirection::Reversed, ..WebTable::default() })]
fn recognizes_a_web_table_by_the_salts_of_its_keys(#[case] web: WebTable) {
    let keys = || keys_of_pages(&web, |_| true);
    let pages = u64::try_from(keys().len()).unwrap();
    let settings_of_web = web.clone().into();
    let mut table = table(splits(&settings_of_web, 12));
    for table in [None, Some(&table)] {
        let found = existing(keys(), table);
        assert_eq!(settings(&found), [&settings_of_web]);
        assert_eq!((found.others, found.designs[0].keys), (None, pages));
    }
    // A point that cuts a large host.
    table.splits.push("99:com.github/m".into());
    table.splits.sort();
    let found = existing(keys(), Some(&table));
    assert_eq!(found.designs[0].layout, Some(AdvisedLayout::Tablets(12)));
}

/// The pages of one domain have one salt, which proves no design unless the table is split for it,
/// or the caller names the design.
#[test]
fn recognizes_the_web_table_of_one_domain_if_it_is_shown() {
    let web = WebTable::default();
    let keys = || keys_of_pages(&web, |line| line.starts_with("com.github/"));
    let table = table(splits(&web.clone().into(), 16));
    assert!(existing(keys(), None).designs.is_empty());
    for found in [existing(keys(), Some(&table)), with_named(keys(), None, &[web.clone().into()])] {
        assert_eq!(settings(&found), [&web.clone().into()]);
    }
    let other = WebTable { text: DomainDirection::Reversed, ..web.clone() };
    assert!(with_named(keys(), None, &[other.into()]).designs.is_empty());
}

/// Keys of a design that is not recognized by itself were salted again, although the caller named
/// their design.
#[test]
fn recognizes_a_design_that_the_caller_names() {
    let over = SaltSettings::from(DigestSalt {
        digits: 1,
        separator: ":".to_owned(),
        over: SaltedPart::Entity,
        ..DigestSalt::default()
    });
    let times: DesignSettings = ReverseTime { salt: Some(over), ..ReverseTime::default() }.into();
    let first: DesignSettings = DigestSalt {
        separator: ":".to_owned(),
        over: SaltedPart::First(4),
        ..DigestSalt::default()
    }
    .into();
    for (named, row) in [
        (times, (|row| format!("sensor{}|{row}", row % 90)) as fn(u64) -> String),
        (first, |row| format!("{:04}/{row}", row % 300)),
    ] {
        let keys = || keys_of(&named, 900, row);
        let unnamed = existing(keys(), None);
        assert_ne!(settings(&unnamed), [&named]);
        let found = with_named(keys(), None, &[Unsalted {}.into(), hashed("p"), named.clone()]);
        assert_eq!(settings(&found), [&named]);
        assert_eq!((found.others, found.designs[0].keys), (None, 900));
    }
}

/// Drawn salts prove nothing, so the caller has to name their design. At least half of the keys
/// must have its form.
#[test]
fn recognizes_drawn_salts_only_if_the_caller_names_them() {
    let drawn: DesignSettings = RandomSalt::new(16).into();
    let keys = |own: u64| {
        (0..900).map(move |n| match n < own {
            true => format!("{:02}|user{n}", random(n) % 16).into_bytes(),
            false => PATH(n).into_bytes(),
        })
    };
    let named = [drawn.clone()];
    assert!(existing(keys(900), None).designs.is_empty());
    assert_eq!(settings(&with_named(keys(900), None, &named)), [&drawn]);
    assert!(with_named(keys(300), None, &named).designs.is_empty());
}

/// Keys of a modulo have the form of drawn salts too, and the modulo is proved.
#[test]
fn prefers_a_design_that_computes_its_salts() {
    let modulo: DesignSettings = Modulo { buckets: 16, ..Modulo::default() }.into();
    let drawn: DesignSettings = RandomSalt::new(16).into();
    let keys = || keys_of(&modulo, 900, |n| format!("user{n}"));
    for named in [vec![drawn.clone()], vec![drawn.clone(), modulo.clone()]] {
        assert_eq!(settings(&with_named(keys(), None, &named)), [&modulo]);
    }
}

/// Only the front of a table was sampled, where all keys have the salt `00`, and the advice was a
/// row hasher over the salted keys. Each row hashes to `00`, which is no chance.
#[test]
fn recognizes_a_salt_at_the_front_of_a_table() {
    let design = digest(2, "", SaltedPart::Whole);
    let mut front = keys_of(&design, 20_000, USER);
    front.retain(|key| key.starts_with(b"00"));
    assert_eq!(settings(&existing(front, None)), [&design]);
}

/// A table had the rows of one tenant only, with one salt, which proves no design by itself. The
/// advice was a row hasher over the salted keys.
#[rstest]
#[case(digest(2, "", before(":")))]
#[case(Modulo { buckets: 64, over: before(":"), ..Modulo::default() }.into())]
fn recognizes_the_salt_of_one_tenant_by_the_split_points(#[case] design: DesignSettings) {
    let row: fn(u64) -> String = |row| format!("acme:{row}");
    let keys = || keys_of(&design, 3_000, row);
    let mut table = table(splits(&design, 16));
    assert_eq!(settings(&existing(keys(), Some(&table))), [&design]);
    assert!(existing(keys(), None).designs.is_empty(), "one salt is no proof");
    let plain = existing((0..3_000).map(|n| row(n).into_bytes()), Some(&table));
    assert!(plain.designs.is_empty(), "{plain:?}");
    // Tablets grew and were split at a row, the first and the last one too.
    table.splits.extend(["00acme:15".into(), "zz".repeat(3).into()]);
    table.splits.sort();
    let found = existing(keys(), Some(&table));
    assert_eq!(settings(&found), [&design]);
    assert_eq!(found.designs[0].layout, Some(AdvisedLayout::Tablets(16)));
}

/// Two row hashers share a table, so neither has nearly all rows. The advice was a third hasher
/// over both.
#[test]
fn recognizes_several_hashers_in_the_order_of_their_groups() {
    let [a, b] = ["a", "b"].map(hashed);
    let keys = || {
        let plain = vec![b"x".to_vec()];
        [keys_of(&b, 500, USER), keys_of(&a, 300, USER), plain].concat()
    };
    let found = existing(keys(), None);
    assert_eq!(settings(&found), [&a, &b]);
    assert_eq!((found.designs[0].keys, found.designs[1].keys), (300, 500));
    let others = found.others.unwrap();
    assert_eq!((others.keys, others.first.as_str()), (1, "x"));

    // A group is no part of another group.
    for (pattern, order, is_known) in [
        (r"(\Qb:\E|\Qa:\E).*", [&b, &a], true),
        (r"(\Qb:\E|a\Qa:\E|\Qa:\E).*", [&b, &a], false),
        (r"(queue:[0-9]|\Qb:\E|\Qa:\E).*", [&a, &b], false),
    ] {
        let table = ExistingTable {
            group_pattern: Some(pattern.to_owned()),
            ..table([splits(&a, 4), splits(&b, 2)].concat())
        };
        let found = existing(keys(), Some(&table));
        assert_eq!(settings(&found), order, "{pattern}");
        assert_eq!(found.has_other_groups, !is_known, "{pattern}");
    }
}

/// A table that was made for a hasher and loaded without it: its split points show the hasher.
#[test]
fn recognizes_a_hasher_by_its_split_points_alone() {
    let sha1 = hashed_by("p", HashScheme::Sha1Base32);
    let plain = (0..300).map(|row| PATH(row).into_bytes());
    let found = existing(plain, Some(&table(splits(&sha1, 20))));
    assert_eq!(settings(&found), [&sha1]);
    assert_eq!((found.designs[0].keys, found.others.unwrap().keys), (0, 300));
}

/// A few hashed keys among others show nothing about the rest, and half of them are enough.
#[test]
fn a_design_has_at_least_half_of_the_keys() {
    for design in [hashed("p"), digest(2, "--", SaltedPart::Whole)] {
        for (own, is_found) in [(100, false), (550, true), (990, true)] {
            let plain = (own..1_000).map(|row| PATH(row).into_bytes());
            let keys = keys_of(&design, own, USER).into_iter().chain(plain);
            let found = existing(keys, None);
            assert_eq!(!found.designs.is_empty(), is_found, "{design:?} {own}");
            assert!(!is_found || found.others.unwrap().keys == 1_000 - own);
        }
    }
}

/// Returns a number that looks random.
fn random(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Keys that look salted or hashed. One in 16 keys with an unknown salt agrees with a salt of one
/// digit by chance, which must not suffice, nor must split points of a salted table.
#[rstest]
#[case(|n: u64| format!("{:016x}{:016x}", random(n), random(n ^ 77)))]
#[case(|n: u64| format!("{}", 1_696_744_051_903 + n * 1_733))]
#[case(|n: u64| format!("{:02}:{:02}:{:02}|{n}", n % 24, n * 7 % 60, n * 13 % 60))]
#[case(|n: u64| format!("20231{:03}{:02}-{n}", n / 24 % 365, n % 24))]
#[case(|n: u64| format!("{:02}|event{n}", n % 12 + 1))]
#[case(|n: u64| format!("0{}", 1_500_000_000 + random(n) % 99_999_999))]
#[case(|n: u64| format!("{}.{}.{}", random(n) & 0xff, random(n) >> 56, n & 0xff))]
#[case(|n: u64| format!("{:02x}--user{n}", random(n * 31) & 0xff))]
#[case(|n: u64| format!("{:02x}:tenant{}:{n}", random(n % 90) & 0xff, n % 90))]
#[case(|n: u64| format!("{:02x}:com.site{}/{n}", n % 251, n % 100))]
#[case(|n: u64| format!("{:x}{n}", random(n) & 0xf))]
#[case(|n: u64| format!("{:02}|user{n}", random(n) % 20))]
#[case(|n: u64| format!("p:{:04x}:{n}", random(n) & 0xffff))]
#[case(|n: u64| format!("{:08}", n * 2))]
#[case(|n: u64| format!("{:012}", n * 777))]
fn recognizes_no_design_of_lookalikes(#[case] line: fn(u64) -> String) {
    let salts = [
        digest(2, "", SaltedPart::Whole),
        modulo(64, "|", HashInput::JavaHash),
        modulo(100, "|", HashInput::JavaHash),
    ];
    let tables = salts.clone().map(|design| Some(table(splits(&design, 16))));
    let web = [DesignSettings::from(WebTable::default())];
    for (table, named) in tables.iter().map(|table| (table, &web[..])).chain([(&None, &salts[..])])
    {
        let found = with_named((0..3_000).map(|n| line(n).into_bytes()), table.as_ref(), named);
        assert!(found.designs.is_empty(), "{}: {found:?}", line(1));
    }
}

/// Plain keys whose first field looks like one salt on all of them agree with a design by chance in
/// at most one of 8 tables.
#[rstest]
#[case(digest(2, "", SaltedPart::Whole), 256, |salt: u64, n: u64| format!("{salt:02x}:acme:{n}"))]
#[case(modulo(64, "|", HashInput::JavaHash), 64, |salt: u64, n: u64| format!("{salt:02}|acme:{n}"))]
fn one_unknown_salt_is_seldom_taken_for_a_design(
    #[case] design: DesignSettings,
    #[case] salts: u64,
    #[case] key: fn(u64, u64) -> String,
) {
    let table = table(splits(&design, 16));
    let is_taken = |salt: &u64| {
        let keys = (0..40).map(|n| key(*salt, n).into_bytes());
        !existing(keys, Some(&table)).designs.is_empty()
    };
    let taken = (0..salts).filter(is_taken).count();
    assert!(taken * 8 <= usize::try_from(salts).unwrap(), "{taken}");
}
