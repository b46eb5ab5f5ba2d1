//! Keys on which a popular design fails. The advisor must report each of them.

#![cfg(test)]

use fluo_advisor::{
    AdviceOptions, AdvisedLayout, AdvisorError, AdvisorErrorKind, AdvisorReport, Arrivals,
    Candidate, DesignForecast, DesignReason, DesignVerdict, ExistingTable, Finding, ForecastResult,
    KeyProfile, LoadForecast, LoadReason, OrderFinding, ProfileBuilder, ProfileOptions, Read,
    Severity, Suitability, advise, advise_among,
};
use fluo_keys::{
    DesignSettings, DigestSalt, HashScheme, HashedRows, KeyDesign, ReverseTime, SaltedPart,
};
use fluo_table::Escaped;

fn profile(keys: impl IntoIterator<Item = String>) -> KeyProfile {
    let mut builder =
        ProfileBuilder::new(ProfileOptions::new().seed(1).arrivals(Arrivals::AsWritten));
    for key in keys {
        builder.push(key.as_bytes());
    }
    builder.finish()
}

/// Returns the keys in an order that is neither ascending nor random: each is a fixed step after
/// the previous one, around a circle.
fn shuffled(keys: &[String]) -> Vec<String> {
    let (count, step) = (keys.len(), 48_271);
    let shuffled: Vec<_> = (0..count)
        .map(|place| keys[place * step % count].clone())
        .collect();
    assert!(count % step != 0 && step % count != 0);
    shuffled
}

fn servers(servers: u32) -> AdviceOptions {
    AdviceOptions::new().servers(servers)
}

fn advised(profile: KeyProfile, options: &AdviceOptions) -> AdvisorReport {
    advise(profile, options).unwrap()
}

fn tried(
    profile: KeyProfile,
    candidates: Vec<Candidate>,
    options: &AdviceOptions,
) -> AdvisorReport {
    advise_among(profile, candidates, options).unwrap()
}

fn verdict<'a>(report: &'a AdvisorReport, label: &str) -> &'a DesignVerdict {
    let found = report
        .advice
        .verdicts
        .iter()
        .find(|verdict| verdict.label == label);
    found.unwrap_or_else(|| panic!("{label} was not tried"))
}

fn load<'a>(report: &'a AdvisorReport, label: &str) -> &'a LoadForecast {
    let found = report
        .forecasts
        .iter()
        .find(|forecast| forecast.candidate.label == label);
    found
        .and_then(DesignForecast::possible)
        .unwrap_or_else(|| panic!("{label} is not possible"))
        .0
}

#[track_caller]
fn says(sentences: &[impl ToString], part: &str) {
    let sentences: Vec<_> = sentences.iter().map(ToString::to_string).collect();
    assert!(
        sentences.iter().any(|sentence| sentence.contains(part)),
        "{part}\n{sentences:#?}"
    );
}

/// Reports ids with a check digit. 31 is 1 modulo 10, so Java's hash of digits modulo 10 is the sum
/// of the digits plus a constant, and all these ids get one prefix.
#[test]
fn ids_whose_digit_sum_is_a_multiple_of_ten_all_get_one_prefix() {
    let sum = |id: u32| (0..6).map(|place| id / 10_u32.pow(place) % 10).sum::<u32>();
    let ids: Vec<String> = (0..1_000_000)
        .filter(|id| sum(*id) % 10 == 0)
        .map(|id| format!("{id:06}"))
        .collect();
    assert_eq!(ids.len(), 100_000);
    let report = advised(profile(shuffled(&ids)), &servers(4));

    let modulo = load(&report, "modulo 10");
    assert_eq!(modulo.salts_used, Some(1));
    assert_eq!(modulo.keys.iter().filter(|keys| **keys > 0).count(), 1);
    assert!(
        modulo.largest_over_mean.low > 9.9,
        "{:?}",
        modulo.largest_over_mean
    );
    assert!(modulo.chi_square.unwrap().p_value < 1e-12);
    let verdict = verdict(&report, "modulo 10");
    assert_eq!(verdict.standing, Suitability::Uneven);
    says(
        &verdict.reasons,
        "All keys of the sample get one salt: the hash does not distinguish these keys",
    );
    says(&verdict.reasons, "10.00 times the mean");
    assert_ne!(report.advice.design.as_deref(), Some("modulo 10"));
    assert!(
        load(&report, "digest-salt, 2 digits")
            .largest_over_mean
            .value
            < 1.2
    );
}

#[test]
fn monotonic_ids_go_to_one_tablet_unless_they_are_salted() {
    let ids = (0..200_000).map(|id| format!("{:012}", id * 7));
    let report = advised(profile(ids), &servers(4));

    let finding = report
        .advice
        .findings
        .iter()
        .find(|finding| finding.to_string().contains("ascend"));
    assert_eq!(finding.unwrap().severity(), Severity::Warning);
    let tail = load(&report, "unsalted").tail.as_ref().unwrap();
    assert_eq!((tail.busiest, tail.busiest_share.value), (15, 1.0));
    let verdict = verdict(&report, "unsalted");
    assert_eq!(verdict.standing, Suitability::Uneven);
    says(
        &verdict.reasons,
        "Of the newest 5.0 % of the keys, 100 % fall in one tablet, number 16: one server takes them all",
    );

    let hashed = load(&report, "row-hasher").tail.as_ref().unwrap();
    assert!(hashed.busiest_share.value < 0.1, "{hashed:?}");
    assert_eq!(report.advice.design.as_deref(), Some("row-hasher"));
    let advised = &report.advice.spec.as_ref().unwrap().key_design[0];
    assert_eq!(advised.layout, AdvisedLayout::Tablets(16));
}

