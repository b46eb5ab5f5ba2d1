//! Tables with a hot tablet or a hot server, for many reasons, which `verify` fails with the reason
//! first. And tables that only look like them, which pass.
//!
//! A spec of 20 tablets was applied, and rows were loaded without the hasher: 98.7 % of them were
//! in one tablet, and the verdict was OK, because rows outside of all recipes were not counted. The
//! verdict on a table of URLs with one tablet at 9 times the mean was OK, too, because the hash was
//! even. A verdict has to show whether a server is hot, not only whether the hash is sound.

#![cfg(test)]

mod servers;

use std::collections::{BTreeMap, BTreeSet};

use fluo_keys::{
    DigestSalt, HashScheme, KeyDesign, LoadStanding, MaxSkew, Modulo, RowCounting, RowHasher,
    SaltedPart, TableOptimizations, TableRequirement, Unsalted, Verdict, VerifyOptions,
};
use fluo_table::balancer::group_balancers;
use fluo_table::table::property;
use fluo_table::{
    Authorizations, Bytes, Column, MemoryTables, Mutation, SystemClock, TableAdmin, Versions,
};
use servers::Servers;

const TABLE: &str = "pages";

/// Real rows: 43 % of them are on one host.
const ROWS: &str = include_str!("../../../examples/data/package-homepages.txt");

/// A table, with the arguments of its verification.
struct Scene {
    /// The applied optimizations.
    spec: TableOptimizations,
    /// The verified optimizations, if they differ from the applied ones.
    verified: Option<TableOptimizations>,
    rows: Vec<Bytes>,
    column: Column,
    /// Returns `true` for rows that have forty cells instead of one.
    is_wide: fn(&[u8]) -> bool,
    added: Vec<&'static str>,
    merged: Option<(&'static str, &'static str)>,
    property: Option<(&'static str, &'static str)>,
    servers: usize,
    /// The server of each tablet, if the balancer does not choose it.
    placed: Vec<Option<usize>>,
    options: VerifyOptions,
}

impl Scene {
    fn new(spec: TableOptimizations, rows: impl IntoIterator<Item = Bytes>) -> Self {
        Self {
            spec,
            verified: None,
            rows: rows.into_iter().collect(),
            column: Column::new("page", "uri"),
            is_wide: |_| false,
            added: Vec::new(),
            merged: None,
            property: None,
            servers: 4,
            placed: Vec::new(),
            options: VerifyOptions::new(),
        }
    }

    fn verified_as(mut self, spec: TableOptimizations) -> Self {
        self.verified = Some(spec);
        self
    }

    fn and(mut self, rows: impl IntoIterator<Item = Bytes>) -> Self {
        self.rows.extend(rows);
        self
    }

    fn with_others(mut self) -> Self {
        self.options = self.options.allow_other_rows(true);
        self
    }

    fn counting(mut self, rows: RowCounting) -> Self {
        self.options = self.options.rows(rows);
        self
    }

    async fn verdict(self) -> Verdict {
        let servers = Servers {
            tables: MemoryTables::with(std::sync::Arc::new(SystemClock), self.servers),
            loaded: group_balancers().map(|(probe, _)| probe).collect(),
            placed: self.placed,
            inherited: BTreeMap::new(),
            refused: None,
            is_unreadable: false,
        };
        servers.create_table(TABLE, Versions::default()).await.unwrap();
        let plan = self.spec.plan(&servers, TABLE).await.unwrap();
        plan.apply(&servers).await.unwrap();
        let added: BTreeSet<_> = self.added.iter().map(|row| Bytes::from(*row)).collect();
        servers.add_splits(TABLE, &added).await.unwrap();
        if let Some((after, last)) = self.merged {
            let (start, end) = (after.as_bytes(), format!("{last}\0"));
            let start = (!start.is_empty()).then_some(start);
            servers.merge(TABLE, start, Some(end.as_bytes())).await.unwrap();
        }
        if let Some((name, value)) = self.property {
            servers.set_property(TABLE, name, value).await.unwrap();
        }
        let table = servers.open_table(TABLE, Authorizations::none()).await.unwrap();
        let mutation = |row: Bytes| {
            let more = if (self.is_wide)(&row) { 39 } else { 0 };
            let mutation = Mutation::new(row).put(self.column.clone(), "");
            (0..more)
                .fold(mutation, |mutation, n| mutation.put(Column::new("page", n.to_string()), ""))
        };
        table.write(self.rows.into_iter().map(mutation).collect()).await.unwrap();
        let spec = self.verified.as_ref().unwrap_or(&self.spec);
        spec.verify(&servers, TABLE).options(&self.options).await.unwrap()
    }
}

fn sentences(verdict: &Verdict) -> Vec<String> {
    verdict.differences.iter().map(ToString::to_string).collect()
}

