//! The command `fluo advise` on files of keys: its output, its files and its errors.

use rstest::rstest;

use crate::command::{Place, ROWS, assert_says};

fn lines(count: u32, line: fn(u32) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

fn ids(count: u32) -> String {
    lines(count, |id| format!("{id:010}"))
}

fn random_keys() -> String {
    lines(30_000, |id| {
        let id = u64::from(id);
        format!(
            "{:016x}",
            id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (id << 17)
        )
    })
}

/// The keys, the arguments, and parts of the text.
#[rstest]
#[case::properties(ids(20_000), "--servers 4", &[
    "Keys of keys\n",
    " keys           20,000, 20,000 different\n lengths        10 bytes\n alphabet       digits\n",
    " order          ascending: 100 % are greater than the key before; give --unordered if they are not",
    " unsalted                 uneven                  16 ",
    "  100 % of the newest keys go to one tablet\n",
    "\nUse row-hasher in 16 tablets.\n\nSpec file\n\n  [[key_design]]\n  tablets = 16\n",
    "\nNext: write it with --write-spec FILE.toml; `fluo table plan --at TARGET --spec FILE.toml TABLE` shows what",
])]
#[case::unordered(ids(1_000), "--unordered", &[
    " order          not in order of arrival\n",
    " new keys may all go to one tablet\n",
])]
#[case::one_tenant(
    lines(20_000, |id| format!("tenant-a|{:08}", id.wrapping_mul(48_271) % 1_000_003)),
    "--servers 4",
    &[
        " leading field  before `|`\n",
        " only 1 salt: keys differ beyond the salted part\n",
    ],
)]
#[case::a_hot_domain(
    lines(20_000, |page| match page % 3 {
        0 => format!("https://site{}.example/{page}", page % 5_000),
        _ => format!("https://shop{}.acme.com/{page}", page % 7),
    }),
    "--servers 4 --unordered",
    &[" `acme.com` has 66.7 % of the keys\n"],
)]
#[case::supported_reads(
    lines(5_000, |page| format!("https://h{}.example/{page}", page / 10)),
    "--servers 4 --reads prefix",
    &["    some only  scans only prefixes that hold the whole host and the `/` behind it, such as"],
)]
#[case::long_and_repeated_keys(
    lines(100, |id| format!("{:0>width$}\r", id / 2, width = 90 + id as usize / 2)),
    "",
    &[
        " 80 keys above 100 bytes; each cell stores its key\n",
        "at least 50 keys, which are the same rows\n",
        "2.0 % of the keys; no design spreads one row\n",
        "each key ends in `\\x0d`: remove it with `tr -d '\\r'`\n",
    ],
)]
#[case::split_points(random_keys(), "--reads range --servers 4", &[
    "Leave the keys as they are, in 16 tablets with split points from the sample.",
    "split_points = [",
])]
#[case::no_design(ids(100), "--reads field", &[
    " the keys have no leading field\n",
    "\nNo design can be advised for these keys and reads.\n",
])]
#[case::least_bad("same\n".repeat(1_000), "--servers 2", &[
    "\nNo design spreads these keys well. The least bad is ",
    ": one row has 100 % of the keys.\n",
])]
fn prints_properties_designs_and_the_advice(
    #[case] keys: String,
    #[case] arguments: &str,
    #[case] parts: &[&str],
) {
    let place = Place::new();
    place.file("keys", keys);
    let run = place.fluo(&format!("advise {arguments} keys")).succeeds();
    assert_eq!(run.stderr, "");
    for part in parts {
        assert_says(&format!("{}\n", run.text()), part);
    }
}

/// Names the files that it wrote, and plans the spec as it is written, split points of any bytes
/// included.
#[rstest]
#[case(ids(20_000), "--servers 4", "[[key_design]]\ntablets = 16\n")]
#[case(ids(20_000), "--servers 4 --reads range", "design = \"modulo\"")]
#[case(random_keys(), "--tablets 300 --reads range", "design = \"unsalted\"")]
#[case(format!("00\n225c27\n{}", random_keys()), "--tablets 300 --encoding hex", "\\x")]
fn writes_a_page_and_a_spec_that_can_be_planned(
    #[case] keys: String,
    #[case] arguments: &str,
    #[case] part: &str,
) {
    let place = Place::with_table();
    place.file("keys", keys);
    let command = format!("advise {arguments} --html page.html --write-spec advised.toml keys");
    let run = place.fluo(&command).succeeds();
    assert_eq!(
        run.stderr,
        "wrote the page page.html\nwrote the spec advised.toml\n"
    );
    assert_says(&place.read("advised.toml"), part);
    assert_says(&place.read("page.html"), "[[key_design]]");
    let plan = "table plan --at embedded:d --spec advised.toml pages";
    place.fluo(plan).succeeds();
}