#[test]
fn keys_that_differ_only_beyond_the_salted_part_get_one_salt() {
    let keys: Vec<_> = (0..50_000).map(|id| format!("tenant-a|{id:08}")).collect();
    let profile = profile(shuffled(&keys));
    let over = |over| DigestSalt {
        digits: 2,
        separator: ":".to_owned(),
        over,
        ..DigestSalt::default()
    };
    let candidates = vec![
        Candidate::new("first 8 bytes", over(SaltedPart::First(8)), 16),
        Candidate::new("whole", over(SaltedPart::Whole), 16),
    ];
    let report = tried(profile, candidates, &servers(4));
    let verdict = verdict(&report, "first 8 bytes");
    assert_eq!(verdict.standing, Suitability::Uneven);
    says(
        &verdict.reasons,
        "All keys of the sample get one salt: they differ only beyond the salted part. Salt the whole key, or a \
         longer part.",
    );
    says(&verdict.reasons, "16.00 times the mean");
    assert_eq!(load(&report, "first 8 bytes").salts_used, Some(1));
    assert_eq!(report.advice.design.as_deref(), Some("whole"));
}

#[test]
fn a_field_with_half_of_the_keys_is_hot_if_fields_stay_together() {
    let keys: Vec<_> = (0..60_000)
        .map(|id| {
            if id % 2 == 0 {
                format!("acme|{id:08}")
            } else {
                format!("tenant{}|{id:08}", id % 999)
            }
        })
        .collect();
    let options = servers(4).reads(vec![Read::Field]);
    let report = advised(profile(shuffled(&keys)), &options);
    let by_field = verdict(&report, "digest-salt of what is before `|`");
    assert_eq!(by_field.standing, Suitability::Uneven);
    says(
        &by_field.reasons,
        "A scan of one leading field: one piece of the table.",
    );
    let finding = report
        .advice
        .findings
        .iter()
        .find(|finding| finding.to_string().contains("`acme`"));
    assert!(
        finding
            .unwrap()
            .to_string()
            .contains("has 50.0 % of the keys"),
        "{finding:?}"
    );
}

/// Advises no salt for keys that are already random.
#[test]
fn random_keys_get_no_salt() {
    let random = |id: u64| id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (id << 17);
    let keys = (0..100_000).map(|id| format!("{:016x}", random(id)));
    let options = servers(4).reads(vec![Read::Range]);
    let report = advised(profile(keys), &options);
    assert_eq!(report.advice.design.as_deref(), Some("unsalted"));
    let advised = &report.advice.spec.as_ref().unwrap().key_design[0];
    let AdvisedLayout::SplitPoints(points) = &advised.layout else {
        panic!("{advised:?}")
    };
    assert_eq!(points.len(), 15);
    assert!(points.is_sorted() && points.iter().all(|point| point.len() == 16));
    says(
        &report.advice.reasons,
        "Leave the keys as they are, in 16 tablets",
    );
}

/// Tries a salt of the leading field even if all keys have the same field, and finds it uneven.
#[test]
fn keys_of_one_leading_field_are_tried_with_a_salt_over_it() {
    let keys: Vec<_> = (0..50_000).map(|id| format!("tenant-a|{id:08}")).collect();
    let report = advised(profile(shuffled(&keys)), &servers(4));
    let label = "digest-salt of what is before `|`";
    assert_eq!(load(&report, label).salts_used, Some(1));
    let verdict = verdict(&report, label);
    assert_eq!(verdict.standing, Suitability::Uneven);
    says(
        &verdict.against,
        "All keys of the sample get one salt: they differ only beyond the salted part. Salt the whole key, or a \
         longer part.",
    );
    assert_ne!(report.advice.design.as_deref(), Some(label));
}

/// Compares designs that spread equally well by their reads.
#[test]
fn reads_decide_between_even_designs() {
    let ids = || profile((0..100_000).map(|id| format!("{id:012}")));
    let options = servers(4).reads(vec![Read::Range]);
    let ranged = advised(ids(), &options);
    assert_eq!(
        verdict(&ranged, "row-hasher").standing,
        Suitability::Unreadable
    );
    assert!(
        ranged
            .advice
            .design
            .as_deref()
            .unwrap()
            .starts_with("modulo 16"),
        "{:?}",
        ranged.advice.design
    );
}

/// Does not advise a table without a salt: the place of the next key is unknown if keys have no
/// order.
#[test]
fn unordered_keys_have_no_tail() {
    let mut builder =
        ProfileBuilder::new(ProfileOptions::new().seed(1).arrivals(Arrivals::Unordered));
    for id in 0..50_000 {
        builder.push(format!("{id:012}").as_bytes());
    }
    let report = advised(builder.finish(), &servers(2));
    assert_eq!(load(&report, "unsalted").tail, None);
    assert_eq!(verdict(&report, "unsalted").standing, Suitability::Uneven);
    says(
        &verdict(&report, "unsalted").against,
        "The place of new keys is unknown",
    );
    assert_eq!(report.advice.design.as_deref(), Some("row-hasher"));
}

#[test]
fn no_keys_get_no_design() {
    let report = advised(profile([]), &servers(2));
    assert_eq!(report.advice.design, None);
    assert_eq!(report.advice.findings[0].to_string(), "There are no keys.");
    says(
        &report.advice.reasons,
        "No design can be advised for these keys.",
    );
}

