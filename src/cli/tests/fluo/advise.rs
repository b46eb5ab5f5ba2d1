//! The command `fluo advise`: its output, its files and its errors.

use crate::command::{Place, ROWS, assert_says};

fn ids(count: u32) -> String {
    (0..count).map(|id| format!("{id:010}\n")).collect()
}

#[test]
fn prints_findings_figures_and_a_spec() {
    let place = Place::new();
    place.file("keys", ids(20_000));
    let run = place.fluo("advise --servers 4 keys").succeeds();
    assert_eq!(run.stderr, "");
    assert_says(
        run.text(),
        "Next: write it to a file (--write-spec FILE.toml); `fluo table plan --at TARGET --spec FILE.toml TABLE` then shows",
    );
    for part in [
        "Keys of keys\n",
        "note     20,000 keys, 20,000 different, all of 10 bytes, digits.",
        "warning  Keys ascend in their order of arrival (100 % are greater than the one before, rank correlation 1.000;",
        "Of the newest 5.0 % of the keys, no tablet takes more than",
        "Use row-hasher in 16 tablets.",
        "16 tablets: the largest of 16 for 4 servers at 4 each, rounded up to a multiple of the servers.",
        "[[key_design]]",
    ] {
        assert_says(run.text(), part);
    }
}

/// Plans the recommended spec as it is written.
#[test]
fn writes_a_spec_that_can_be_planned() {
    for reads in ["", "--reads range"] {
        let place = Place::with_table();
        place.file("keys", ids(20_000));
        let command = format!("advise --servers 4 {reads} --write-spec advised.toml keys");
        place.fluo(&command).succeeds();
        assert_says(
            &place.read("advised.toml"),
            "[[key_design]]\ntablets = 16\n",
        );
        place
            .fluo("table plan --at embedded:d --spec advised.toml pages")
            .succeeds();
    }
}

