//! Keys on which a popular design fails. The advisor must name the fault of each, and recommend a
//! design without one.

#![cfg(test)]

use fluo_advisor::{
    AdviceOptions, AdvisedLayout, AdvisorReport, Arrivals, Candidate, Decision, Direction, Fault,
    KeyProfile, ProfileBuilder, RankedDesign, Read, Suitability, advise,
};
use fluo_keys::{HashScheme, HashedRows, ReverseTime, ScanCost, Unsalted};
use rstest::rstest;

type Line = fn(u64) -> String;

fn profile_of(keys: impl IntoIterator<Item = String>, arrivals: Arrivals) -> KeyProfile {
    let mut builder = ProfileBuilder::new(arrivals);
    keys.into_iter().for_each(|key| builder.push(key.as_bytes()));
    builder.finish()
}

fn profile(keys: impl IntoIterator<Item = String>) -> KeyProfile {
    profile_of(keys, Arrivals::AsWritten)
}

/// Returns keys in an order that is neither ascending nor random: each is a fixed step after the
/// previous one, around a circle.
fn shuffled(count: u64, line: Line) -> KeyProfile {
    profile((0..count).map(|place| line(place * 48_271 % count)))
}

fn in_order(count: u64, line: Line) -> KeyProfile {
    profile((0..count).map(line))
}

fn servers(servers: u32) -> AdviceOptions {
    AdviceOptions::new().servers(servers)
}

fn advised(profile: KeyProfile, options: &AdviceOptions) -> AdvisorReport {
    advise(profile, options).unwrap()
}

#[track_caller]
fn design<'a>(report: &'a AdvisorReport, label: &str) -> &'a RankedDesign {
    let mut designs = report.designs.iter();
    let found = designs.find(|design| design.label() == label);
    found.unwrap_or_else(|| panic!("{label} was not tried"))
}

#[track_caller]
fn has(report: &AdvisorReport, label: &str, is_fault: impl Fn(&Fault) -> bool) {
    let faults = &design(report, label).faults;
    assert!(faults.iter().any(is_fault), "{label}: {faults:?}");
}

/// Returns the labels of the advised designs.
fn labels(report: &AdvisorReport) -> Vec<&str> {
    report.advised().iter().map(RankedDesign::label).collect()
}