/// Finds no design for equal keys. They are one row, which no salt spreads. A random salt makes
/// several rows of it, which only helps a reader who scans the table.
#[test]
fn reports_a_key_that_is_repeated() {
    let keys = || profile((0..20_000).map(|_| "same-key-again".to_owned()));
    let report = advised(keys(), &servers(2));
    let findings: Vec<_> = report
        .advice
        .findings
        .iter()
        .map(ToString::to_string)
        .collect();
    says(&findings, "20,000 keys, 1 different");
    says(&findings, "19,999 of 20,000 keys repeat a key");
    says(
        &findings,
        "One row, `same-key-again`, has 100 % of the keys: no salt can spread one row",
    );
    assert_ne!(report.advice.design.as_deref(), Some("random-salt 8"));
    let random = verdict(&report, "random-salt 8");
    assert_eq!(random.standing, Suitability::Unreadable);
    says(&random.against, "One row: 8 pieces of the table");
    says(&report.advice.reasons, "No design spreads these keys well.");

    let scanned = reading(Read::Range, 2).scans_only(true);
    let report = advised(keys(), &scanned);
    assert_eq!(report.advice.design.as_deref(), Some("random-salt 8"));

    let candidates = vec![Candidate::new("whole", DigestSalt::default(), 8)];
    let report = tried(keys(), candidates, &servers(2));
    says(
        &report.advice.reasons,
        "No design spreads these keys well. The least bad is whole in 8 tablets",
    );
}

/// Does not advise a random salt for a hot row among other rows either.
#[test]
fn a_hot_row_among_others_is_named() {
    let keys = (0..60_000).map(|id| match id % 2 {
        0 => "counter".to_owned(),
        _ => format!("user{id:08}"),
    });
    let report = advised(profile(keys), &servers(4));
    let finding = report
        .advice
        .findings
        .iter()
        .find(|finding| finding.to_string().starts_with("One row, "));
    assert_eq!(
        finding.unwrap().to_string(),
        "One row, `counter`, has 50.0 % of the keys: no salt can spread one row, and one server takes all of its writes. \
         Write it less often, or divide it into several rows."
    );
    assert_ne!(report.advice.design.as_deref(), Some("random-salt 16"));
}

/// Regression test: keys of a table with a design got a second salt, or split points that undid the
/// first one. The advice is the design that they have.
#[test]
fn keys_of_a_design_keep_their_design() {
    let hashed = DesignSettings::from(HashedRows {
        prefix: "p".to_owned(),
        scheme: HashScheme::default(),
    });
    let salted = DesignSettings::from(DigestSalt {
        digits: 2,
        separator: "_".to_owned(),
        ..DigestSalt::default()
    });
    for (settings, name, label) in [
        (hashed, "row-hasher with the prefix `p`", "row-hasher `p`"),
        (
            salted,
            "digest-salt (first 2 hexadecimal digits of MD5, then `_`)",
            "digest-salt",
        ),
    ] {
        for arrivals in [Arrivals::AsWritten, Arrivals::Unordered] {
            let design = KeyDesign::new(settings.clone()).unwrap();
            let mut builder = ProfileBuilder::new(ProfileOptions::new().seed(1).arrivals(arrivals));
            for id in 0..10_000 {
                builder.push(
                    &design
                        .encode_row(format!("user{id:07}").as_bytes())
                        .unwrap(),
                );
            }
            let report = advised(builder.finish(), &servers(4));
            let [recipe] = report.advice.existing.as_slice() else {
                panic!("{:?}", report.advice.existing)
            };
            assert_eq!((&recipe.settings, recipe.keys), (&settings, 10_000));
            assert_eq!(report.advice.others, None);
            let finding = format!("10,000 keys (100 %) are keys of {name}, as their salts show.");
            let mut findings = report.advice.findings.iter();
            assert!(
                findings.any(|told| told.to_string() == finding),
                "{finding}"
            );
            assert_eq!(report.advice.design.as_deref(), Some(label));
            assert_eq!(verdict(&report, label).standing, Suitability::Recommended);
            let first = format!(
                "Leave the keys as they are, {name} in 16 tablets: they have their salts already."
            );
            assert_eq!(report.advice.reasons[0].to_string(), first);
            let spec = &report.advice.spec.as_ref().unwrap().key_design[0];
            assert_eq!(
                (&spec.settings, &spec.layout),
                (&settings, &AdvisedLayout::Tablets(16))
            );
        }
    }
}

/// Keeps the present number of tablets, and not the number that the formula gives for the servers.
/// A requested number has priority.
#[test]
fn a_table_keeps_its_tablets_unless_a_number_is_requested() {
    let design = KeyDesign::new(DigestSalt::default()).unwrap();
    let keys = || {
        profile((0..5_000).map(|id| {
            let key = design.encode_row(format!("user{id}").as_bytes()).unwrap();
            String::from_utf8(key.to_vec()).unwrap()
        }))
    };
    let table = ExistingTable {
        servers: 2,
        splits: design.splits(20).unwrap(),
        group_pattern: None,
    };
    let there = servers(2).table(table);
    let layout = |options: &AdviceOptions| {
        let report = advised(keys(), options);
        let spec = report.advice.spec.unwrap();
        assert_eq!(spec.key_design[0].settings, DigestSalt::default().into());
        (spec.key_design[0].layout.clone(), report.advice.findings)
    };
    let (kept, told) = layout(&there);
    assert_eq!(kept, AdvisedLayout::Tablets(20));
    says(&told, "The table has 20 tablets on 2 servers.");
    let five = there.clone().servers(5);
    let (more, told) = layout(&five.tablets(40));
    assert_eq!(more, AdvisedLayout::Tablets(40));
    says(
        &told,
        "The advice is for 5 servers, as requested, and not for the 2 servers of the table.",
    );
    says(
        &told,
        "The advice is for 40 tablets of each design, as requested",
    );
}

