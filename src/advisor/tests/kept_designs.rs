//! Tables that are hashed, salted or split already: the advice is to keep them.

#![cfg(test)]

use fluo_advisor::{
    AdviceOptions, AdvisedLayout, AdvisorReport, Arrivals, Candidate, Decision, ExistingTable,
    Fault, KeyProfile, ProfileBuilder, RankedDesign, Suitability, advise,
};
use fluo_keys::{
    DesignSettings, DigestSalt, HashScheme, HashedRows, KeyDesign, RowHasher, SaltedPart, Unsalted,
};
use rstest::rstest;

type Line = fn(u64) -> String;

fn profile_of(keys: impl IntoIterator<Item = Vec<u8>>, arrivals: Arrivals) -> KeyProfile {
    let mut builder = ProfileBuilder::new(arrivals);
    keys.into_iter().for_each(|key| builder.push(&key));
    builder.finish()
}

/// Returns the keys of rows in a design.
fn keys_of(design: &KeyDesign, rows: u64, row: Line) -> Vec<Vec<u8>> {
    let key = |number| design.encode_row(row(number).as_bytes()).unwrap().to_vec();
    (0..rows).map(key).collect()
}

fn servers(servers: u32) -> AdviceOptions {
    AdviceOptions::new().servers(servers)
}

fn labels(report: &AdvisorReport) -> Vec<&str> {
    report.advised().iter().map(RankedDesign::label).collect()
}

/// Keys of a table with a design got a second salt, or split points that undid the first one.
#[rstest]
#[case(HashedRows { prefix: "p".to_owned(), scheme: HashScheme::default() }.into(), "row-hasher `p`")]
#[case(DigestSalt { separator: "_".to_owned(), ..DigestSalt::default() }.into(), "digest-salt")]
fn keys_of_a_design_keep_it(#[case] settings: DesignSettings, #[case] label: &str) {
    let design = KeyDesign::new(settings.clone()).unwrap();
    for arrivals in [Arrivals::AsWritten, Arrivals::Unordered] {
        let keys = keys_of(&design, 10_000, |id| format!("user{id:07}"));
        let options = servers(4).also([Candidate::new("plain", Unsalted {}, 16)]);
        let report = advise(profile_of(keys, arrivals), &options).unwrap();
        assert_eq!((report.decision, &report.others), (Decision::HasDesign, &None));
        assert_eq!(labels(&report), [label]);
        assert_eq!(report.designs[0].suitability, Suitability::Recommended);
        assert_eq!(report.existing[0].keys, 10_000);
        let spec = &report.spec.unwrap().key_design[0];
        assert_eq!((&spec.settings, &spec.layout), (&settings, &AdvisedLayout::Tablets(16)));
        // A design of the user is tried on the rows without their salts.
        let [row, key] = report.designs[1].example.as_ref().unwrap();
        assert_eq!((row, row), (key, &"user0000000".to_owned()));
    }
}

/// Returns the keys of a digest salt over the text before `:`, and a table for them.
fn salted(tablets: u32, servers: u32, rows: u64, row: Line) -> (KeyProfile, ExistingTable) {
    let over = SaltedPart::Before(":".to_owned());
    let design = DigestSalt { over, ..DigestSalt::default() };
    let design = KeyDesign::new(design).unwrap();
    let keys = keys_of(&design, rows, row);
    let table =
        ExistingTable { servers, splits: design.splits(tablets).unwrap(), group_pattern: None };
    (profile_of(keys, Arrivals::AsWritten), table)
}

/// The headline for a salted table with all rows in one tablet was "Leave the table as it is", and
/// `verify` failed on the same table; so it was for an unsplit table on two servers.
#[rstest]
#[case(16, 2, |row: u64| format!("user{row}:x"), None)]
#[case(16, 2, |row: u64| format!("acme:{row}"), Some(Fault::FullTablet { over_mean: 16.0 }))]
#[case(1, 2, |row: u64| format!("user{row}:x"), Some(Fault::FewerThanServers { tablets: 1, servers: 2 }))]
fn a_salted_table_is_kept_with_its_fault(
    #[case] tablets: u32,
    #[case] on: u32,
    #[case] row: Line,
    #[case] fault: Option<Fault>,
) {
    let (keys, table) = salted(tablets, on, 5_000, row);
    let report = advise(keys, &servers(on).table(table)).unwrap();
    let expected = match fault {
        Some(_) => Decision::HasUnevenDesign,
        None => Decision::HasDesign,
    };
    assert_eq!((report.decision, report.tablets), (expected, tablets));
    let faults = &report.designs[0].faults;
    let suitability = match fault {
        Some(Fault::FewerThanServers { .. }) => Suitability::TooFewTablets,
        Some(_) => Suitability::Uneven,
        None => Suitability::Recommended,
    };
    assert_eq!(report.designs[0].suitability, suitability);
    assert!(fault.is_none_or(|fault| faults.contains(&fault)), "{faults:?}");
}