const ID: Line = |id| format!("{id:012}");
const RANDOM: Line = |id| {
    let mixed = (id + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    format!("{:016x}", mixed ^ (mixed >> 31))
};
const HOST: Line = |id| format!("https://h{:04}.example/p{id:06}", id / 30);
const READING: Line = |id| format!("sensor{}|{}", id % 500, 1_696_744_051_903_u64 + id);
/// The ids of which the sum of the digits is a multiple of ten. 31 is 1 modulo 10, so Java's hash
/// of digits modulo 10 is the sum of the digits plus a constant.
const CHECKED: Line = |id| {
    let digits = format!("{id:05}");
    let sum: u32 = digits.bytes().map(|digit| u32::from(digit - b'0')).sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
};
const ONE_TENANT: Line = |id| format!("tenant-a|{id:08}");
const HALF_ACME: Line = |id| match id % 2 {
    0 => format!("acme|{id:08}"),
    _ => format!("tenant{}|{id:08}", id % 999),
};
const PAGE: Line = |page| match page % 3 {
    0 => format!("https://site{}.example/{page}", page % 5_000),
    _ => format!("https://shop{}.acme.com/{page}", page % 7),
};
const PLAIN_PAGE: Line = |page| match page % 3 {
    0 => format!("site{}.org/{page}", page % 5_000),
    _ => format!("shop{}.acme.com/{page}", page % 2),
};

/// The keys, the options, the recommended design, and the fault of a popular one.
#[rstest]
#[case::ids_of_one_digit_sum(
    shuffled(100_000, CHECKED), servers(4), "unsalted", "modulo 10",
    |fault: &Fault| matches!(fault, Fault::FewSalts { used: 1, is_of_a_part: false })
)]
#[case::ascending_ids(
    in_order(100_000, ID), servers(4), "row-hasher", "unsalted",
    |fault: &Fault| matches!(fault, Fault::NewestTogether { share } if *share == 1.0)
)]
#[case::ids_in_an_unknown_order(
    profile_of((0..100_000).map(|id| format!("{id:05}")), Arrivals::Unordered), servers(2), "row-hasher", "unsalted",
    |fault: &Fault| *fault == Fault::UnknownPlace
)]
#[case::keys_that_differ_beyond_the_salted_part(
    shuffled(50_000, ONE_TENANT), servers(4), "unsalted", "digest-salt of what is before `|`",
    |fault: &Fault| matches!(fault, Fault::FewSalts { used: 1, is_of_a_part: true })
)]
#[case::a_field_of_half_of_the_keys(
    shuffled(60_000, HALF_ACME), servers(4), "unsalted", "digest-salt of what is before `|`",
    |fault: &Fault| matches!(fault, Fault::HeavyPart { part: Some(part), .. } if part == "acme")
)]
#[case::a_domain_of_two_thirds_of_the_pages(
    shuffled(60_000, PAGE), servers(4), "unsalted", "web-table",
    |fault: &Fault| matches!(fault, Fault::HeavyPart { part: Some(part), share }
        if part == "acme.com" && (0.66..0.67).contains(share))
)]
#[case::pages_without_a_scheme(
    shuffled(60_000, PLAIN_PAGE), servers(4), "unsalted", "web-table",
    |fault: &Fault| matches!(fault, Fault::HeavyPart { part: Some(part), .. } if part == "acme.com")
)]
#[case::salts_that_do_not_divide_evenly(
    in_order(100_000, ID), AdviceOptions::new().tablets(200), "row-hasher", "digest-salt, 2 digits",
    |fault: &Fault| matches!(fault, Fault::UnevenSalts { over_mean } if (1.55..1.57).contains(over_mean))
)]
#[case::random_salts_of_rows_that_are_read_one_by_one(
    in_order(30_000, READING), servers(4), "unsalted", "random-salt 16",
    |fault: &Fault| *fault == Fault::RowInPieces { pieces: 16 }
)]
#[case::random_keys(
    in_order(100_000, RANDOM), servers(4).reads([Read::Range]), "unsalted", "row-hasher",
    |fault: &Fault| matches!(fault, Fault::UnsupportedRead { read: Read::Range, cost: Some(_) })
)]
#[case::ascending_ids_that_are_scanned(
    in_order(100_000, ID), servers(4).reads([Read::Range]), "modulo 16", "row-hasher",
    |fault: &Fault| matches!(fault, Fault::UnsupportedRead { read: Read::Range, .. })
)]
#[case::fields_that_are_read(
    in_order(60_000, |id| format!("t{:04}|{id:08}", id / 60)), servers(4).reads([Read::Field]),
    "digest-salt of what is before `|`", "row-hasher",
    |fault: &Fault| matches!(fault, Fault::UnsupportedRead { read: Read::Field, .. })
)]
#[case::hosts_that_are_read(
    in_order(60_000, HOST), servers(4).reads([Read::Field]), "web-table", "row-hasher",
    |fault: &Fault| matches!(fault, Fault::UnsupportedRead { read: Read::Field, .. })
)]
#[case::domains_that_are_read(
    in_order(20_000, HOST), servers(4).reads([Read::Domain]), "web-table", "digest-salt, 2 digits",
    |fault: &Fault| matches!(fault, Fault::UnsupportedRead { read: Read::Domain, cost: Some(_) })
)]
#[case::prefixes_of_pages(
    in_order(20_000, HOST), servers(4).reads([Read::Prefix]), "modulo 16", "web-table",
    |fault: &Fault| matches!(fault, Fault::UnsupportedRead { cost: Some(ScanCost::Limited { only, .. }), .. }
        if only.contains("the whole host"))
)]
#[case::ranges_of_times(
    in_order(20_000, READING), servers(4).reads([Read::Prefix, Read::Range]), "unsalted",
    "reverse-time, salted by entity",
    |fault: &Fault| matches!(fault, Fault::UnsupportedRead { cost: Some(ScanCost::Limited { .. }), .. })
)]
// Keys that arrive in sorted runs, such as nightly imports, were to be left as they are, because
// the newest twentieth of them was several runs. Each run goes to one tablet after the other.
#[case::sorted_runs(
    profile((0..40).flat_map(|run| (0..2_000).map(move |key| format!("{:06}-{run}", key * 37)))),
    servers(4), "row-hasher", "unsalted",
    |fault: &Fault| matches!(fault, Fault::RunsTogether { tablets } if *tablets < 9.0)
)]
#[case::a_hot_row(
    in_order(60_000, |id| match id % 2 {
        0 => "counter".to_owned(),
        _ => format!("user{id:08}"),
    }),
    servers(4), "digest-salt, 4 digits", "row-hasher",
    |fault: &Fault| matches!(fault, Fault::HeavyPart { part: None, share } if *share == 0.5)
)]
fn names_the_fault_of_a_popular_design(
    #[case] profile: KeyProfile,
    #[case] options: AdviceOptions,
    #[case] recommended: &str,
    #[case] popular: &str,
    #[case] is_fault: fn(&Fault) -> bool,
) {
    let report = advised(profile, &options);
    assert_eq!(labels(&report), [recommended]);
    has(&report, popular, is_fault);
    assert!(design(&report, popular).suitability > Suitability::TooFewTablets);
}