/// Returns the keys of a design with a salt over the text before `:`.
fn salted_by_tenant(rows: impl Iterator<Item = String>) -> (KeyDesign, KeyProfile) {
    let design = KeyDesign::new(DigestSalt {
        over: SaltedPart::Before(":".to_owned()),
        ..DigestSalt::default()
    });
    let design = design.unwrap();
    let keys = rows.map(|row| {
        let key = design.encode_row(row.as_bytes()).unwrap();
        String::from_utf8(key.to_vec()).unwrap()
    });
    let profile = profile(keys);
    (design, profile)
}

/// Regression test: the headline for a salted table with all rows in one tablet was "Leave the
/// table as it is", and `verify` failed on the same table. A requested read that the design does
/// not support changes nothing.
#[test]
fn the_headline_for_a_hot_salted_table_names_its_fullest_tablet() {
    for reads in [vec![], vec![Read::Domain]] {
        let (design, keys) = salted_by_tenant((0..5_000).map(|row| format!("acme:{row}")));
        let table = ExistingTable {
            servers: 2,
            splits: design.splits(16).unwrap(),
            group_pattern: None,
        };
        let report = advised(keys, &servers(2).table(table).reads(reads));
        assert_eq!(report.advice.decision.name(), "has-uneven-design");
        assert_eq!(
            report.advice.decision.to_string(),
            "Keep the design of the keys, digest-salt (first 2 hexadecimal digits of MD5 of the text \
             before `:`) in 16 tablets, though it is uneven: the fullest tablet takes 16.00 times the \
             mean."
        );
    }
}

/// Regression test: an unsplit table on two servers was to be left as it is.
#[test]
fn the_headline_for_a_salted_table_names_servers_without_tablets() {
    let rows = || (0..5_000).map(|row| format!("user{row}:x"));
    let advice = |servers: u32, tablets: u32| {
        let (design, keys) = salted_by_tenant(rows());
        let table = ExistingTable {
            servers,
            splits: design.splits(tablets).unwrap(),
            group_pattern: None,
        };
        let options = AdviceOptions::new().servers(servers).table(table);
        advised(keys, &options).advice.decision.to_string()
    };
    let name = "Keep the design of the keys, digest-salt (first 2 hexadecimal digits of MD5 of the \
                text before `:`)";
    assert_eq!(
        advice(2, 1),
        format!("{name} in 1 tablet, though 1 tablet cannot use 2 servers: request more tablets.")
    );
    // The design has 256 salts.
    assert_eq!(
        advice(300, 256),
        format!(
            "{name} in 256 tablets, though 256 tablets cannot use 300 servers, and the design allows \
             no more."
        )
    );
}

/// All rows are spread, and only the newest are together: that is no uneven table.
#[test]
fn the_headline_does_not_call_spread_rows_uneven() {
    let rows = (0..20).flat_map(|tenant| (0..500).map(move |row| format!("tenant{tenant}:{row}")));
    let (_, keys) = salted_by_tenant(rows);
    let report = advised(keys, &servers(4));
    let headline = report.advice.decision.to_string();
    assert!(
        !headline.contains("uneven: the fullest tablet takes 1."),
        "{headline}"
    );
}

/// Regression test: a table of plain rows, split by a sample, got the advice to salt its rows or to
/// split at other points.
#[test]
fn an_evenly_split_table_of_plain_rows_stays_unchanged() {
    let random = |id: u64| id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (id << 17);
    let keys = || {
        let mut builder =
            ProfileBuilder::new(ProfileOptions::new().seed(1).arrivals(Arrivals::Unordered));
        (0..5_000).for_each(|id| builder.push(format!("{:016x}", random(id)).as_bytes()));
        builder.finish()
    };
    let split_at = |points: &[&'static str]| {
        servers(1).table(ExistingTable {
            servers: 1,
            splits: points.iter().map(|point| (*point).into()).collect(),
            group_pattern: None,
        })
    };
    let report = advised(keys(), &split_at(&["3f", "81", "c0"]));
    assert_eq!(
        report.advice.reasons[0].to_string(),
        "Leave the table as it is: its plain rows are spread evenly over 4 tablets."
    );
    says(
        &report.advice.reasons,
        "A table does not show where new rows will go",
    );
    let spec = &report.advice.spec.as_ref().unwrap().key_design[0];
    let points = ["3f", "81", "c0"].map(str::to_owned).to_vec();
    assert_eq!(spec.layout, AdvisedLayout::SplitPoints(points));

    // One tablet has nearly all rows, so the table must change.
    let report = advised(keys(), &split_at(&["01", "02", "03"]));
    assert_eq!(
        verdict(&report, "unsalted, as the table is").standing,
        Suitability::Uneven
    );
    assert_eq!(report.advice.design.as_deref(), Some("row-hasher"));
}

/// Sequences of many devices, each ascending: the newest rows are not near the end of the table.
#[test]
fn keys_that_ascend_in_rounds_do_not_go_to_the_end() {
    let sentence = |keys: Vec<String>, word: &str| {
        let report = advised(profile(keys), &servers(4));
        let found = report
            .advice
            .findings
            .into_iter()
            .find(|finding| finding.to_string().starts_with(word));
        found.unwrap().to_string()
    };
    let rounds = (0..50_000).map(|id| format!("{:06}", id % 400)).collect();
    let told = sentence(rounds, "Keys ascend");
    assert!(
        told.contains("one place at a time, which moves through the table")
            && !told.contains("the end of the table"),
        "{told}"
    );
    let rounds = (0..50_000)
        .map(|id| format!("{:06}", 400 - id % 400))
        .collect();
    let told = sentence(rounds, "Keys descend");
    assert!(!told.contains("the front of the table"), "{told}");
    let down = (0..50_000)
        .map(|id| format!("{:06}", 100_000 - id))
        .collect();
    let told = sentence(down, "Keys descend");
    assert!(told.contains("the front of the table"), "{told}");
}

