//! Tables that only look like tables with a hot tablet: they pass, with a reservation if their rows
//! prove nothing.

use fluo_keys::{LoadStanding, RowCounting, Unproved, VerifyOptions};

use crate::scene::{
    Scene, by_host, even, hashed, in_the_first, keys, literal, modulo, numbered, of, plain, queue,
    queued, sha1, two, under, unsalted, wide,
};
use crate::sentences;

/// Returns tables whose rows prove that they are even.
fn even_tables() -> Vec<(&'static str, Scene)> {
    vec![
        // No tablet had more than 1.1 times the mean, but the table was never OK: with enough rows,
        // the test distinguishes an even hash from a slightly uneven one, such as Java's for
        // consecutive ids.
        (
            "consecutive ids by their hash modulo 16",
            Scene::new(of(&modulo(16), 16), keys(&modulo(16), literal("user", 20_000))),
        ),
        ("a hasher", even()),
        (
            "a hasher of another scheme",
            Scene::new(
                sha1("p").table_optimizations(64).unwrap(),
                numbered(30_000).map(|row| sha1("p").add(&row)),
            ),
        ),
        ("a bucket", Scene::new(of(&modulo(10), 4), keys(&modulo(10), plain()))),
        (
            "buckets that tablets cannot share evenly",
            Scene { servers: 2, ..Scene::new(of(&modulo(3), 2), keys(&modulo(3), plain())) },
        ),
        (
            "hosts of which none is hot",
            Scene::new(
                of(&by_host(2), 8),
                keys(&by_host(2), (0..20_000).map(|n| format!("host-{}/{n}", n % 4_000).into())),
            ),
        ),
        (
            "a hot host that the spec accepts",
            Scene::new(of(&by_host(2), 20), keys(&by_host(2), plain())).accepting(12.0),
        ),
        (
            "recipes of very different sizes",
            Scene::new(two(20, 20), under("p", numbered(40_000))).and(under("q", numbered(1_000))),
        ),
        (
            "a large recipe in few tablets beside a small one in many",
            Scene::new(two(4, 20), under("p", numbered(20_000))).and(under("q", numbered(1_000))),
        ),
        (
            "three tablets on two servers",
            Scene { servers: 2, ..Scene::new(hashed("p", 3), under("p", numbered(50_000))) },
        ),
        (
            "extra split points that pass, in empty space",
            Scene {
                added: vec![
                    "a", "b", "c", "p:1sst:", "p:1sst;", "p:1sst<", "p:1sst=", "q", "r", "s", "t",
                ],
                options: VerifyOptions::new().allow_extra_splits(true),
                ..even()
            },
        ),
        ("other rows that the spec allows", even().and(literal("z", 300)).with_others()),
        (
            "no salt, and evenly spread rows",
            Scene::new(
                unsalted(&["tenant-2", "tenant-4", "tenant-6", "tenant-8"]),
                (0..10).flat_map(|tenant| literal(&format!("tenant-{tenant}/"), 200)),
            ),
        ),
        // The group was compared with equal tablets, and was too full although each tablet had its
        // share.
        (
            "tablets that are to be uneven, and are",
            Scene { servers: 1, ..Scene::new(queue(), queued([6_000, 2_000, 1_000, 1_000])) },
        ),
        (
            "fewer tablets than servers, none of which has twice the mean",
            Scene::new(hashed("p", 3), under("p", numbered(5_000))),
        ),
        ("few rows in one tablet", Scene::new(unsalted(&[]), plain().take(9))),
        (
            "the first rows of a table with one tablet on one server",
            Scene { servers: 1, ..Scene::new(unsalted(&[]), plain()) },
        ),
        (
            "one tablet for four servers, which the limit accepts",
            Scene::new(unsalted(&[]), plain()).accepting(4.5),
        ),
    ]
}

/// Returns tables whose rows prove nothing, with the reason.
fn unproved_tables() -> Vec<(&'static str, Scene, &'static str)> {
    let few = "row hasher `p` has too few rows to tell (3)";
    let uncounted = "its rows were not counted and their keys not checked";
    vec![
        ("no rows", Scene::new(hashed("p", 20), []), "it has no rows"),
        ("three rows", Scene::new(hashed("p", 20), under("p", numbered(3))), few),
        ("three rows in one tablet", Scene::new(hashed("p", 20), in_the_first("p", 3)), few),
        (
            "one recipe of two has no rows yet",
            Scene::new(two(20, 4), under("p", plain())),
            "row hasher `q` has too few rows to tell (0)",
        ),
        ("rows that are not counted", even().counting(RowCounting::Skip), uncounted),
        ("too many rows to count", even().counting(RowCounting::UpTo(4_207)), uncounted),
        (
            "rows with many cells in one tablet",
            wide(),
            "tablet `p:1sst` on server-002 has 8,600 of 12,593 entries, although rows are even (labels, deleted cells or long rows)",
        ),
        (
            "rows of no recipe that only a label shows",
            Scene {
                is_labeled: |row| row.starts_with(b"zzz"),
                ..even().and(literal("zzz", 3_000))
            },
            "the last tablet on server-001 has 3,000 of 7,208 entries, although rows are even (labels, deleted cells or long rows)",
        ),
    ]
}

#[tokio::test]
async fn passes_an_even_table_with_its_reservations() {
    for (name, scene) in even_tables() {
        let verdict = scene.verdict().await;
        assert!(verdict.ok, "{name}: {:#?}", sentences(&verdict));
        assert_eq!(verdict.to_string(), "OK: table pages", "{name}");
    }
    for (name, scene, reason) in unproved_tables() {
        let expected = format!("OK: table pages; {reason}, so evenness is not proved");
        assert_eq!(scene.verdict().await.to_string(), expected, "{name}");
    }
}

#[tokio::test]
async fn required_rows_that_are_missing_are_a_difference() {
    for (name, scene, reason) in unproved_tables() {
        let told = sentences(&scene.requiring_rows().verdict().await);
        assert_eq!(told, [format!("evenness is required, but not proved: {reason}")], "{name}");
    }
    assert!(even().requiring_rows().verdict().await.ok);
}

/// After a migration the old places of rows were stored as deleted entries, and a check of entries
/// alone reported a skew that no row had.
#[tokio::test]
async fn counts_rows_if_entries_are_uneven() {
    let even = even();
    for (scene, most, counted, ok) in [
        (wide(), 1_000_000, true, true),
        // There are more entries.
        (wide(), 4_208, false, false),
        (even, 1_000_000, false, true),
    ] {
        let uneven = RowCounting::IfUneven(most);
        let verdict = scene.counting(uneven).verdict().await;
        assert_eq!((verdict.counted, verdict.ok), (counted, ok), "{verdict}");
        let is_unproved = matches!(verdict.unproved, Some(Unproved::UnevenEntries { .. }));
        assert_eq!(is_unproved, counted, "{verdict}");
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

    let even = even();
    let load = even.verdict().await.rows.remove(0).load;
    assert_eq!((load.places, load.largest), (20, 228));
    assert_eq!(load.standing, LoadStanding::Even);
}
