//! `fluo table plan`, `apply` and `verify`: a table is changed to match a spec, and the result is
//! checked.

use std::fs;

use crate::command::{Place, ROWS, SPEC, assert_says};

const PLAN: &str = "table plan --at embedded:d --spec s.toml";
const APPLY: &str = "table apply --at embedded:d";
const VERIFY: &str = "table verify --at embedded:d --spec s.toml";

/// Creates the table `pages` with real rows, not optimized.
fn loaded() -> Place {
    let place = Place::with_table();
    place
        .fed("table load --at embedded:d pages --prefix p -", ROWS)
        .succeeds();
    place
}

/// Covers a bug: the plan replaced the spec without a message.
#[test]
fn refuses_to_save_a_plan_over_its_spec() {
    let place = Place::with_table();
    let before = fs::read(place.path("s.toml")).unwrap();
    for out in ["s.toml", "./s.toml"] {
        assert_eq!(
            place.fluo(&format!("{PLAN} --out {out} pages")).fails(),
            format!(
                "cannot save the plan as {out}: {out} is the spec itself, which would be lost: give another file"
            )
        );
    }
    assert_eq!(fs::read(place.path("s.toml")).unwrap(), before);
}

#[test]
fn optimizes_a_table_of_one_tablet_and_verifies_it() {
    let place = loaded();
    let run = place.fluo(&format!("{VERIFY} pages")).differs();
    assert_says(run.text(), "20 wanted, 20 missing, 0 extra");
    assert!(
        run.text().starts_with(
            "NOT OK: table pages: 20 split points are missing, the first is `p:1sst`\n\n"
        ),
        "{}",
        run.text()
    );
    assert!(
        run.text().ends_with(" differences on table pages.\n"),
        "{}",
        run.text()
    );

    let run = place.fluo(&format!("{PLAN} pages")).succeeds();
    assert_says(
        run.text(),
        "20 split points to add, because the spec asks for them:\n  + p:1sst\n",
    );
    assert_says(
        run.text(),
        "      before  (not set)\n      after   (\\Qp:\\E).*\n",
    );
    assert_says(
        run.text(),
        "In all: 20 split points to add, 0 to remove, 3 properties to set.",
    );
    assert_eq!(run.stderr, "");

    let run = place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    assert_eq!(run.text(), "", "steps are no data");
    assert!(
        run.stderr
            .starts_with("done: add 20 split points, `p:1sst` to `p:~`\n"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.ends_with(
            "table `pages`: 4 steps done; `fluo table verify` proves it\n\
                        spread: every group within one tablet per server\n"
        ),
        "{}",
        run.stderr
    );

    let run = place.fluo(&format!("{VERIFY} pages")).succeeds();
    assert!(
        run.text()
            .ends_with("\nOK: table pages is as the spec says.\n"),
        "{}",
        run.text()
    );
    assert_says(run.text(), "4,208");
    assert_eq!(run.stderr, "");
    let verdict = place.fluo(&format!("{VERIFY} --json pages")).json();
    assert_eq!(
        (&verdict["ok"], &verdict["rows"][0]["total"]),
        (&true.into(), &4_208.into())
    );
}

/// Covers a bug: `load` and `delete` required `--despite-application`, but `apply` did not.
#[test]
fn optimizes_the_table_of_an_application_only_with_despite_application() {
    let place = loaded();
    place.fluo("app init --at embedded:d web").succeeds();
    place
        .fluo("table plan --at embedded:d --spec s.toml --out plan.json web")
        .succeeds();
    for apply in [
        "table apply --at embedded:d --spec s.toml web",
        "table apply --at embedded:d plan.json",
    ] {
        assert_eq!(
            place.fluo(apply).fails(),
            "table `web` belongs to application `web`, which a change outside its transactions can break; \
             --despite-application permits it"
        );
    }
    let apply = "table apply --at embedded:d --spec s.toml --despite-application web";
    assert_says(&place.fluo(apply).succeeds().stderr, "steps done");
    place
        .fluo("table verify --at embedded:d --spec s.toml web")
        .succeeds();
}

#[test]
fn a_second_apply_has_nothing_to_do() {
    let place = Place::with_table();
    place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    let run = place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    assert_eq!(
        (run.text(), run.stderr.as_str()),
        (
            "",
            "nothing to do: table `pages` already matches\nspread: every group within one tablet per server\n"
        )
    );
    let json = place
        .fluo(&format!("{APPLY} --spec s.toml --json pages"))
        .json();
    assert_eq!(
        (&json["table"], &json["done"], &json["already_so"]),
        (&"pages".into(), &serde_json::json!([]), &0.into())
    );
    let tablets = &json["tablets"];
    assert_eq!(
        (&tablets["spread"], &tablets["to_move"]),
        (&true.into(), &0.into()),
        "{json}"
    );
    assert!(
        tablets["seconds"].is_f64() && tablets["groups"][0]["per_server"].is_object(),
        "{json}"
    );
    let json = place
        .fluo(&format!("{APPLY} --spec s.toml --no-wait --json pages"))
        .json();
    assert_eq!(
        json,
        serde_json::json!({ "table": "pages", "done": [], "already_so": 0 })
    );
    let run = place.fluo(&format!("{PLAN} pages")).succeeds();
    assert_says(
        run.text(),
        "\nNothing to do: the table is as the spec says.\n",
    );
}

#[test]
fn plan_writes_nothing_to_the_table() {
    let place = loaded();
    let before = place.shown();
    let json = place
        .fluo(&format!("{PLAN} --out plan.json --json pages"))
        .json();
    assert_eq!(place.shown(), before);
    let saved: serde_json::Value = serde_json::from_str(&place.read("plan.json")).unwrap();
    assert_eq!(saved, json);
    assert_eq!(place.names("."), ["d", "plan.json", "s.toml", "tmp"]);
}

#[test]
fn applies_a_saved_plan_twice() {
    let place = Place::with_table();
    let run = place
        .fluo(&format!("{PLAN} --out plan.json pages"))
        .succeeds();
    assert_eq!(
        run.stderr,
        "saved as plan.json; `fluo table apply --at TARGET plan.json` does it\n"
    );
    let json = place.fluo(&format!("{APPLY} --json plan.json")).json();
    assert_eq!(
        (&json["table"], &json["already_so"]),
        (&"pages".into(), &0.into())
    );
    assert_eq!(json["done"].as_array().unwrap().len(), 4);
    place.fluo(&format!("{VERIFY} pages")).succeeds();

    let run = place.fluo(&format!("{APPLY} plan.json")).succeeds();
    assert!(
        run.stderr.starts_with("already so: add 20 split points"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .ends_with("nothing to do: table `pages` already matches\nspread: every group within one tablet per server\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn refuses_a_saved_plan_after_a_change_of_the_table() {
    let place = Place::with_table();
    place
        .fluo(&format!("{PLAN} --out plan.json pages"))
        .succeeds();
    place.file("q.toml", SPEC.replace("\"p\"", "\"q\""));
    place
        .fluo(&format!("{APPLY} --spec q.toml pages"))
        .succeeds();
    let before = place.shown();
    let message = place.fluo(&format!("{APPLY} plan.json")).fails();
    assert_says(
        &message,
        "table `pages` has changed since the plan was made: split point `q:1sst` was added",
    );
    assert_says(&message, "nothing was done");
    assert_eq!(place.shown(), before);
}

#[test]
fn keeps_extra_split_points_until_they_are_pruned() {
    let place = Place::with_table();
    place.file(
        "more.toml",
        format!("{SPEC}[[row_hasher]]\nprefix = \"q\"\ntablets = 2\n"),
    );
    place
        .fluo(&format!("{APPLY} --spec more.toml pages"))
        .succeeds();

    let run = place.fluo(&format!("{VERIFY} pages")).differs();
    assert_says(run.text(), "20 wanted, 0 missing, 2 extra");
    let run = place.fluo(&format!("{PLAN} pages")).succeeds();
    assert_says(
        run.text(),
        "2 split points that the spec does not ask for; they stay (--prune removes them):\n  ? q:i000\n  ? q:~\n",
    );
    place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    assert_eq!(place.shown()["tablets"].as_array().unwrap().len(), 23);
    place
        .fluo(&format!("{VERIFY} --allow-extra-splits pages"))
        .succeeds();
    place.fluo(&format!("{VERIFY} pages")).differs();

    let run = place.fluo(&format!("{PLAN} --prune pages")).succeeds();
    assert_says(
        run.text(),
        "2 split points to remove, because the spec does not ask for them:\n  - q:i000\n  - q:~\n",
    );
    let run = place
        .fluo(&format!("{APPLY} --spec s.toml --prune pages"))
        .succeeds();
    assert_says(
        &run.stderr,
        "done: remove 2 split points, `q:i000` to `q:~`\n",
    );
    place.fluo(&format!("{VERIFY} pages")).succeeds();
}

/// Covers a bug: a spec of 20 tablets was applied, and rows were loaded without the hasher. 98.7 %
/// of them were in one tablet, but `verify` printed OK, with exit code 0 and "too few rows to
/// tell".
#[test]
fn reports_a_forgotten_hasher_first() {
    let place = Place::with_table();
    place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    place
        .fed("table load --at embedded:d pages --design unsalted -", ROWS)
        .succeeds();
    let run = place.fluo(&format!("{VERIFY} pages")).differs();
    let cause = "rows of no recipe: 4,208 of 4,208, the first is `";
    let first = run.text().lines().next().unwrap();
    assert!(
        first.starts_with(&format!("NOT OK: table pages: {cause}")),
        "{first}"
    );
    let json = place.fluo(&format!("{VERIFY} --json pages")).differs();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert!(
        json["differences"][0]["sentence"]
            .as_str()
            .unwrap()
            .starts_with(cause)
    );
    assert_eq!(json["differences"][0]["rows"], 4_208);

    // Even if the spec allows these rows, a tablet must not be hot.
    place.file("s.toml", format!("other_rows = \"allowed\"\n{SPEC}"));
    let run = place.fluo(&format!("{VERIFY} pages")).differs();
    assert_says(
        run.text(),
        "NOT OK: table pages: rows of no recipe: tablet `p:1sst` on server-002 holds 4,153 of 4,208 rows, 19.74 times \
         its share; the limit is 2\n",
    );
    place.file(
        "s.toml",
        format!("other_rows = \"allowed\"\nmax_skew = 19\n{SPEC}"),
    );
    place.fluo(&format!("{VERIFY} pages")).differs();
    let run = place
        .fluo(&format!("{VERIFY} --max-skew 50 pages"))
        .differs();
    assert_says(run.text(), "; the limit is ");
}

#[test]
fn rejects_limits_below_1() {
    let place = Place::with_table();
    for wrong in ["0.5", "nan", "inf", "x", "-1"] {
        let message = place
            .fluo(&format!("{VERIFY} --max-skew={wrong} pages"))
            .refuses_arguments();
        assert_says(&message, "give a number from 1 to 1,000,000, such as 2");
    }
}

/// Verifies a table before it is loaded, as set-up scripts do.
#[test]
fn accepts_a_table_without_rows_as_not_proved() {
    let place = Place::with_table();
    place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    let run = place.fluo(&format!("{VERIFY} pages")).succeeds();
    assert!(
        run.text().ends_with(
            "\nOK: table pages is as the spec says; it has no rows, so evenness is not proved.\n"
        ),
        "{}",
        run.text()
    );
    let run = place
        .fluo(&format!("{VERIFY} --require-rows pages"))
        .differs();
    assert!(
        run.text().starts_with(
            "NOT OK: table pages: evenness is required, but not proved: it has no rows\n"
        ),
        "{}",
        run.text()
    );
    let json = place.fluo(&format!("{VERIFY} --json pages")).json();
    assert_eq!(json["unproved"], serde_json::json!({ "reason": "no_rows" }));
}

#[test]
fn reports_drift_of_any_kind() {
    let place = loaded();
    place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    for (name, spec) in [
        ("tablets", SPEC.replace("20", "21")),
        ("scheme", format!("{SPEC}scheme = \"sha1-base32\"\n")),
        ("prefix", SPEC.replace("\"p\"", "\"q\"")),
    ] {
        place.file("drifted.toml", spec);
        let arguments = "table verify --at embedded:d --spec drifted.toml";
        let run = place.fluo(&format!("{arguments} pages")).differs();
        assert_says(run.text(), "  ! ");
        let run = place.fluo(&format!("{arguments} --json pages")).differs();
        let verdict: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(verdict["ok"], false, "{name}");
        assert!(
            !verdict["differences"].as_array().unwrap().is_empty(),
            "{name}"
        );
    }
}

#[test]
fn counts_rows_as_the_option_says() {
    let place = loaded();
    place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    let counted = place
        .fluo(&format!("{VERIFY} --rows count pages"))
        .succeeds();
    assert_says(counted.text(), "chi-square ");
    let skipped = place
        .fluo(&format!("{VERIFY} --rows skip pages"))
        .succeeds();
    assert!(!skipped.text().contains("chi-square"), "{}", skipped.text());
    assert!(
        skipped.text().ends_with(
            "OK: table pages is as the spec says; its rows were not counted and their keys not checked, so evenness is not proved.\n"
        ),
        "{}",
        skipped.text()
    );
}

#[test]
fn accepts_two_recipes_in_a_table() {
    let place = Place::with_table();
    place.file(
        "s.toml",
        "[[row_hasher]]\nprefix = \"p\"\ntablets = 3\n[[row_hasher]]\nprefix = \"s\"\ntablets = 2\n\
         scheme = \"sha1-base32\"\n",
    );
    place
        .fed("table load --at embedded:d pages --prefix p -", ROWS)
        .succeeds();
    place
        .fed(
            "table load --at embedded:d pages --design row-hasher,prefix=s,scheme=sha1-base32 -",
            ROWS,
        )
        .succeeds();
    place
        .fluo(&format!("{APPLY} --spec s.toml pages"))
        .succeeds();
    let verdict = place.fluo(&format!("{VERIFY} --json pages")).json();
    let totals: Vec<_> = verdict["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rows| rows["total"].clone())
        .collect();
    assert_eq!(totals, [4_208, 4_208]);
    assert_eq!(
        place.shown()["properties"]["table.custom.balancer.group.regex.pattern"],
        r"(\Qp:\E|\Qs:\E).*"
    );
}

#[test]
fn replaces_the_file_of_a_plan_completely_or_not_at_all() {
    let place = Place::with_table();
    place.file("plan.json", "x".repeat(1 << 20));
    place
        .fluo(&format!("{PLAN} --out plan.json pages"))
        .succeeds();
    place.fluo(&format!("{APPLY} plan.json")).succeeds();

    let message = place
        .fluo(&format!("{PLAN} --out none/plan.json pages"))
        .fails();
    assert_says(&message, "cannot save the plan as none/plan.json: ");
    assert!(!message.contains("at path"), "{message}");
    let message = place.fluo(&format!("{PLAN} --out tmp pages")).fails();
    assert_eq!(message, "cannot save the plan as tmp: it is a directory");
    assert_eq!(place.names("."), ["d", "plan.json", "s.toml", "tmp"]);
}

#[cfg(target_os = "linux")]
#[test]
fn writes_a_plan_to_a_pipe() {
    let place = Place::with_table();
    let run = place
        .fluo(&format!("{PLAN} --out /dev/stdout pages"))
        .succeeds();
    assert!(
        run.text().starts_with("{\n  \"format\": 1,"),
        "{}",
        run.text()
    );
    assert_says(run.text(), "\n}Plan for table pages");
    place
        .fluo(&format!("{PLAN} --out /dev/null pages"))
        .succeeds();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

/// Checks the permissions of a saved plan: another user than its author may apply it.
#[cfg(unix)]
#[test]
fn saves_a_plan_with_default_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::with_table();
    place
        .fluo(&format!("{PLAN} --out plan.json pages"))
        .succeeds();
    let mode = |name: &str| fs::metadata(place.path(name)).unwrap().permissions().mode();
    assert_eq!(mode("plan.json"), mode("s.toml"));
}