fn hasher(prefix: &str) -> RowHasher {
    RowHasher::new(prefix).unwrap()
}

fn hashed(prefix: &str, tablets: u32) -> TableOptimizations {
    hasher(prefix).table_optimizations(tablets).unwrap()
}

fn two(p: u32, q: u32) -> TableOptimizations {
    hashed("p", p).merge(hashed("q", q)).unwrap()
}

fn sha1(prefix: &str) -> RowHasher {
    RowHasher::with_scheme(prefix, HashScheme::Sha1Base32).unwrap()
}

fn modulo(buckets: u32) -> KeyDesign {
    KeyDesign::new(Modulo { buckets, ..Modulo::default() }).unwrap()
}

/// Returns a salt of the host, which ends before the first `/`.
fn by_host(digits: u8) -> KeyDesign {
    KeyDesign::new(DigestSalt {
        digits,
        over: SaltedPart::Before("/".to_owned()),
        ..DigestSalt::default()
    })
    .unwrap()
}

fn of(design: &KeyDesign, tablets: u32) -> TableOptimizations {
    TableOptimizations::for_key_design(design, tablets).unwrap()
}

/// Returns a recipe whose tablets are uneven by design.
fn queue() -> TableOptimizations {
    let splits = ["queue:1", "queue:2", "queue:3"].map(Bytes::from);
    let queue = TableRequirement::builder("the queue").prefix("queue:").splits(splits);
    queue.shares([6, 2, 1, 1]).build().unwrap().into()
}

/// Returns rows of the queue, with this number in each tablet.
fn queued(counts: [usize; 4]) -> Vec<Bytes> {
    let tablets = counts.iter().enumerate();
    tablets.flat_map(|(tablet, count)| literal(&format!("queue:{tablet}/"), *count)).collect()
}

