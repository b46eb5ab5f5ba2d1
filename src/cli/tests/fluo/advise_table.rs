//! The command `fluo advise --at`: a table with designs keeps them.

use rstest::rstest;

use crate::command::{Place, ROWS, assert_says};

type Line = fn(u64) -> String;

fn lines(count: u64, line: Line) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

/// Creates the table `pages`, split as in a spec.
fn table(servers: u32, spec: &str) -> Place {
    let place = Place::new();
    place.file("set.toml", spec);
    let create = format!("table create --at embedded:d --servers {servers} pages");
    place.runs(&create);
    if !spec.is_empty() {
        let apply = "table apply --at embedded:d --spec set.toml --no-wait pages";
        place.runs(apply);
    }
    place
}

fn load(place: &Place, design: &str, rows: &str) {
    place.file("rows", rows);
    let command = format!("table load --at embedded:d pages {design} rows");
    place.runs(&command);
}

const ID: Line = |n| format!("{n:010}");
const PAGE: Line = |n| format!("https://h{}.example/{n}", n / 3);
const READING: Line = |n| format!("sensor{}|{}", n % 90, 1_696_744_051_903 + n * 1_000);
const PATH: Line = |n| ROWS.lines().nth(usize::try_from(n).unwrap()).unwrap().to_owned();
const RANDOM: Line = |n| format!("{:016x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (n << 17));

/// The advice for a table with two row hashers was a third one over both. The advice for a table
/// with 20 tablets on 5 servers was to leave its keys unsalted in 4: the spec would have removed
/// the split points and groups of the hasher. The advice is now the present split points. Tables
/// whose design cannot be computed again keep them too, as tables of plain rows.
#[rstest]
#[case("[[row_hasher]]\nprefix = \"p\"\ntablets = 20\n", &[("--prefix p", PATH)], "Keep row-hasher `p` in 20")]
#[case(
    "[[row_hasher]]\nprefix = \"b\"\ntablets = 7\n\
     [[row_hasher]]\nprefix = \"a\"\ntablets = 20\nscheme = \"sha1-base32\"\n",
    &[("--design row-hasher,prefix=a,scheme=sha1-base32", PATH), ("--prefix b", ID)],
    "Keep row-hasher `b` and row-hasher `a` in 27 tablets"
)]
#[case(
    "[[key_design]]\ndesign = \"digest-salt\"\nseparator = \":\"\ntablets = 20\n",
    &[("--design digest-salt,separator=:", PATH)],
    "Keep digest-salt in 20 tablets: the keys are hashed or salted already."
)]
#[case(
    "[[key_design]]\ndesign = \"modulo\"\nbuckets = 12\ntablets = 6\n",
    &[("--design modulo,buckets=12", PATH)],
    "Keep modulo in 6 tablets"
)]
#[case(
    "[[key_design]]\ndesign = \"web-table\"\ntablets = 12\n",
    &[("--design web-table", PAGE)],
    "Leave the table as it is: its rows are spread over 12 tablets."
)]
#[case(
    "[[key_design]]\ndesign = \"reverse-time\"\ntablets = 8\n\
     salt = { design = \"digest-salt\", separator = \":\", over = \"entity\" }\n",
    &[("--design reverse-time,salt.design=digest-salt,salt.separator=:,salt.over=entity", READING)],
    "Keep digest-salt in 8 tablets"
)]
#[case(
    "[[key_design]]\ndesign = \"reversed\"\nalphabet = \"digits\"\nlength = { fixed = 10 }\ntablets = 8\n",
    &[("--design reversed,alphabet=digits,length.fixed=10", ID)],
    "Leave the table as it is: its rows are spread over 8 tablets."
)]
#[case(
    "[[key_design]]\ndesign = \"random-salt\"\nbuckets = 16\ntablets = 8\n",
    &[("--design random-salt,buckets=16", PATH)],
    "Leave the table as it is: its rows are spread over 8 tablets."
)]
#[case(
    "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = [\"40\", \"80\", \"c0\"]\n",
    &[("--design unsalted", RANDOM)],
    "Leave the table as it is: its rows are spread over 4 tablets."
)]
fn advises_the_present_split_points_of_a_table(
    #[case] spec: &str,
    #[case] loads: &[(&str, Line)],
    #[case] headline: &str,
) {
    for servers in [1, 5] {
        let place = table(servers, spec);
        for (design, row) in loads {
            load(&place, design, &lines(1_500, *row));
        }
        let advise = "advise --at embedded:d --write-spec advised.toml pages";
        let advised = place.runs(advise);
        assert_says(advised.text(), headline);
        let next = "Next: `fluo table plan --at embedded:d --spec advised.toml pages` shows what it changes.";
        assert_says(advised.text(), next);
        let plan = "table plan --at embedded:d --spec advised.toml pages";
        let plan = place.runs(plan);
        let context = format!("{spec}{}{}", place.read("advised.toml"), plan.text());
        assert_says(&context, "Nothing to do: the table matches.");
        assert!(!context.contains("does not ask for"), "{context}");
    }
}