#[test]
fn json_contains_everything_except_the_heat_map() {
    let place = Place::new();
    let run = place.fed("advise --servers 4 --seed 3 --json -", ROWS);
    assert_eq!(run.stderr, "");
    let json = run.json();
    assert_eq!(json["source"], "standard input");
    assert_eq!(json["profile"]["keys"], 4_208);
    assert_eq!(json["profile"]["sample"]["seed"], 3);
    assert!(json["profile"].get("heat_map").is_none());
    assert_eq!(json["advice"]["design"], "row-hasher");
    let forecast = &json["forecasts"][1];
    assert_eq!(forecast["label"], "row-hasher");
    let load = &forecast["result"]["possible"]["load"];
    let keys: u64 = load["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|keys| keys.as_u64().unwrap())
        .sum();
    assert_eq!(keys, 4_208);
    assert!(
        json["spec_file"].as_str().unwrap().contains("row-hasher"),
        "{json}"
    );
}

#[test]
fn the_same_seed_gives_the_same_advice() {
    let place = Place::new();
    place.file("keys", ids(70_000));
    let advice = |seed| {
        let run = place
            .fluo(&format!("advise --json --seed {seed} keys"))
            .succeeds();
        // At a terminal, this many keys would show progress. A pipe has none.
        assert_eq!(run.stderr, "");
        run.stdout
    };
    assert_eq!(advice(1), advice(1));
    assert_ne!(advice(1), advice(2));
}

#[test]
fn reads_keys_in_any_encoding() {
    let place = Place::new();
    let json = place
        .fed("advise --encoding hex --json -", "00ff\n0a3c\n")
        .json();
    assert_eq!(json["profile"]["alphabet"]["all"], "binary");
    let message = place.fed("advise --encoding hex -", "00\n0g\n").fails();
    assert_says(&message, "line 2: it is not hex");
}

#[test]
fn unordered_keys_are_not_monotonic() {
    let place = Place::new();
    let run = place.fed("advise --unordered -", ids(1_000)).succeeds();
    assert_says(run.text(), "The keys are not in their order of arrival");
    assert!(!run.text().contains("ascend"), "{}", run.text());
}

#[test]
fn samples_the_rows_of_a_table() {
    let place = Place::with_table();
    place.file("rows", ROWS);
    place
        .fluo("table load --at embedded:d pages --prefix p rows")
        .succeeds();
    let json = place.fluo("advise --at embedded:d pages --json").json();
    assert_eq!(
        (&json["source"], &json["profile"]["keys"]),
        (&"table `pages`".into(), &4_208.into())
    );
    assert_eq!(json["profile"]["order"]["arrivals"], "unordered");
    assert_eq!(json["notes"], serde_json::json!([]));

    place
        .fluo("table apply --at embedded:d --spec s.toml --no-wait pages")
        .succeeds();
    let json = place
        .fluo("advise --at embedded:d pages --rows 50 --json")
        .json();
    assert!(json["profile"]["keys"].as_u64().unwrap() <= 50, "{json}");
    assert_says(json["notes"][0].as_str().unwrap(), "Only the first ");
    let message = place.fluo("advise --at embedded:d nothing").fails();
    assert_says(&message, "nothing");
}

/// Keys are untrusted bytes: a terminal must not interpret them, and a page must not run them.
#[test]
fn escapes_hostile_keys() {
    let place = Place::new();
    let keys = "\x1b[31m<script>alert(1)</script>|x\n".repeat(30);
    place.file("keys", keys);
    let run = place.fluo("advise --html page.html keys").succeeds();
    assert!(!run.text().contains('\x1b'), "{}", run.text());
    let page = place.read("page.html");
    assert!(!page.contains("<script") && !page.contains('\x1b'));
    assert_says(&page, r"\x1b[31m&lt;script&gt;alert(1)");
}

fn random_keys() -> String {
    let random = |id: u64| id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (id << 17);
    (0..30_000)
        .map(|id| format!("{:016x}\n", random(id)))
        .collect()
}

/// Checks that the spec contains the split points that keys without a salt need.
#[test]
fn writes_split_points_for_keys_without_a_salt() {
    let place = Place::with_table();
    place.file("keys", random_keys());
    let run = place
        .fluo("advise --reads range --servers 4 --write-spec s.toml --html page.html keys")
        .succeeds();
    assert_says(run.text(), "Leave the keys as they are, in 16 tablets");
    assert_says(run.text(), "split_points = [");
    let spec = place.read("s.toml");
    assert_says(&spec, "design = \"unsalted\"");
    assert_says(&place.read("page.html"), "split_points = [");
    place
        .fluo("table apply --at embedded:d --spec s.toml --no-wait pages")
        .succeeds();
    let shown = place.shown();
    let tablets = shown["tablets"].as_array().unwrap();
    let made: Vec<_> = tablets
        .iter()
        .filter_map(|tablet| tablet["end_row"].as_str())
        .collect();
    assert_eq!(made.len(), 15);
    for point in made {
        assert_says(&spec, point);
    }
}

/// Reads split points with any bytes back from the spec file.
#[test]
fn plans_split_points_with_any_bytes() {
    let place = Place::with_table();
    let random = |id: u64| id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (id << 17);
    let mut keys = String::from("00\n225c27\n");
    keys.extend((0..5_000).map(|id| format!("{:016x}\n", random(id))));
    place.file("keys", keys);
    place
        .fluo("advise --encoding hex --reads range --tablets 300 --write-spec s.toml keys")
        .succeeds();
    assert_says(&place.read("s.toml"), "\\x");
    place
        .fluo("table plan --at embedded:d --spec s.toml pages")
        .succeeds();
}

#[test]
fn advises_no_second_salt_for_a_table_with_a_design() {
    let place = Place::with_table();
    place.file("rows", ROWS);
    place
        .fluo("table load --at embedded:d pages --prefix p rows")
        .succeeds();
    let run = place.fluo("advise --at embedded:d pages").succeeds();
    assert_says(
        run.text(),
        "4,208 keys (100 %) are keys of row-hasher with the prefix `p`, as their salts show.",
    );
    assert_says(
        run.text(),
        "Leave the keys as they are, row-hasher with the prefix `p` in 8 tablets: they have their salts already.",
    );
}

/// The command named neither the files that it wrote nor the next command.
#[test]
fn names_the_written_files_and_the_next_command() {
    let place = Place::with_table();
    place.file("rows", ROWS);
    place
        .fluo("table load --at embedded:d pages --prefix p rows")
        .succeeds();
    let run = place
        .fluo("advise --at embedded:d --html page.html --write-spec advised.toml pages")
        .succeeds();
    assert_eq!(
        run.stderr,
        "wrote the page page.html\nwrote the spec advised.toml\n"
    );
    assert_says(
        run.text(),
        "Next: `fluo table plan --at embedded:d --spec advised.toml pages` shows what the spec would change.",
    );
}

/// Names a page that a web table rejects in each kind of output.
#[test]
fn reports_rejected_keys_in_text_page_and_json() {
    let place = Place::new();
    let mut pages: String = (0..5_000)
        .map(|page| format!("https://h{}.example/{page}\n", page / 10))
        .collect();
    pages.push_str("http://http://code.google.com/p/ucpp/\n");
    place.file("pages", pages);
    let run = place
        .fluo("advise --servers 4 --reads domain --html page.html pages")
        .succeeds();
    let rejected = "1 key (0.02 %) cannot be stored in it: `http://http://code.google.com/p/ucpp/` has no key in a web table";
    assert_says(run.text(), "Use web-table in 16 tablets.");
    assert_says(run.text(), rejected);
    assert_says(&place.read("page.html"), rejected);
    let json = place
        .fluo("advise --servers 4 --reads domain --json pages")
        .json();
    let forecasts = json["forecasts"].as_array().unwrap();
    let web = forecasts
        .iter()
        .find(|forecast| forecast["label"] == "web-table");
    assert_eq!(web.unwrap()["without_key"]["keys"], 1);
}

/// A file of keys may be the only copy.
#[test]
fn rejects_an_output_that_is_an_input_or_another_output() {
    let place = Place::new();
    place.file("keys", ids(100));
    for (argument, what) in [("--html", "page"), ("--write-spec", "spec")] {
        let message = place
            .fluo(&format!("advise {argument} ./keys keys"))
            .fails();
        assert_eq!(
            message,
            format!(
                "cannot write the {what} ./keys: ./keys is the file of keys itself, which would be lost: give another file"
            )
        );
    }
    let message = place
        .fluo("advise --html out --write-spec tmp/../out keys")
        .fails();
    assert_eq!(
        message,
        "--html out and --write-spec tmp/../out are one file: give each a file of its own"
    );
    assert_eq!(place.read("keys"), ids(100));
    assert_eq!(place.names("."), ["keys", "tmp"]);
}

#[test]
fn writes_nothing_without_a_design() {
    let place = Place::new();
    place.file("keys", ids(100));
    let message = place
        .fluo("advise --reads field --html page.html --write-spec s.toml keys")
        .fails();
    assert_eq!(
        message,
        "no design can be advised for these keys, so there is no spec file to write"
    );
    assert_eq!(place.names("."), ["keys", "tmp"]);
}

/// Without an order of arrival, a design with perfect figures is still rejected, with the reason.
#[test]
fn prints_the_reasons_against_a_design() {
    let place = Place::new();
    let run = place.fed("advise --unordered -", ids(1_000)).succeeds();
    assert_says(
        run.text(),
        "  unsalted: The place of new keys is unknown, because these are not in order of arrival",
    );
}

#[test]
fn reports_unreadable_keys_and_unwritable_files() {
    let place = Place::new();
    assert_eq!(
        place.fed("advise -", "").fails(),
        "there are no keys in standard input: give at least one"
    );
    assert_says(
        &place.fluo("advise missing").fails(),
        "cannot read the keys of missing: No such file",
    );
    assert_eq!(
        place.fluo("advise tmp").fails(),
        "cannot read the keys of tmp: it is a directory"
    );
    place.file("keys", "a\nb\n");
    let message = place.fluo("advise --html no/page.html keys").fails();
    assert_says(&message, "cannot write the page no/page.html: ");
    let message = place.fluo("advise --write-spec no/s.toml keys").fails();
    assert_says(&message, "cannot write the spec no/s.toml: ");
}

#[test]
fn checks_the_arguments() {
    let place = Place::new();
    place.file("keys", "a\n");
    for (arguments, part) in [
        ("advise", "required arguments were not provided"),
        ("advise --servers 0 keys", "0 is not in 1.."),
        ("advise --tablets 0 keys", "0 is not in 1..=65536"),
        ("advise --cells-per-row 0 keys", "0 is not in 1.."),
        (
            "advise --reads all keys",
            "[possible values: prefix, range, field, domain]",
        ),
        ("advise --rows 5 keys", "--at <TARGET>"),
        ("advise --scans-only keys", "--reads <READS>"),
        ("advise --user me keys", "--at <TARGET>"),
        (
            "advise --at embedded:d --encoding hex pages",
            "cannot be used with",
        ),
    ] {
        assert_says(&place.fluo(arguments).refuses_arguments(), part);
    }
}

/// The salt is over the tenant, and all keys have one tenant. Users did that, and had one hot
/// tablet.
#[test]
fn reports_keys_that_differ_only_beyond_the_salted_part() {
    let place = Place::new();
    let keys: String = (0..20_000_u32)
        .map(|id| format!("tenant-a|{:08}\n", id.wrapping_mul(48_271) % 1_000_003))
        .collect();
    place.file("keys", keys);
    let sentence = "All keys of the sample get one salt: they differ only beyond the salted part. Salt the whole \
                    key, or a longer part. Uneven: of 16 tablets, number ";
    let run = place.fluo("advise --servers 4 keys").succeeds();
    assert_says(
        run.text(),
        &format!("  digest-salt of what is before `|`: {sentence}"),
    );
    assert!(
        !run.text().contains("Use digest-salt of what"),
        "{}",
        run.text()
    );

    // A design of the user.
    place.file(
        "mine.toml",
        "[[key_design]]\ndesign = \"digest-salt\"\nover = { first = 8 }\nseparator = \":\"\ntablets = 16\n",
    );
    let run = place
        .fluo("advise --servers 4 --spec mine.toml keys")
        .succeeds();
    assert_says(
        run.text(),
        &format!("  digest-salt of mine.toml: {sentence}"),
    );
    assert_says(run.text(), "16.00 times the mean");
}

#[test]
fn tries_the_designs_of_a_spec_beside_the_others() {
    let place = Place::new();
    place.file("keys", ids(2_000));
    place.file(
        "mine.toml",
        "[[row_hasher]]\nprefix = \"a\"\ntablets = 3\n[[row_hasher]]\nprefix = \"b\"\ntablets = 5\n",
    );
    let tried = |arguments: &str| {
        let json = place
            .fluo(&format!("advise --json --spec mine.toml {arguments} keys"))
            .json();
        let forecasts = json["forecasts"].as_array().unwrap();
        let of_spec = forecasts.iter().filter(|forecast| {
            forecast["label"]
                .as_str()
                .unwrap()
                .ends_with(" of mine.toml")
        });
        let of_spec =
            of_spec.map(|forecast| (forecast["label"].clone(), forecast["tablets"].clone()));
        of_spec.collect::<Vec<_>>()
    };
    let labels = ["row-hasher `a` of mine.toml", "row-hasher `b` of mine.toml"];
    assert_eq!(
        tried(""),
        [(labels[0].into(), 3.into()), (labels[1].into(), 5.into())]
    );
    assert_eq!(
        tried("--tablets 7"),
        [(labels[0].into(), 7.into()), (labels[1].into(), 7.into())]
    );
    // Split points would come from a sample of rows, so such a design has as many tablets as the
    // others.
    place.file(
        "mine.toml",
        "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = [\"g\"]\n",
    );
    assert_eq!(
        tried("--servers 2"),
        [("unsalted of mine.toml".into(), 8.into())]
    );

    // Reported before any key is read.
    let message = place.fluo("advise --spec missing.toml missing").fails();
    assert_says(&message, "missing.toml");
    let message = place
        .fluo("advise --spec mine.toml --write-spec mine.toml keys")
        .fails();
    assert_eq!(
        message,
        "cannot write the spec mine.toml: mine.toml is the spec to be tried itself, which would be lost: give another \
         file"
    );
}

/// Seven subdomains of one domain: none of them is a hot field, but the web table has one hot
/// tablet.
#[test]
fn names_a_domain_with_two_thirds_of_a_web_table() {
    let place = Place::new();
    let pages: String = (0..20_000_u32)
        .map(|page| match page % 3 {
            0 => format!("https://site{}.example/{page}\n", page % 5_000),
            _ => format!("https://shop{}.acme.com/{page}\n", page % 7),
        })
        .collect();
    place.file("pages", pages);
    let run = place
        .fluo("advise --servers 4 --unordered pages")
        .succeeds();
    assert_says(run.text(), "  web-table: Uneven: of 16 tablets, number ");
    assert_says(
        run.text(),
        "13,333 keys of the sample fall together with any salts, 10.67 times the mean of a tablet. They share \
         `acme.com`, which is in 66.7 % of the keys: only a design that salts the whole key separates them.",
    );
    assert!(!run.text().contains("Use web-table"), "{}", run.text());
}

/// A web table rejects most prefixes.
#[test]
fn names_the_supported_reads_of_a_design_that_rejects_others() {
    let place = Place::new();
    let pages: String = (0..5_000)
        .map(|page| format!("https://h{}.example/{page}\n", page / 10))
        .collect();
    place.file("pages", pages);
    let run = place
        .fluo("advise --servers 4 --reads prefix pages")
        .succeeds();
    assert_says(
        run.text(),
        "web-table: A scan of a prefix: 2 pieces of the table, but only prefixes that hold the whole host and the `/` \
         behind it, such as `https://example.com/docs/`; others are rejected.",
    );
    let row = run
        .text()
        .lines()
        .find(|line| line.starts_with(" web-table "));
    let row = row.unwrap();
    assert!(
        row.contains("reads unsupported") && row.ends_with("some only"),
        "{row}"
    );
}

#[test]
fn reports_long_keys_and_the_bytes_of_column_names() {
    let place = Place::new();
    let keys: String = (0..100)
        .map(|id| format!("{:0>width$}\n", id, width = 90 + id))
        .collect();
    place.file("keys", keys);
    let run = place
        .fluo("advise --cells-per-row 3 --column-bytes 40 keys")
        .succeeds();
    // More than 100 bytes: the keys of 90 + 11 to 90 + 99 bytes.
    assert_says(
        run.text(),
        "warning  89 keys (89.0 %) above 100 bytes: a key is stored with every cell of its row; shorten names, or keep the \
         long part in a value.",
    );
    // The sum of 90 to 189, three times; 100 rows of 3 cells of 40 bytes; and of 8.
    assert_says(
        run.text(),
        "note     Before compression, keys take 41.9 kB in the whole table, column names 12.0 kB and timestamps 2.4 kB, at \
         3 cells a row with 40 bytes of column names each.",
    );
}

#[test]
fn rates_and_sizes_determine_the_number_of_tablets() {
    let place = Place::new();
    place.file("keys", ids(1_000));
    let rates = place
        .fluo("advise --servers 3 --rows-per-second 62000 keys")
        .succeeds();
    assert_says(
        rates.text(),
        "15 tablets: the largest of 12 for 3 servers at 4 each, 13 for 62,000 rows/s at 5,000 each, rounded up to a multiple \
         of the servers.",
    );
    let sizes = place
        .fluo("advise --servers 3 --table-bytes 50000000000 keys")
        .succeeds();
    assert_says(
        sizes.text(),
        "48 tablets: the largest of 12 for 3 servers at 4 each, 47 for 50.0 GB at 1 GiB each, rounded up to a multiple of the \
         servers.",
    );
}

/// Shows the number of keys while the command waits for more.
#[cfg(unix)]
#[test]
fn shows_progress_at_a_terminal() {
    use std::io::Write;

    let place = Place::new();
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("pipe"))
        .status();
    assert!(made.unwrap().success());
    let session = place.at_terminal("advise pipe", &[]);
    let mut pipe = std::fs::File::options()
        .write(true)
        .open(place.path("pipe"))
        .unwrap();
    pipe.write_all(ids(140_000).as_bytes()).unwrap();
    session.waits_for("keys 131,072 (");
    drop(pipe);
    let (code, shown) = session.ended();
    assert_eq!(code, Some(0), "{shown}");
    assert_says(&shown, "140,000 keys");
}

/// Reads 300 MB of input in 256 MiB, of which threads and their stacks take a large part.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let mut command = Command::new("sh");
    let script = "ulimit -v 262144; exec \"$0\" advise -";
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_fluo")])
        .env("MALLOC_ARENA_MAX", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for block in 0..60_u32 {
        // Five megabytes of different keys.
        let keys: String = (0..100)
            .map(|id| format!("{block:08}-{id:08}-{}\n", "x".repeat(50_000)))
            .collect();
        stdin.write_all(keys.as_bytes()).unwrap();
    }
    drop(stdin);
    let run = crate::command::ended(child).succeeds();
    assert_says(
        run.text(),
        "6,000 keys, 6,000 different, all of 50,018 bytes",
    );
}