#[test]
fn the_best_design_is_the_first_of_the_table() {
    let report = advised(in_order(30_000, |id| format!("{id:08}")), &servers(4));
    assert!(report.designs.is_sorted_by_key(|design| design.suitability));
    assert_eq!(report.decision, Decision::NewDesign);
    assert_eq!(report.designs[0].suitability, Suitability::Recommended);
    let spec = &report.spec.as_ref().unwrap().key_design[0];
    assert_eq!(spec.layout, AdvisedLayout::Tablets(16));
    // Reversed ids need no salt.
    assert_eq!(design(&report, "reversed").faults, []);
}

/// Half of the keys are one row. `modulo 10`, whose fullest tablet has 5.5 times the mean of 10
/// tablets, was preferred to 8.5 times the mean of 16 tablets, although its servers share the rest
/// of the keys less evenly.
#[test]
fn the_least_bad_design_has_the_least_full_server() {
    let keys = in_order(60_000, |id| match id % 2 {
        0 => "counter".to_owned(),
        _ => format!("user{id:08}"),
    });
    let hashed = HashedRows { prefix: "q".to_owned(), scheme: HashScheme::default() };
    let few = Candidate::new("three tablets", hashed, 3);
    let report = advised(keys, &servers(4).also([few]));
    assert_eq!(report.decision, Decision::LeastBad);
    let best = &report.designs[0];
    assert_eq!(best.load.as_ref().unwrap().tablets(), 16);
    let fullest = |design: &RankedDesign| design.load.as_ref().unwrap().keys.iter().copied().max();
    for worse in ["modulo 10", "three tablets"] {
        assert!(fullest(best) < fullest(design(&report, worse)), "{worse}");
    }
}

/// Both take part in the search for the least bad design, by the load of the fullest server.
#[test]
fn hot_ends_are_ranked_among_uneven_designs() {
    let report = advised(in_order(90_000, CHECKED), &servers(1));
    let found = report.designs.iter().map(|design| (design.label(), design.suitability));
    let rejected: Vec<_> =
        found.filter(|(_, suitability)| *suitability >= Suitability::HotEnd).collect();
    assert_eq!(
        rejected[..2],
        [("modulo 4", Suitability::Uneven), ("unsalted", Suitability::HotEnd)]
    );
}

/// The spec of keys that spread by themselves has split points from the sample.
#[test]
fn random_keys_get_split_points_and_no_salt() {
    for arrivals in [Arrivals::AsWritten, Arrivals::Unordered] {
        let keys = profile_of((0..100_000).map(RANDOM), arrivals);
        let report = advised(keys, &servers(4));
        assert_eq!(report.decision, Decision::NewSplits);
        let AdvisedLayout::SplitPoints(points) = &report.spec.unwrap().key_design[0].layout else {
            panic!("no split points")
        };
        assert!(points.len() == 15 && points.is_sorted());
        // The beginnings of the keys, of 16 bytes, are enough.
        assert!(points.iter().all(|point| point.len() < 8));
    }
}

