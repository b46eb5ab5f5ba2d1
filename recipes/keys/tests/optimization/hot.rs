//! Tables with a hot tablet or a hot server, for many reasons, which `verify` fails with the reason
//! first.
//!
//! A spec of 20 tablets was applied, and rows were loaded without the hasher: 98.7 % of them were
//! in one tablet, and the verdict was OK, because rows outside of all recipes were not counted. The
//! verdict on a table of URLs with one tablet at 9 times the mean was OK, too, because the hash was
//! even. A verdict has to show whether a server is hot, not only whether the hash is sound.

use fluo_keys::{
    DigestSalt, KeyDesign, RowCounting, TableOptimizations, TableRequirement, VerifyOptions,
};
use fluo_table::Bytes;
use fluo_table::table::property;

use crate::scene::{
    Scene, by_host, even, hashed, in_the_first, keys, literal, modulo, numbered, of,
    one_tablet_each, plain, queue, queued, sha1, two, under, unsalted, wide,
};
use crate::sentences;

/// Returns tables with the beginning of their first difference.
fn hot_tables() -> Vec<(&'static str, Scene, &'static str)> {
    vec![
        (
            "the rows of one tablet have many cells, and entries are compared",
            wide().counting(RowCounting::Skip),
            "row hasher `p`: tablet `p:1sst` on server-002 holds 8,600 of 12,593 entries, 13.65 times",
        ),
        (
            "the hasher is forgotten",
            Scene::new(hashed("p", 20), plain()),
            "rows of no recipe: 4,208 of 4,208, the first is `",
        ),
        (
            "the hasher is forgotten for a part of the rows",
            even().and(literal("zebra", 700)),
            "rows of no recipe: 700 of 4,908, the first is `zebra000000`",
        ),
        (
            "the prefix is another",
            Scene::new(hashed("p", 20), under("q", plain())),
            "rows of no recipe: 4,208 of 4,208, the first is `q:",
        ),
        (
            "the prefix begins with that of the recipe",
            Scene::new(hashed("p", 20), under("p", numbered(500))).and(under("pq", plain())),
            "rows of no recipe: 4,208 of 4,708, the first is `pq:",
        ),
        (
            "the prefix has another below it",
            Scene::new(hashed("p", 20), under("p:x", plain())),
            "row hasher `p`: rows that are not its keys: 4,208, the first is `p:x:",
        ),
        (
            "the scheme is another",
            Scene::new(hashed("p", 20), plain().map(|row| sha1("p").add(&row)).collect::<Vec<_>>()),
            "row hasher `p`: rows that are not its keys: 4,208, the first is `p:",
        ),
        (
            "the hashes are in upper case",
            Scene::new(
                hashed("p", 20),
                under("p", plain()).into_iter().map(|key| {
                    let text = std::str::from_utf8(&key).unwrap();
                    let (salt, row) = text.split_at(6);
                    Bytes::from(salt.to_uppercase().replacen("P:", "p:", 1) + row)
                }),
            ),
            "row hasher `p`: rows that are not its keys: 4,184, the first is `p:",
        ),
        (
            "one host has nearly half of the rows",
            Scene::new(of(&by_host(2), 20), keys(&by_host(2), plain())),
            "key design digest-salt: tablet `e6` on server-004 holds 1,890 of 4,208 rows, 8.84 times its share; the limit is 2",
        ),
        (
            "the salt is of the host although keys were salted as a whole",
            Scene::new(
                of(&by_host(2), 20),
                keys(&KeyDesign::new(DigestSalt::default()).unwrap(), plain()),
            ),
            "key design digest-salt: rows that are not its keys: 4,013",
        ),
        (
            "split points are missing",
            Scene { merged: Some(("p:1sst", "p:i002")), ..even() },
            "9 split points are missing, the first is `p:3llm`",
        ),
        (
            "all split points are missing",
            Scene::new(hashed("q", 4), under("p", plain())).verified_as(hashed("p", 20)),
            "20 split points are missing, the first is `p:1sst`",
        ),
        (
            "extra split points pass, and hide no hot host",
            Scene {
                added: vec!["g", "h", "i", "j", "k"],
                options: VerifyOptions::new().allow_extra_splits(true),
                ..Scene::new(of(&by_host(2), 20), keys(&by_host(2), plain()))
            },
            "key design digest-salt: tablet `e6` on server-003 holds 1,890 of 4,208 rows, 8.84 times",
        ),
        (
            "one server has everything",
            Scene { placed: vec![Some(2); 21], ..even() },
            "group `p:`: a server holds 20 of its 20 tablets, another 0",
        ),
        (
            "tablets are on no server",
            Scene { placed: [None; 12].into_iter().chain([Some(0), Some(1)]).collect(), ..even() },
            "group `p:`: 12 of 20 tablets are on no server",
        ),
        (
            "the groups are wrong",
            Scene { property: Some((property::GROUP_PATTERN, "(x).*")), ..even() },
            "property table.custom.balancer.group.regex.pattern is `(x).*`, it should be `(\\Qp:\\E).*`",
        ),
        (
            "the table is half migrated",
            {
                let before = modulo(10);
                let after = modulo(64);
                let spec = TableRequirement::for_key_design(&after, 16).unwrap();
                let spec = TableOptimizations::from(spec.after([before.clone()]).unwrap());
                Scene::new(spec, keys(&after, plain().take(2_000)))
                    .and(keys(&before, plain().skip(2_000)))
            },
            "key design modulo: rows of an earlier design: 2,160 of 4,208; migrate them",
        ),
        (
            "the number of salts is wrong",
            Scene::new(of(&modulo(64), 16), keys(&modulo(10), plain())),
            "key design modulo: rows that are not its keys: 4,101",
        ),
        (
            "rows come after the last split point",
            Scene::new(unsalted(&["g", "n", "t"]), literal("z", 4_000)),
            "key design unsalted: the last tablet on server-004 holds 4,000 of 4,000 rows, 4.00 times its share; the limit is 2",
        ),
        (
            "keys ascend with time",
            Scene::new(unsalted(&["2024", "2025", "2026", "2027"]), literal("2026-07-", 5_000)),
            "key design unsalted: tablet `2027` on server-003 holds 5,000 of 5,000 rows",
        ),
        (
            "one family of rows is hot",
            Scene::new(
                unsalted(&["tenant-2", "tenant-4", "tenant-6", "tenant-8"]),
                literal("tenant-3/", 900),
            )
            .and((0..10).flat_map(|tenant| literal(&format!("tenant-{tenant}/"), 60))),
            "key design unsalted: tablet `tenant-4` on server-001 holds 960 of 1,440 rows, 3.33 times",
        ),
        (
            "the small one of two recipes is hot",
            Scene::new(two(20, 20), under("p", numbered(20_000))).and(in_the_first("q", 120)),
            "row hasher `q`: its 120 rows are not spread evenly (p below 1e-300)",
        ),
        (
            "other rows are allowed and hot",
            Scene::new(hashed("p", 20), under("p", numbered(1_000)))
                .and(literal("z", 50_000))
                .with_others(),
            "rows of no recipe: the last tablet on server-001 holds 50,000 of 51,000 rows",
        ),
        (
            "other rows are allowed and are all there is",
            Scene::new(hashed("p", 20), plain()).with_others(),
            "rows of no recipe: tablet `p:1sst` on server-002 holds 4,153 of 4,208 rows, 19.74 times",
        ),
        (
            "other rows are allowed and fill a tablet of the recipe",
            Scene::new(hashed("p", 20), under("p", numbered(10_000)))
                .and(literal("a", 700))
                .with_others(),
            "rows of no recipe: tablet `p:1sst` on server-002 holds 1,189 of 10,700 rows, 2.22 times",
        ),
        (
            "no row can be seen",
            Scene { is_labeled: |_| true, ..Scene::new(hashed("p", 20), plain()) },
            "row hasher `p`: tablet `p:1sst` on server-002 holds 4,153 of 4,153 entries, 19.99 times",
        ),
        (
            "rows are not counted, and entries are hot",
            Scene::new(hashed("p", 20), plain()).counting(RowCounting::Skip),
            "row hasher `p`: tablet `p:1sst` on server-002 holds 4,153 of 4,153 entries, 19.99 times",
        ),
        (
            "the table is too large to count, and entries of no recipe are hot",
            Scene::new(hashed("p", 20), literal("z", 5_000)).counting(RowCounting::UpTo(4_999)),
            "rows of no recipe: the last tablet on server-001 holds 5,000 of 5,000 entries",
        ),
        (
            "all of few rows are in one of twenty tablets",
            Scene::new(hashed("p", 20), in_the_first("p", 25)),
            "row hasher `p`: tablet `p:1sst` on server-002 holds 25 of 25 rows, 19.99 times",
        ),
        (
            "one of two tablets has nearly everything, which is less than twice the mean",
            Scene::new(unsalted(&["m"]), literal("a", 950)).and(literal("z", 50)),
            "key design unsalted: tablet `m` on server-001 holds 950 of 1,000 rows, 1.90 times its share; the limit is 1.5",
        ),
        // Tablets were compared with the largest share of all, so four times its share was within
        // the limit.
        (
            "a tablet has four times the small share that it is to have",
            Scene::new(queue(), queued([6_000, 2_000, 4_000, 1_000])).counting(RowCounting::Skip),
            "the queue: tablet `queue:3` on server-004 holds 4,000 of 13,000 entries, 3.08 times its share; the limit is 2",
        ),
        // The server was not reported, because an unrelated group was not spread.
        (
            "a server is hot, and the tablets of a small recipe are not spread",
            Scene {
                placed: [0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 0, 0, 0, 0, 0]
                    .map(Some)
                    .to_vec(),
                ..Scene::new(two(1, 20), under("p", numbered(9_000)))
                    .and(under("q", numbered(1_000)))
            },
            "group `q:`: a server holds 7 of its 20 tablets, another 4",
        ),
        (
            "recipes of one tablet each are all on one server",
            {
                let (spec, rows) = one_tablet_each(&["a", "b", "c", "d", "e", "f", "g", "h"]);
                Scene { placed: vec![Some(0); 9], ..Scene::new(spec, rows) }
            },
            "server server-001 holds 8,000 of 8,000 rows, 4.00 times its share; the limit is 2",
        ),
        (
            "three recipes of one tablet each are on one of eight servers",
            {
                let (spec, rows) = one_tablet_each(&["a", "b", "c"]);
                Scene { placed: vec![Some(0); 4], servers: 8, ..Scene::new(spec, rows) }
            },
            "server server-001 holds 3,000 of 3,000 rows, 8.00 times",
        ),
        (
            "a large recipe has fewer tablets than there are servers",
            Scene::new(two(1, 20), under("p", numbered(9_000))).and(under("q", numbered(1_000))),
            "server server-002 holds 9,243 of 10,000 rows, 3.70 times",
        ),
        (
            "the plan has one tablet for four servers",
            Scene::new(unsalted(&[]), plain()),
            "server server-001 holds 4,208 of 4,208 rows, 4.00 times its share; the limit is 2",
        ),
        (
            "the plan has one tablet for four servers, and rows are not counted",
            Scene::new(unsalted(&[]), plain()).counting(RowCounting::Skip),
            "server server-001 holds 4,208 of 4,208 entries, 4.00 times its share; the limit is 2",
        ),
        (
            "the plan has three tablets for eight servers",
            Scene { servers: 8, ..Scene::new(hashed("p", 3), under("p", numbered(5_000))) },
            " of 5,000 rows, 2.7",
        ),
        (
            "the plan puts more than half of the rows on one of four servers",
            Scene::new(queue(), queued([6_000, 2_000, 1_000, 1_000])),
            "server server-002 holds 6,000 of 10,000 rows, 2.40 times its share; the limit is 2",
        ),
    ]
}

#[tokio::test]
async fn reports_the_cause_of_a_hot_table_first() {
    let mut wrong = Vec::new();
    for (name, scene, cause) in hot_tables() {
        let verdict = scene.verdict().await;
        let told = sentences(&verdict);
        if verdict.ok || !told[0].contains(cause) {
            wrong.push(format!("{name}: {told:#?}\nexpected: {cause}"));
            continue;
        }
        assert_eq!(verdict.to_string(), format!("NOT OK: table pages: {}", told[0]));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