#[test]
fn reports_sorted_keys_and_carriage_returns() {
    let findings = |keys: Vec<String>| {
        let report = advised(profile(keys), &servers(1));
        let findings = report.advice.findings.iter();
        findings.map(ToString::to_string).collect::<Vec<_>>()
    };
    let names = ["ant", "bee", "cat", "dog"].map(str::to_owned);
    let told = findings(names.to_vec());
    says(&told, "The keys are sorted, without exception.");
    says(&told, "the advice for unordered keys may differ.");
    let mut mixed = names.to_vec();
    mixed.swap(0, 1);
    assert!(
        !findings(mixed)
            .iter()
            .any(|told| told.contains("unordered"))
    );

    let with_ends: Vec<_> = names.iter().map(|name| format!("{name}\r")).collect();
    says(
        &findings(with_ends.clone()),
        "All keys end in a carriage return, `\\x0d`",
    );
    let with_one: Vec<_> = names[..3].iter().chain(&with_ends[3..]).cloned().collect();
    assert!(
        !findings(with_one)
            .iter()
            .any(|told| told.contains("carriage"))
    );
}

/// Does not judge the evenness of 12 keys in 8 tablets.
#[test]
fn a_few_keys_are_not_called_even() {
    let keys: Vec<_> = (0..12).map(|id| format!("user{id:03}")).collect();
    let report = advised(profile(shuffled(&keys)), &servers(2));
    for verdict in &report.advice.verdicts {
        assert!(
            !verdict
                .reasons
                .iter()
                .any(|reason| reason.to_string().starts_with("Even:")),
            "{verdict:#?}"
        );
    }
    says(
        &verdict(&report, "row-hasher").reasons,
        "Too few keys to tell, 1.5 a tablet: of 8 tablets",
    );
}

/// 250 keys get about 160 of 256 salts by chance, which is no fault of the hash.
#[test]
fn does_not_blame_the_hash_for_salts_that_are_unused_by_chance() {
    let options = AdviceOptions::new().tablets(200);
    let keys = (0..250).map(|id| format!("user{id:05}"));
    let report = advised(profile(keys), &options);
    let label = "digest-salt, 2 digits";
    let used = load(&report, label).salts_used.unwrap();
    assert!((130..190).contains(&used), "{used}");
    let reasons = &verdict(&report, label).reasons;
    assert!(
        !reasons
            .iter()
            .any(|reason| reason.to_string().contains("distinguish these keys")),
        "{reasons:#?}"
    );
}

/// 256 salts in 200 tablets: some tablets get two and some one. Chance explains the counts, but
/// they are uneven.
#[test]
fn reports_salts_that_do_not_divide_evenly() {
    let ids = (0..100_000).map(|id| format!("{id:012}"));
    let options = AdviceOptions::new().tablets(200);
    let report = advised(profile(ids), &options);
    let verdict = verdict(&report, "digest-salt, 2 digits");
    assert_eq!(verdict.standing, Suitability::Uneven);
    says(
        &verdict.reasons,
        "by their number alone, the fullest takes 1.56 times the mean",
    );
    says(&verdict.reasons, "chance can explain it");
}

/// A web table keeps a domain together, so one tablet gets the two thirds of the pages that are of
/// one domain.
#[test]
fn a_domain_with_two_thirds_of_the_pages_makes_a_web_table_uneven() {
    let pages: Vec<_> = (0..60_000)
        .map(|page| match page % 3 {
            0 => format!("https://site{}.example/{page}", page % 5_000),
            _ => format!("https://shop{}.acme.com/{page}", page % 7),
        })
        .collect();
    let report = advised(profile(shuffled(&pages)), &servers(4));
    let web = load(&report, "web-table");
    assert!(
        web.largest_over_mean.value > 10.0,
        "{:?}",
        web.largest_over_mean
    );
    let verdict = verdict(&report, "web-table");
    assert_eq!(verdict.standing, Suitability::Uneven);
    says(
        &verdict.reasons,
        "They share `acme.com`, which is in 66.7 % of the keys: only a design that salts the whole key separates them.",
    );
    assert_ne!(report.advice.design.as_deref(), Some("web-table"));
}

/// A web table reads prefixes that contain a whole host, and refuses other prefixes. The report
/// states this condition, and does not advise the design for reads of all prefixes.
#[test]
fn a_design_that_reads_some_prefixes_only_is_not_advised_for_prefixes() {
    let hosts = |id: u32| format!("https://h{:04}.example/p{id:06}", id / 30);
    let report = advised(profile((0..20_000).map(hosts)), &reading(Read::Prefix, 4));
    let web = verdict(&report, "web-table");
    assert_eq!(web.standing, Suitability::Unreadable);
    let sentence =
        "A scan of a prefix: 2 pieces of the table, but only prefixes that hold the whole host";
    says(&web.against, sentence);
    says(&web.against, "; others are rejected.");
    assert_ne!(report.advice.design.as_deref(), Some("web-table"));

    // No reads of prefixes are requested: the condition is stated, but is no reason against the
    // design.
    let report = advised(profile((0..20_000).map(hosts)), &servers(4));
    let web = verdict(&report, "web-table");
    assert_eq!(web.standing, Suitability::Suitable);
    says(&web.reasons, sentence);
    assert_eq!(web.against, []);

    let readings =
        (0..20_000).map(|id| format!("sensor{}|{}", id % 500, 1_696_744_051_903_u64 + id));
    let options = servers(4).reads(vec![Read::Prefix, Read::Range]);
    let report = advised(profile(readings), &options);
    let timed = verdict(&report, "reverse-time, salted by entity");
    assert_eq!(timed.standing, Suitability::Unreadable);
    says(
        &timed.against,
        "A scan of a prefix: 256 pieces of the table, but only prefixes that end before the time; others are rejected.",
    );
    says(
        &timed.against,
        "A scan of a range: 256 pieces of the table, but only ranges whose bounds end before the time",
    );
}