#[test]
fn json_has_the_report_and_its_types() {
    let place = Place::new();
    place.file("keys", ROWS);
    let command = "advise --servers 4 --reads range --json keys";
    let json = place.fluo(command).json();
    assert_eq!(json["source"], "keys");
    assert_eq!(json["decision"], "new-design");
    assert_eq!(json["profile"]["keys"], 4_208);
    assert_eq!(json["profile"]["order"]["arrivals"], "as-written");
    assert!(json["profile"].get("heat_map").is_none());
    let designs = json["designs"].as_array().unwrap();
    assert_eq!(designs[0]["suitability"], "recommended");
    let keys = designs[0]["load"]["keys"].as_array().unwrap().iter();
    assert_eq!(keys.map(|keys| keys.as_u64().unwrap()).sum::<u64>(), 4_208);
    let of = |label: &str| designs.iter().find(|design| design["label"] == label);
    let hasher = of("row-hasher").unwrap();
    assert_eq!(hasher["suitability"], "unreadable");
    assert_eq!(hasher["faults"][0]["fault"], "unsupported-read");
    assert_eq!(hasher["faults"][0]["read"], "range");
    let spec = json["spec_file"].as_str().unwrap();
    assert_says(spec, designs[0]["settings"]["design"].as_str().unwrap());
    // The same keys give the same advice.
    let again = place.fluo(command).succeeds();
    assert_eq!(again.stdout, place.fluo(command).succeeds().stdout);
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

/// Names a page that a web table rejects in each kind of output.
#[test]
fn reports_rejected_keys_in_text_page_and_json() {
    let place = Place::new();
    let mut pages = lines(5_000, |page| {
        format!("https://h{}.example/{page}", page / 10)
    });
    pages.push_str("http://http://code.google.com/p/ucpp/\n");
    place.file("pages", pages);
    let command = "advise --servers 4 --reads domain";
    let run = place.fluo(&format!("{command} --html page.html pages"));
    let run = run.succeeds();
    let rejected =
        "no key for 1 key: `http://http://code.google.com/p/ucpp/` has no key in a web table";
    assert_says(run.text(), "Use web-table in 16 tablets.");
    assert_says(run.text(), rejected);
    assert_says(&place.read("page.html"), rejected);
    let json = place.fluo(&format!("{command} --json pages")).json();
    assert_eq!(json["designs"][0]["rejected"]["keys"], 1);
}

#[test]
fn tries_the_designs_of_a_spec_beside_the_others() {
    let place = Place::new();
    place.file("keys", ids(2_000));
    let tried = |spec: &str, arguments: &str| {
        place.file("mine.toml", spec);
        let command = format!("advise --json --spec mine.toml {arguments} keys");
        let json = place.fluo(&command).json();
        let designs = json["designs"].as_array().unwrap().iter();
        let own = designs.filter(|design| design["label"].as_str().unwrap().contains("mine"));
        let own = own.map(|design| format!("{} {}", design["label"], design["tablets"]));
        let mut own: Vec<_> = own.collect();
        own.sort();
        own.join(", ")
    };
    let hashers = "[[row_hasher]]\nprefix = \"a\"\ntablets = 3\n[[row_hasher]]\nprefix = \"b\"\ntablets = 5\n";
    let [a, b] = ["a", "b"].map(|prefix| format!("\"row-hasher `{prefix}` of mine.toml\""));
    assert_eq!(tried(hashers, ""), format!("{a} 3, {b} 5"));
    assert_eq!(tried(hashers, "--tablets 7"), format!("{a} 7, {b} 7"));
    // Split points would come from a sample of rows, so such a design has as many tablets as the
    // others.
    let plain = "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = [\"g\"]\n";
    assert_eq!(tried(plain, "--servers 2"), "\"unsalted of mine.toml\" 8");
}

/// A file of keys may be the only copy.
#[rstest]
#[case(
    "--html ./keys",
    "cannot write the page ./keys: ./keys is the file of keys itself, which"
)]
#[case(
    "--write-spec ./keys",
    "cannot write the spec ./keys: ./keys is the file of keys itself"
)]
#[case(
    "--spec s.toml --write-spec s.toml",
    "s.toml is the spec to be tried itself, which would"
)]
#[case("--html out --write-spec out", "--html and --write-spec name one file")]
#[case(
    "--reads field --html page.html --write-spec t.toml",
    "so there is no spec file to write"
)]
#[case("--html no/page.html", "cannot write the page no/page.html: ")]
#[case("--write-spec no/s.toml", "cannot write the spec no/s.toml: ")]
#[case("--spec missing.toml", "missing.toml")]
fn writes_nothing_if_a_file_is_in_the_way(#[case] arguments: &str, #[case] message: &str) {
    let place = Place::new();
    place.file("keys", ids(100));
    place.file("s.toml", "");
    assert_says(
        &place.fluo(&format!("advise {arguments} keys")).fails(),
        message,
    );
    assert_eq!(place.read("keys"), ids(100));
    assert_eq!(place.names("."), ["keys", "s.toml", "tmp"]);
}

#[test]
fn reports_unreadable_keys() {
    let place = Place::new();
    for (arguments, input, message) in [
        (
            "-",
            "",
            "there are no keys in standard input: give at least one",
        ),
        ("--encoding hex -", "00\n0g\n", "line 2: it is not hex"),
        (
            "missing",
            "",
            "cannot read the keys of missing: No such file",
        ),
        ("tmp", "", "cannot read the keys of tmp: it is a directory"),
    ] {
        let run = place.fed(&format!("advise {arguments}"), input);
        assert_says(&run.fails(), message);
    }
}

#[test]
fn checks_the_arguments() {
    let place = Place::new();
    for (arguments, part) in [
        ("advise", "required arguments were not provided"),
        ("advise --servers 0 keys", "0 is not in 1.."),
        ("advise --tablets 0 keys", "0 is not in 1..=65536"),
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
    assert_says(&shown, "140,000, 140,000 different");
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
        "6,000, 6,000 different\n lengths        50,018 bytes\n",
    );
}