/// Returns plain rows in the given tablets.
fn unsalted(splits: &[&'static str]) -> TableOptimizations {
    let design = KeyDesign::new(Unsalted {}).unwrap();
    let splits = splits.iter().map(|row| Bytes::from(*row));
    TableRequirement::for_key_design_at(&design, splits).unwrap().into()
}

fn plain() -> impl Iterator<Item = Bytes> {
    ROWS.lines().map(Bytes::from)
}

fn numbered(count: usize) -> impl Iterator<Item = Bytes> {
    (0..count).map(|n| format!("row-{n}").into())
}

fn under(prefix: &str, rows: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let hasher = hasher(prefix);
    rows.into_iter().map(|row| hasher.add(&row)).collect()
}

/// Returns optimizations of one tablet for each prefix, and 1,000 rows under each.
fn one_tablet_each(prefixes: &[&str]) -> (TableOptimizations, Vec<Bytes>) {
    let specs = prefixes.iter().map(|prefix| hashed(prefix, 1));
    let spec = specs.reduce(|all, one| all.merge(one).unwrap()).unwrap();
    let rows = prefixes.iter().flat_map(|prefix| under(prefix, numbered(1_000)));
    (spec, rows.collect())
}

fn keys(design: &KeyDesign, rows: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let add = |row: Bytes| design.encode_row(&row).unwrap();
    rows.into_iter().map(add).collect()
}

fn literal(prefix: &str, count: usize) -> Vec<Bytes> {
    (0..count).map(|n| format!("{prefix}{n:06}").into()).collect()
}

/// Returns keys of a hasher that are all in its first tablet of 20.
fn in_the_first(prefix: &str, count: usize) -> Vec<Bytes> {
    let hasher = hasher(prefix);
    let end = format!("{prefix}:1");
    (0..)
        .map(|n: u32| hasher.add(format!("twin-{n}").as_bytes()))
        .filter(|key| key.as_ref() < end.as_bytes())
        .take(count)
        .collect()
}

/// Returns a table with even rows, which have forty cells each in one of the tablets.
fn wide() -> Scene {
    Scene {
        is_wide: |row| row < b"p:1sst".as_slice(),
        ..Scene::new(hashed("p", 20), under("p", plain()))
    }
}

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
            Scene::new(hashed("p", 20), under("p", plain())).and(literal("zebra", 700)),
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
            Scene {
                merged: Some(("p:1sst", "p:i002")),
                ..Scene::new(hashed("p", 20), under("p", plain()))
            },
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
            Scene { placed: vec![Some(2); 21], ..Scene::new(hashed("p", 20), under("p", plain())) },
            "group `p:`: a server holds 20 of its 20 tablets, another 0",
        ),
        (
            "tablets are on no server",
            Scene {
                placed: [None; 12].into_iter().chain([Some(0), Some(1)]).collect(),
                ..Scene::new(hashed("p", 20), under("p", plain()))
            },
            "group `p:`: 12 of 20 tablets are on no server",
        ),
        (
            "the groups are wrong",
            Scene {
                property: Some((property::GROUP_PATTERN, "(x).*")),
                ..Scene::new(hashed("p", 20), under("p", plain()))
            },
            "property table.custom.balancer.group.regex.pattern is `(x).*`, it should be `(\\Qp:\\E).*`",
        ),
        (
            "the table is half migrated",
            {
                let before = modulo(10);
                let after = modulo(64);
                let spec = TableRequirement::for_key_design(&after, 16).unwrap();
                let spec = TableOptimizations::from(spec.after([before.clone()]));
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
            Scene {
                column: Column::new("page", "uri").with_visibility("secret"),
                ..Scene::new(hashed("p", 20), plain())
            },
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

/// Returns tables with the reservation in their verdict.
fn even_tables() -> Vec<(&'static str, Scene, &'static str)> {
    vec![
        // No tablet had more than 1.1 times the mean, but the table was never OK: with enough rows,
        // the test distinguishes an even hash from a slightly uneven one, such as Java's for
        // consecutive ids.
        (
            "consecutive ids by their hash modulo 16",
            Scene::new(of(&modulo(16), 16), keys(&modulo(16), literal("user", 20_000))),
            "",
        ),
        ("a hasher", Scene::new(hashed("p", 20), under("p", plain())), ""),
        (
            "a hasher of another scheme",
            Scene::new(
                sha1("p").table_optimizations(64).unwrap(),
                numbered(30_000).map(|row| sha1("p").add(&row)),
            ),
            "",
        ),
        ("a bucket", Scene::new(of(&modulo(10), 4), keys(&modulo(10), plain())), ""),
        (
            "buckets that tablets cannot share evenly",
            Scene { servers: 2, ..Scene::new(of(&modulo(3), 2), keys(&modulo(3), plain())) },
            "",
        ),
        (
            "hosts of which none is hot",
            Scene::new(
                of(&by_host(2), 8),
                keys(&by_host(2), (0..20_000).map(|n| format!("host-{}/{n}", n % 4_000).into())),
            ),
            "",
        ),
        (
            "a hot host that the spec accepts",
            {
                let mut scene = Scene::new(of(&by_host(2), 20), keys(&by_host(2), plain()));
                scene.options = scene.options.max_skew(MaxSkew::new(12.0).unwrap());
                scene
            },
            "",
        ),
        (
            "recipes of very different sizes",
            Scene::new(two(20, 20), under("p", numbered(40_000))).and(under("q", numbered(1_000))),
            "",
        ),
        (
            "a large recipe in few tablets beside a small one in many",
            Scene::new(two(4, 20), under("p", numbered(20_000))).and(under("q", numbered(1_000))),
            "",
        ),
        (
            "three tablets on two servers",
            Scene { servers: 2, ..Scene::new(hashed("p", 3), under("p", numbered(50_000))) },
            "",
        ),
        (
            "extra split points that pass, in empty space",
            Scene {
                added: vec![
                    "a", "b", "c", "p:1sst:", "p:1sst;", "p:1sst<", "p:1sst=", "q", "r", "s", "t",
                ],
                options: VerifyOptions::new().allow_extra_splits(true),
                ..Scene::new(hashed("p", 20), under("p", plain()))
            },
            "",
        ),
        (
            "other rows that the spec allows",
            Scene::new(hashed("p", 20), under("p", plain())).and(literal("z", 300)).with_others(),
            "",
        ),
        (
            "no salt, and evenly spread rows",
            Scene::new(
                unsalted(&["tenant-2", "tenant-4", "tenant-6", "tenant-8"]),
                (0..10).flat_map(|tenant| literal(&format!("tenant-{tenant}/"), 200)),
            ),
            "",
        ),
        // The group was compared with equal tablets, and was too full although each tablet had its
        // share.
        (
            "tablets that are to be uneven, and are",
            Scene { servers: 1, ..Scene::new(queue(), queued([6_000, 2_000, 1_000, 1_000])) },
            "",
        ),
        (
            "fewer tablets than servers, none of which has twice the mean",
            Scene::new(hashed("p", 3), under("p", numbered(5_000))),
            "",
        ),
        ("few rows in one tablet", Scene::new(unsalted(&[]), plain().take(9)), ""),
        (
            "the first rows of a table with one tablet on one server",
            Scene { servers: 1, ..Scene::new(unsalted(&[]), plain()) },
            "",
        ),
        (
            "one tablet for four servers, which the limit accepts",
            {
                let mut scene = Scene::new(unsalted(&[]), plain());
                scene.options = scene.options.max_skew(MaxSkew::new(4.5).unwrap());
                scene
            },
            "",
        ),
        ("rows with many cells in one tablet, of which the first are counted", wide(), ""),
        ("no rows", Scene::new(hashed("p", 20), []), "; it has no rows, so evenness is not proved"),
        (
            "three rows",
            Scene::new(hashed("p", 20), under("p", numbered(3))),
            "; row hasher `p` has too few rows to tell (3), so evenness is not proved",
        ),
        (
            "three rows in one tablet",
            Scene::new(hashed("p", 20), in_the_first("p", 3)),
            "; row hasher `p` has too few rows to tell (3), so evenness is not proved",
        ),
        (
            "one recipe of two has no rows yet",
            Scene::new(two(20, 4), under("p", plain())),
            "; row hasher `q` has too few rows to tell (0), so evenness is not proved",
        ),
        (
            "rows that are not counted",
            Scene::new(hashed("p", 20), under("p", plain())).counting(RowCounting::Skip),
            "; its rows were not counted and their keys not checked, so evenness is not proved",
        ),
        (
            "rows that are too many to count",
            Scene::new(hashed("p", 20), under("p", plain())).counting(RowCounting::UpTo(4_207)),
            "; its rows were not counted and their keys not checked, so evenness is not proved",
        ),
    ]
}

#[tokio::test]
async fn passes_an_even_table_with_its_reservations() {
    for (name, scene, reservation) in even_tables() {
        let verdict = scene.verdict().await;
        assert!(verdict.ok, "{name}: {:#?}", sentences(&verdict));
        assert_eq!(verdict.to_string(), format!("OK: table pages{reservation}"), "{name}");
    }
}

#[tokio::test]
async fn required_rows_that_are_missing_are_a_difference() {
    for (scene, reason) in [
        (Scene::new(hashed("p", 20), []), "it has no rows"),
        (
            Scene::new(hashed("p", 20), under("p", numbered(3))),
            "row hasher `p` has too few rows to tell (3)",
        ),
        (
            Scene::new(hashed("p", 20), under("p", plain())).counting(RowCounting::Skip),
            "its rows were not counted and their keys not checked",
        ),
    ] {
        let mut scene = scene;
        scene.options = scene.options.require_rows(true);
        let told = sentences(&scene.verdict().await);
        assert_eq!(told, [format!("evenness is required, but not proved: {reason}")]);
    }
    let mut scene = Scene::new(hashed("p", 20), under("p", plain()));
    scene.options = scene.options.require_rows(true);
    assert!(scene.verdict().await.ok);
}

/// After a migration the old places of rows were stored as deleted entries, and a check of entries
/// alone reported a skew that no row had.
#[tokio::test]
async fn counts_rows_if_entries_are_uneven() {
    let even = Scene::new(hashed("p", 20), under("p", plain()));
    for (scene, most, counted, ok) in [
        (wide(), 1_000_000, true, true),
        // There are more entries.
        (wide(), 4_208, false, false),
        (even, 1_000_000, false, true),
    ] {
        let uneven = RowCounting::IfUneven(most);
        let verdict = scene.counting(uneven).verdict().await;
        assert_eq!((verdict.counted, verdict.ok), (counted, ok), "{verdict}");
    }
}

#[tokio::test]
async fn serializes_figures_and_differences_as_data() {
    let verdict = Scene::new(hashed("p", 20), plain()).verdict().await;
    let json = serde_json::to_value(&verdict).unwrap();
    let tablet = serde_json::json!({ "end_row": "p:1sst", "server": "server-002" });
    let [others, tablets, servers] = [0, 1, 2].map(|index| &json["differences"][index]);
    assert_eq!(
        *others,
        serde_json::json!({
            "kind": "other_rows", "rows": 4_208, "total": 4_208, "first": "ar.com.blitiri/git/r/systemd/",
        })
    );
    assert_eq!(tablets["kind"], "hot_tablet");
    let load = &tablets["load"];
    assert_eq!(load["fullest"], serde_json::json!({ "tablet": tablet }));
    assert_eq!(
        (&load["places"], &load["total"], &load["largest"]),
        (&20.into(), &4_208.into(), &4_153.into())
    );
    assert_eq!(
        (&load["standing"], &load["limit"], &load["counted"]),
        (&"too_full".into(), &2.0.into(), &true.into())
    );
    assert!((load["skew"].as_f64().unwrap() - 19.738).abs() < 0.001);
    assert_eq!(servers["kind"], "hot_server");
    assert_eq!(servers["load"]["fullest"]["server"], "server-002");
    assert_eq!((&json["other_rows"], &json["max_skew"]), (&4_208.into(), &2.0.into()));
    assert_eq!(json["rows"][0]["standing"], "too_few_to_tell");
    assert_eq!(json["rows_per_server"].as_object().unwrap().len(), 4);

    let even = Scene::new(hashed("p", 20), under("p", plain()));
    let load = even.verdict().await.rows.remove(0).load;
    assert_eq!((load.places, load.largest), (20, 228));
    assert_eq!(load.standing, LoadStanding::Even);
}