/// Tries each named design that suits the keys, and reports its effects.
#[test]
fn tries_every_named_design_that_suits() {
    let readings =
        (0..30_000).map(|id| format!("sensor{}|{}", id % 500, 1_696_744_051_903_u64 + id));
    let report = advised(profile(readings), &servers(4));
    let timed = load(&report, "reverse-time, salted by entity");
    assert!(
        timed.largest_over_mean.value < 2.0,
        "{:?}",
        timed.largest_over_mean
    );
    let random = verdict(&report, "random-salt 16");
    assert_eq!(random.standing, Suitability::Unreadable);
    says(
        &random.reasons,
        "One row: 16 pieces of the table, because its salt cannot be recomputed.",
    );

    let ids = || (0..30_000).map(|id| format!("{id:08}"));
    let report = advised(profile(ids()), &servers(4));
    let reversed = load(&report, "reversed");
    assert_eq!(
        (reversed.salts_used, reversed.splits_are_of_the_sample),
        (None, false)
    );
    assert!(
        reversed.tail.as_ref().unwrap().busiest_share.value < 0.2,
        "{reversed:?}"
    );
    assert_eq!(verdict(&report, "reversed").standing, Suitability::Suitable);
}

fn reading(read: Read, servers: u32) -> AdviceOptions {
    self::servers(servers).reads(vec![read])
}

/// None of 1,000 tenants is hot. They still are a field, so a design that cannot read it is not
/// advised.
#[test]
fn finds_a_field_without_a_hot_value() {
    let keys = (0..60_000).map(|id| format!("t{:04}|{id:08}", id / 60));
    let report = advised(profile(keys), &reading(Read::Field, 4));
    let hashed = verdict(&report, "row-hasher");
    assert_eq!(hashed.standing, Suitability::Unreadable);
    says(&hashed.reasons, "one leading field: impossible");
    assert_eq!(
        report.advice.design.as_deref(),
        Some("digest-salt of what is before `|`")
    );
    says(
        &report.advice.reasons,
        "A scan of one leading field: one piece of the table.",
    );
}

/// Takes the host as the leading field of a URL; a web table keeps a host together.
#[test]
fn the_host_of_a_url_is_a_field() {
    let hosts = |id: u32| format!("https://h{:04}.example/p{id:06}", id / 30);
    let report = advised(profile((0..60_000).map(hosts)), &reading(Read::Field, 4));
    assert_eq!(
        verdict(&report, "row-hasher").standing,
        Suitability::Unreadable
    );
    assert_eq!(report.advice.design.as_deref(), Some("web-table"));
    says(
        &report.advice.reasons,
        "A scan of one leading field: one piece of the table.",
    );
    says(
        &verdict(&report, "digest-salt, 2 digits").reasons,
        "one leading field: 256 pieces of the table.",
    );
}

/// Refuses a read by a field that the keys do not have, instead of ignoring it.
#[test]
fn keys_without_a_field_cannot_be_read_by_it() {
    let ids = (0..20_000).map(|id| format!("{id:012}"));
    let report = advised(profile(ids), &reading(Read::Field, 2));
    assert_eq!(report.advice.design, None);
    says(
        &report.advice.reasons,
        "A scan of one leading field: impossible: the keys have no leading field that a separator ends",
    );
}

/// Counts a row that is written 60 times once in the test of evenness. The load of each tablet is
/// reported separately.
#[test]
fn repeated_rows_are_no_sign_of_unevenness() {
    let keys: Vec<_> = (0..60_000).map(|id| format!("id-{:05}", id / 60)).collect();
    let options = AdviceOptions::new().tablets(64);
    let report = advised(profile(keys), &options);
    for label in [
        "row-hasher",
        "digest-salt, 4 digits",
        "digest-salt, 2 digits",
    ] {
        let verdict = verdict(&report, label);
        let would_do = matches!(
            verdict.standing,
            Suitability::Suitable | Suitability::Recommended
        );
        assert!(would_do, "{verdict:#?}");
    }
    let hashed = load(&report, "row-hasher");
    assert!(hashed.chi_square.unwrap().p_value > 0.001, "{hashed:?}");
    assert!(hashed.largest_over_mean.value > 1.5, "{hashed:?}");
    assert_eq!(hashed.keys.iter().sum::<u64>(), 60_000);
}

/// Counts keys of one tenant once: 1,000 tenants are 1,000 draws, not 60,000.
#[test]
fn keys_with_the_same_salted_part_count_once() {
    let keys: Vec<_> = (0..60_000)
        .map(|id| format!("t{:04}|{id:08}", id % 1_000))
        .collect();
    let report = advised(profile(keys), &servers(1));
    let label = "digest-salt of what is before `|`";
    let by_tenant = load(&report, label);
    assert!(
        by_tenant.chi_square.unwrap().p_value > 0.001,
        "{by_tenant:?}"
    );
}

/// Some of several hundred perfect hashes have a p-value below 0.01, by definition.
#[test]
fn does_not_blame_a_good_hash_by_chance() {
    let mut below_a_hundredth = 0;
    for set in 0..200_u64 {
        let ids = (0..2_000).map(|id| format!("{set:04}-{id:06}"));
        let salt = DigestSalt {
            digits: 4,
            ..DigestSalt::default()
        };
        let candidates = vec![Candidate::new("salt", salt, 16)];
        let report = tried(profile(ids), candidates, &servers(4));
        let p_value = load(&report, "salt").chi_square.unwrap().p_value;
        below_a_hundredth += u32::from(p_value < 0.01);
        for reason in &verdict(&report, "salt").reasons {
            let reason = reason.to_string();
            assert!(
                !reason.contains("does not explain") && !reason.contains("unlikely"),
                "{reason}"
            );
        }
    }
    assert!(below_a_hundredth > 0);
}