/// Two rows have a tablet each, and no empty one between them.
#[test]
fn equal_keys_do_not_get_split_points_of_their_own() {
    let row = |number| if number % 2 == 0 { "alpha" } else { "beta" }.to_owned();
    let report = advised(in_order(10_000, row), &servers(5));
    let load = design(&report, "unsalted").load.as_ref().unwrap();
    let rows = load.keys.iter().filter(|keys| **keys > 0).count();
    assert_eq!((rows, load.tablets()), (2, 3));
}

/// Equal keys are one row, which no salt spreads. A random salt makes several rows of it, which
/// only helps a reader who scans the table.
#[test]
fn a_random_salt_for_one_row_is_for_scans_only() {
    let keys = || in_order(20_000, |_| "same-key-again".to_owned());
    let report = advised(keys(), &servers(2));
    assert_eq!(report.decision, Decision::LeastBad);
    assert_eq!(report.profile.distinct.duplicates_at_least(20_000), 19_999);
    let hot = report.profile.hottest_row.as_ref().unwrap();
    assert_eq!((&*hot.field, hot.share), (&b"same-key-again"[..], 1.0));
    assert_ne!(labels(&report), ["random-salt 8"]);

    let scanned = servers(2).reads([Read::Range]).scans_only(true);
    assert_eq!(labels(&advised(keys(), &scanned)), ["random-salt 8"]);
}

#[rstest]
#[case::no_keys(in_order(0, ID), servers(2))]
#[case::no_field(in_order(20_000, ID), servers(2).reads([Read::Field]))]
#[case::no_domain(in_order(2_000, ID), servers(1).reads([Read::Domain]))]
fn advises_no_design_without_keys_or_reads(
    #[case] profile: KeyProfile,
    #[case] options: AdviceOptions,
) {
    let report = advised(profile, &options);
    assert_eq!(report.decision, Decision::NoDesign);
    assert!(report.advised().is_empty() && report.spec.is_none());
}

/// Sixteen interleaved sequences, which spread, got the warning of ascending keys.
#[test]
fn measures_the_direction_of_keys() {
    let direction = |profile: KeyProfile| profile.order.direction;
    for count in [200, 1_000, 50_000] {
        assert_eq!(direction(in_order(count, ID)), Direction::Ascending);
    }
    let rounds: Line = |id| format!("{:06}", id % 400);
    assert_eq!(direction(in_order(50_000, rounds)), Direction::Ascending);
    let down: Line = |id| format!("{:06}", 100_000 - id);
    assert_eq!(direction(in_order(50_000, down)), Direction::Descending);
    assert_eq!(direction(in_order(50_000, RANDOM)), Direction::Random);
    let interleaved: Line = |key| format!("{:x}-{:09}", key % 16, key / 16);
    assert_eq!(direction(in_order(20_000, interleaved)), Direction::Partly);
    let mut displaced: Vec<_> = (0..50_000).map(|key| (key + key * 7_919 % 400, key)).collect();
    displaced.sort_unstable();
    let displaced = displaced.into_iter().map(|(_, key)| ID(key));
    assert_eq!(direction(profile(displaced)), Direction::Ascending);
}

/// 250 keys get about 160 of 256 salts by chance, and a row that is written 60 times counts once:
/// neither is a fault of the hash.
#[test]
fn does_not_blame_a_hash_for_chance_or_repeated_rows() {
    let few = in_order(250, |id| format!("user{id:05}"));
    let report = advised(few, &AdviceOptions::new().tablets(200));
    let faults = &design(&report, "digest-salt, 2 digits").faults;
    assert!(!faults.iter().any(|fault: &Fault| matches!(fault, Fault::FewSalts { .. })));

    let repeated = in_order(60_000, |id| format!("id-{:05}", id / 60));
    let report = advised(repeated, &AdviceOptions::new().tablets(64));
    for label in ["row-hasher", "digest-salt, 2 digits"] {
        let design = design(&report, label);
        assert_eq!(design.faults, [], "{label}");
        assert!(design.load.as_ref().unwrap().largest_over_mean > 1.5);
    }
}