/// The advice for an unsplit table whose design has a separator of two characters was a row hasher
/// over its salts, and more tablets than it has.
#[rstest]
#[case("--design digest-salt,separator=--")]
#[case("--design digest-salt,digits=1,separator=::")]
#[case("--design modulo,separator=--")]
fn keeps_the_design_of_an_unsplit_table(#[case] design: &str) {
    let place = table(2, "");
    load(&place, design, &lines(1_500, PATH));
    let command = "advise --at embedded:d --write-spec advised.toml pages";
    let advised = place.runs(command);
    let expected = " in 1 tablet, although 1 tablet cannot use 2 servers.";
    assert_says(advised.text(), expected);
    assert!(!advised.text().contains(" no design "), "{}", advised.text());
    let plan = "table plan --at embedded:d --spec advised.toml pages";
    let plan = place.runs(plan);
    assert_says(plan.text(), "Nothing to do: the table matches.");
}

/// Salts of an unknown hash were salted again.
#[test]
fn adds_no_salt_to_keys_that_spread_by_themselves() {
    let salted: Line = |n| {
        let mixed = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let salt = (mixed(n) ^ (mixed(n * 31 + 7) >> 13)) & 0xff;
        format!("{salt:02x}--user{n}")
    };
    let place = table(1, "");
    load(&place, "--design unsalted", &lines(3_000, salted));
    let run = place.runs("advise --at embedded:d pages");
    assert_says(run.text(), "\nLeave the keys as they are, in 4 tablets");
}

/// Counts rows that were loaded without the hasher, or with another prefix, which go unnoticed
/// until a search for them fails.
#[test]
fn counts_and_names_rows_without_the_design_of_their_table() {
    let place = table(1, "[[row_hasher]]\nprefix = \"p\"\ntablets = 20\n");
    load(&place, "--design unsalted", "x/1\nx/2\nx/3\n");
    let run = place.runs("advise --at embedded:d pages");
    for part in [
        "row-hasher `p`: 0 keys (0.0 %)\n",
        "3 keys (100 %), the first is `x/1`\n",
        "\nThe table is split for row-hasher `p`, but most rows have no known design.\n",
        "prefix = \"p\"",
    ] {
        assert_says(run.text(), part);
    }
    load(&place, "--prefix p", ROWS);
    let json = place.fluo("advise --at embedded:d pages --json").json();
    assert_eq!(json["existing"][0]["keys"], 4_208);
    assert_eq!(json["others"]["keys"], 3);
    assert_eq!(json["profile"]["order"]["arrivals"], "unordered");
}

/// The command read the same number of rows of each tablet. For 2,000 hashed rows, and 40,000 plain
/// rows in the last tablet, it reported that 5.0 % of the keys had no design, and advised to leave
/// the table as it is.
#[test]
fn samples_rows_in_proportion_to_the_entries_of_their_tablets() {
    let place = table(1, "[[row_hasher]]\nprefix = \"p\"\ntablets = 20\n");
    load(&place, "--prefix p", &lines(2_000, |n| format!("x/{n}")));
    let forgotten = lines(40_000, |n| format!("x/{}", n + 2_000));
    load(&place, "--design unsalted", &forgotten);
    let command = "advise --at embedded:d --rows 2100 pages";
    let json = place.fluo(&format!("{command} --json")).json();
    let keys = json["profile"]["keys"].as_u64().unwrap();
    assert!((2_000..=2_100).contains(&keys), "{keys}");
    let share = json["others"]["share"].as_f64().unwrap();
    assert!((0.85..0.97).contains(&share), "{share}");
    assert_eq!(json["tablets_cut_short"], 21);
    let run = place.runs(command);
    assert_says(run.text(), "the first rows of 21 tablets; --rows reads more\n");
    let missing = place.fails("advise --at embedded:d nothing");
    assert_says(&missing, "nothing");
}