/// Makes each key a tablet if there are more tablets than keys.
#[test]
fn splits_at_every_key_if_there_are_more_tablets_than_keys() {
    let keys: Vec<_> = (0..100).map(|id| format!("{id:03}")).collect();
    let candidates = vec![Candidate::unsalted(1_000)];
    let options = AdviceOptions::new().tablets(1_000);
    let report = tried(profile(shuffled(&keys)), candidates, &options);
    let unsalted = load(&report, "unsalted");
    assert!(unsalted.tablets() >= 90, "{unsalted:?}");
    assert!(unsalted.keys.iter().all(|keys| *keys <= 6), "{unsalted:?}");
}

#[test]
fn rejects_a_table_without_tablets() {
    let keys = || profile(["a".to_owned()]);
    let options = AdviceOptions::new().tablets(0);
    let refused = Some(AdvisorErrorKind::Tablets);
    let kind = |report: Result<AdvisorReport, AdvisorError>| report.err().map(|error| error.kind());
    assert_eq!(kind(advise(keys(), &options)), refused);
    let tried = advise_among(keys(), vec![Candidate::unsalted(1)], &options);
    assert_eq!(kind(tried), refused);

    let forecast = DesignForecast::new(&keys(), Candidate::unsalted(0));
    let ForecastResult::Refused { reason, keys: 0 } = forecast.result else {
        panic!("{forecast:?}")
    };
    assert_eq!(reason, "a table has at least 1 tablet, not 0");
}

/// Times without a salt have no split points of their own, so the spec gets those of the sample,
/// escaped.
#[test]
fn a_design_without_split_points_gets_those_of_the_sample() {
    let readings: Vec<_> = (0..30_000)
        .map(|id| format!("sensor{:03}|{}", id % 500, 1_696_744_051_903_u64 + id))
        .collect();
    let timed = ReverseTime {
        separator: "|".to_owned(),
        ..ReverseTime::default()
    };
    let candidates = vec![Candidate::new("timed", timed, 8)];
    let options = AdviceOptions::new().tablets(8);
    let report = tried(profile(shuffled(&readings)), candidates, &options);
    assert_eq!(report.advice.design.as_deref(), Some("timed"));
    let points = load(&report, "timed").splits.iter();
    let points: Vec<_> = points.map(|point| Escaped(point).to_string()).collect();
    assert_eq!(points.len(), 7);
    let advised = &report.advice.spec.as_ref().unwrap().key_design[0];
    assert_eq!(advised.layout, AdvisedLayout::SplitPoints(points));
}

/// Recognizes pages without a scheme, such as `shop.acme.com/12`. Two thirds are of one domain,
/// which is reported.
#[test]
fn tries_a_web_table_for_pages_without_a_scheme() {
    let pages: Vec<_> = (0..60_000)
        .map(|page| match page % 3 {
            0 => format!("site{}.org/{page}", page % 5_000),
            _ => format!("shop{}.acme.com/{page}", page % 2),
        })
        .collect();
    let report = advised(profile(shuffled(&pages)), &servers(4));
    let web = verdict(&report, "web-table");
    assert_eq!(web.standing, Suitability::Uneven);
    says(
        &web.reasons,
        "They share `acme.com`, which is in 66.7 % of the keys: only a design that salts the whole key separates them.",
    );
    let findings: Vec<_> = report
        .advice
        .findings
        .iter()
        .map(ToString::to_string)
        .collect();
    says(&findings, "One leading field, `shop1.acme.com`, has 33.");
    // A salt of the part before the path is still tried.
    load(&report, "digest-salt of what is before `/`");

    // Hosts alone, of many domains, and one key in twelve that is no host.
    let hosts = |id: u32| match id % 12 {
        0 => format!("host-{id}"),
        _ => format!("www.site{id}.co.uk"),
    };
    let report = advised(profile((0..20_000).map(hosts)), &reading(Read::Field, 4));
    says(
        &verdict(&report, "web-table").reasons,
        "A scan of one leading field: one piece of the table.",
    );
}

/// Names of files, versions and dotted ids are no hosts, though some end like hosts.
#[test]
fn does_not_take_dotted_names_for_hosts() {
    let kinds: [fn(u32) -> String; 7] = [
        |id| format!("report{id}.txt"),
        |id| format!("module{id}.rs"),
        |id| format!("chapter{id}.md"),
        |id| format!("{}.{}.{}", id % 7, id % 90, id),
        |id| format!("acme.orders.{id}"),
        |id| format!("word{id}/path"),
        |id| format!("10.0.{}.{}/x", id / 250, id % 250),
    ];
    for kind in kinds {
        let report = advised(profile((0..20_000).map(kind)), &servers(4));
        let tried = report.forecasts.iter();
        let labels: Vec<_> = tried.map(|forecast| &forecast.candidate.label).collect();
        assert!(
            !labels.iter().any(|label| *label == "web-table"),
            "{} {labels:?}",
            kind(1)
        );
    }
    // One third of hosts among other keys is no majority.
    let mixed = |id: u32| match id % 3 {
        0 => format!("www.site{id}.com/x"),
        _ => format!("dir{id}/report.txt"),
    };
    let report = advised(profile((0..20_000).map(mixed)), &servers(4));
    assert!(
        !report
            .forecasts
            .iter()
            .any(|forecast| forecast.candidate.label == "web-table")
    );
}