/// Names of files, versions and dotted ids are no hosts, though some end like hosts.
#[rstest]
#[case(|id: u64| format!("report{id}.txt"))]
#[case(|id: u64| format!("module{id}.rs"))]
#[case(|id: u64| format!("{}.{}.{}", id % 7, id % 90, id))]
#[case(|id: u64| format!("word{id}/path"))]
#[case(|id: u64| format!("10.0.{}.{}/x", id / 250, id % 250))]
#[case(|id: u64| match id % 3 { 0 => format!("www.site{id}.com/x"), _ => format!("dir{id}/report.txt") })]
fn does_not_take_dotted_names_for_hosts(#[case] line: Line) {
    let report = advised(in_order(20_000, line), &servers(4));
    assert!(!report.designs.iter().any(|design| design.label() == "web-table"));
}

/// One of 29,599 URLs of a Linux distribution was `http://http://code.google.com/p/ucpp/`, and the
/// design for URLs was "impossible". One odd id removed `reversed` from the list.
#[test]
fn one_rejected_key_does_not_make_a_design_impossible() {
    let pages = |odd: u64| {
        let page = move |page: u64| match page % odd {
            3 => "http://http://code.google.com/p/ucpp/".to_owned(),
            _ => format!("https://h{:04}.example/p{page:06}", page / 4),
        };
        advised(profile((0..20_000).map(page)), &servers(4).reads([Read::Domain]))
    };
    let report = pages(20_000);
    assert_eq!(labels(&report), ["web-table"]);
    let rejected = report.designs[0].rejected.as_ref().unwrap();
    assert_eq!(rejected.keys, 1);
    assert!(rejected.reason.contains("`http://http://code.google.com/p/ucpp/`"));
    // More than one key in a hundred is no mistake.
    let report = pages(90);
    has(&report, "web-table", |fault| matches!(fault, Fault::RejectsKeys { keys: 222 | 223, .. }));

    let odd_id: Line = |id| match id {
        17 => "total".to_owned(),
        id => format!("{id:08}"),
    };
    let report = advised(in_order(30_000, odd_id), &servers(4));
    for label in ["reversed", "modulo 16 of the number"] {
        let design = design(&report, label);
        assert_eq!(design.rejected.as_ref().unwrap().keys, 1);
        assert!(design.load.is_some());
    }
}

#[test]
fn a_design_without_tablets_is_impossible() {
    let options = servers(1).also([Candidate::new("none", Unsalted {}, 0)]);
    let report = advised(in_order(1, ID), &options);
    has(
        &report,
        "none",
        |fault| matches!(fault, Fault::Invalid { reason } if reason == "a table has at least 1 tablet, not 0"),
    );
}

/// Times without a salt have no split points of their own, so they get those of the sample. If
/// there are fewer keys than tablets, each key has one.
#[test]
fn a_design_without_split_points_gets_those_of_the_sample() {
    let timed = ReverseTime { separator: "|".to_owned(), ..ReverseTime::default() };
    let options = AdviceOptions::new().tablets(8).also([Candidate::new("timed", timed, 8)]);
    let report = advised(shuffled(30_000, READING), &options);
    let load = design(&report, "timed").load.as_ref().unwrap();
    assert!(load.splits_are_of_the_sample && load.tablets() == 8);

    let few = shuffled(100, |id| format!("{id:03}"));
    let report = advised(few, &AdviceOptions::new().tablets(1_000));
    let unsalted = design(&report, "unsalted").load.as_ref().unwrap();
    assert!(unsalted.tablets() >= 90 && unsalted.keys.iter().all(|keys| *keys <= 6));
    has(&report, "unsalted", |fault| matches!(fault, Fault::TooFewTablets { wanted: 1_000, .. }));
}