#[test]
fn a_table_keeps_its_tablets_unless_others_are_requested() {
    let (keys, table) = salted(20, 2, 5_000, |row| format!("user{row}:x"));
    let there = servers(2).table(table);
    for (options, tablets) in
        [(there.clone(), 20), (there.clone().tablets(40), 40), (there.servers(7), 28)]
    {
        let report = advise(keys.clone(), &options).unwrap();
        let layout = &report.spec.unwrap().key_design[0].layout;
        assert_eq!(*layout, AdvisedLayout::Tablets(tablets));
    }
}

/// The spec for a table of plain rows that need a hash did not say that they have none so far, so
/// `migrate` could not move them.
#[test]
fn the_spec_of_a_table_of_plain_rows_names_their_earlier_design() {
    let table = ExistingTable { servers: 4, splits: Vec::new(), group_pattern: None };
    let keys = || {
        let numbers = (0..5_000).map(|id| format!("{id:08}").into_bytes());
        profile_of(numbers, Arrivals::AsWritten)
    };
    for (table, before) in [(Some(table), vec![Unsalted {}.into()]), (None, Vec::new())] {
        let report = advise(keys(), &servers(4).table(table)).unwrap();
        assert_eq!(labels(&report), ["row-hasher"]);
        assert_eq!(report.spec.unwrap().key_design[0].before, before);
    }
}

/// Covers a bug: salts of an unknown design were taken for plain rows, and `migrate` would have
/// hidden the rows from their readers. The caller can state that the keys are plain.
#[test]
fn the_spec_of_rows_that_may_be_salted_names_no_earlier_design() {
    let table = ExistingTable { servers: 4, splits: Vec::new(), group_pattern: None };
    // Nearly half of the pages are of one site.
    let keys = || {
        let site = |page: u64| if page % 9 < 4 { 0 } else { page };
        let page = |page| format!("{:02x}:com.site{}/{page}", site(page) * 7 % 256, site(page));
        profile_of((0..5_000).map(|n| page(n).into_bytes()), Arrivals::Unordered)
    };
    let plain = Candidate::new("plain", Unsalted {}, 4);
    for (table, also, may_be_salted, before) in [
        (Some(table.clone()), None, true, Vec::new()),
        (Some(table), Some(plain), false, vec![Unsalted {}.into()]),
        (None, None, false, Vec::new()),
    ] {
        let report = advise(keys(), &servers(4).table(table).also(also)).unwrap();
        assert_eq!(labels(&report), ["row-hasher"]);
        assert_eq!(report.may_be_salted, may_be_salted);
        assert_eq!(report.spec.unwrap().key_design[0].before, before);
    }
    // Also if the table is split for a hasher that few of its rows have.
    let splits = RowHasher::new("p").unwrap().splits(4).unwrap();
    let table = ExistingTable { servers: 4, splits, group_pattern: None };
    let report = advise(keys(), &servers(4).table(table)).unwrap();
    assert_eq!((report.decision, report.may_be_salted), (Decision::MostlyPlain, true));
    assert_eq!(report.spec.unwrap().key_design[0].before, []);
}

/// Covers a bug: before the rows moved, the next spec did not say that they have no hash so far.
/// With several hashers, the one that a plain row moves to is unknown.
#[test]
fn the_spec_of_mostly_plain_rows_names_their_earlier_design() {
    for (prefixes, before) in [(&["p"][..], vec![Unsalted {}.into()]), (&["p", "q"], Vec::new())] {
        let splits = prefixes.iter().flat_map(|prefix| {
            let hasher = RowHasher::new(prefix).unwrap();
            hasher.splits(4).unwrap()
        });
        let table = ExistingTable { servers: 1, splits: splits.collect(), group_pattern: None };
        let rows = (0..500).map(|id| format!("{id:08}").into_bytes());
        let keys = profile_of(rows, Arrivals::Unordered);
        let report = advise(keys, &servers(1).table(table)).unwrap();
        assert_eq!(report.decision, Decision::MostlyPlain);
        let designs = report.spec.unwrap().key_design;
        assert_eq!(designs.len(), prefixes.len());
        assert_eq!(designs[0].before, before);
    }
}

/// A table of plain rows, split by a sample, got the advice to salt its rows or to split at other
/// points.
#[test]
fn an_evenly_split_table_of_plain_rows_stays_unchanged() {
    let advice = |points: [&'static str; 3]| {
        let table = ExistingTable {
            servers: 1,
            splits: points.map(Into::into).to_vec(),
            group_pattern: None,
        };
        let ids = (0..5_000).map(|id| format!("{:08}", id * 19_997).into_bytes());
        let keys = profile_of(ids, Arrivals::Unordered);
        advise(keys, &servers(1).table(table)).unwrap()
    };
    let report = advice(["25", "50", "75"]);
    assert_eq!((report.decision, report.tablets), (Decision::Plain, 4));
    let spec = &report.spec.unwrap().key_design[0];
    let points = ["25", "50", "75"].map(Into::into).to_vec();
    assert_eq!(spec.layout, AdvisedLayout::SplitPoints(points));

    // One tablet has nearly all rows, so the table must change.
    let report = advice(["01", "02", "03"]);
    let mut designs = report.designs.iter();
    let kept = designs.find(|design| design.label() == "unsalted, as the table is");
    assert_eq!(kept.unwrap().suitability, Suitability::Uneven);
    assert_eq!(labels(&report), ["row-hasher"]);
}