/// Regression test: one of 29,599 URLs of a Linux distribution was
/// `http://http://code.google.com/p/ucpp/`, and the design for URLs was "impossible". The other
/// keys now decide, and the report names the odd one, because a load stops at it.
#[test]
fn one_unsupported_key_does_not_make_a_design_impossible() {
    let mut pages: Vec<_> = (0..20_000)
        .map(|page| format!("https://h{:04}.example/p{page:06}", page / 4))
        .collect();
    pages[700] = "http://http://code.google.com/p/ucpp/".to_owned();
    let report = advised(profile(shuffled(&pages)), &reading(Read::Domain, 4));
    assert_eq!(report.advice.design.as_deref(), Some("web-table"));
    let refused = report
        .forecasts
        .iter()
        .find_map(|forecast| forecast.without_key.as_ref())
        .unwrap();
    assert_eq!(refused.keys, 1);
    says(
        &report.advice.reasons,
        "1 key (0.005 %) cannot be stored in it: `http://http://code.google.com/p/ucpp/` has no key in a web table: ",
    );
    says(
        &report.advice.reasons,
        "A load stops at such a key, so correct or remove it first.",
    );

    // More than one key in a hundred is no mistake: the design does not suit.
    for page in (0..20_000).step_by(90) {
        pages[page] = "http://http://code.google.com/p/ucpp/".to_owned();
    }
    let report = advised(profile(pages), &reading(Read::Domain, 4));
    let web = verdict(&report, "web-table");
    assert_eq!(web.standing, Suitability::Impossible);
    says(&web.against, "It has no key for 224 keys of the sample: ");
}

/// Regression test: a single odd id silently removed `reversed` and the modulus of numbers from the
/// list.
#[test]
fn one_odd_id_does_not_hide_the_designs_for_ids() {
    let mut ids: Vec<_> = (0..30_000).map(|id| format!("{id:08}")).collect();
    ids[17] = "total".to_owned();
    let report = advised(profile(ids), &servers(4));
    for label in ["reversed", "modulo 16 of the number"] {
        says(
            &verdict(&report, label).reasons,
            "1 key (0.003 %) cannot be stored in it: `total` ",
        );
        assert!(load(&report, label).largest_over_mean.value < 1.5);
    }
}

/// Regression test: a web table is made for reads of a domain, but the advisor did not accept such
/// reads.
#[test]
fn judges_each_design_by_reads_of_a_domain() {
    let pages = |id: u32| format!("https://h{:04}.example/p{id:06}", id / 4);
    let report = advised(profile((0..20_000).map(pages)), &reading(Read::Domain, 4));
    assert_eq!(report.advice.design.as_deref(), Some("web-table"));
    says(&report.advice.reasons, "a domain: one piece of the table.");
    for label in ["unsalted", "row-hasher", "digest-salt, 2 digits"] {
        let verdict = verdict(&report, label);
        assert_eq!(verdict.standing, Suitability::Unreadable);
        says(
            &verdict.against,
            "A scan of a domain: impossible: only the keys of a web-table",
        );
    }

    // Numbers have no domain.
    let ids = (0..2_000).map(|id| format!("{id:06}"));
    let report = advised(profile(ids), &reading(Read::Domain, 1));
    assert_eq!(report.advice.design, None);
    says(
        &report.advice.reasons,
        "A scan of a domain: impossible: the keys are not web addresses",
    );
}

/// Tests a regression: keys that arrive in sorted runs, such as nightly imports, were to be left as
/// they are, because the newest twentieth of them was several runs. Each run goes to one tablet
/// after the other, so one server works at a time. Sixteen interleaved sequences, which spread, got
/// the warning instead.
#[test]
fn sorted_runs_are_salted_and_interleaved_sequences_are_not() {
    let together = |reason: &DesignReason| matches!(reason, DesignReason::Load(LoadReason::RunsTogether(windows)) if windows.places < 9.0);
    let run = |run: u32| (0..2_000).map(move |key| format!("{:06}-{run}", key * 37));
    for number in [4, 16] {
        let runs = advised(profile((0..40).flat_map(run)), &servers(number));
        let unsalted = verdict(&runs, "unsalted");
        assert_eq!(unsalted.standing, Suitability::Uneven, "{number} servers");
        assert!(unsalted.against.iter().any(together), "{unsalted:?}");
    }
    let keys = (0..20_000).map(|key| format!("{:x}-{:09}", key % 16, key / 16));
    let interleaved = advised(profile(keys), &servers(4));
    let unsalted = verdict(&interleaved, "unsalted");
    assert!(!unsalted.against.iter().any(together), "{unsalted:?}");
    let warns = |finding: &Finding| matches!(finding, Finding::Order(OrderFinding::Ascending(_)));
    assert!(!interleaved.advice.findings.iter().any(warns));
}

#[test]
fn warns_of_ascending_keys_however_few_or_displaced() {
    let place = |keys: Vec<String>| {
        let report = advised(profile(keys), &servers(4));
        let mut findings = report.advice.findings.iter().map(ToString::to_string);
        findings
            .find(|finding| finding.starts_with("Keys ascend"))
            .unwrap()
    };
    for number in [200, 500, 1_000, 5_000] {
        let told = place((0..number).map(|key| format!("{key:06}")).collect());
        assert!(told.contains("the end of the table"), "{number}: {told}");
    }
    let mut displaced: Vec<_> = (0_u64..50_000)
        .map(|key| (key + key * 7_919 % 400, key))
        .collect();
    displaced.sort_unstable();
    let told = place(
        displaced
            .iter()
            .map(|(_, key)| format!("{key:06}"))
            .collect(),
    );
    assert!(told.contains("the end of the table"), "{told}");
}
