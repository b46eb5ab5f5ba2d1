//! The settings of a design, from arguments and from a spec. Errors are reported with their place.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

#[test]
fn refuses_wrong_arguments_with_a_sentence() {
    let place = Place::new();
    for (arguments, message) in [
        (
            "--design digest-salt --buckets 3",
            "--buckets is not a setting of the design digest-salt, which has --digest, --end, --digits, --separator, \
             --over",
        ),
        (
            "--design modulo --prefix p",
            "--prefix is not a setting of the design modulo, which has --buckets, --of, --separator, --over",
        ),
        (
            "--prefix p --digits 3",
            "--digits is not a setting of the design row-hasher, which has --prefix, --scheme",
        ),
        (
            "--design modulo --salt digest-salt",
            "--salt is not a setting of the design modulo, which has --buckets, --of, --separator, --over",
        ),
        (
            "--design reverse-time --salt digest-salt --buckets 3",
            "--buckets is not a setting of the design reverse-time with the salt digest-salt, which has --digest, --end, \
             --digits, --separator, --over, --time, --time-encoding, --salt-separator",
        ),
        (
            "--design modulo --buckets -1",
            "--buckets is a whole number, such as 2, not -1",
        ),
        (
            "--design modulo --buckets 0",
            "the number of buckets cannot be 0: give 1 to 1000000",
        ),
        (
            "--design modulo --of x",
            "--of: unknown variant `x`, expected `java-hash` or `number`",
        ),
        (
            "--design modulo --over first:x",
            "--over is whole, before:TEXT, first:COUNT, fields:COUNT or entity, not first:x",
        ),
        (
            "--design modulo --over first:0",
            "the salted part has no bytes, so that all rows would have one salt: give at least 1",
        ),
        (
            "--design composite --field a:b:c:d",
            "--field a:b:c:d: a field is KIND, NAME:KIND, or one of these with :desc behind",
        ),
        (
            "--design composite --field a:word",
            "--field: unknown variant `word`, expected one of `text`, `bytes`, `signed`, `unsigned`, `float`, `time`",
        ),
        (
            "--design composite",
            "the design composite: a composite row has fields: give each in their order, such as --field text --field \
             time:desc",
        ),
        (
            "--design reversed --length -1",
            "--length is the length that all rows have, such as 10, or stored, not -1",
        ),
        (
            "--design reversed",
            "the design reversed: reversed rows of variable length cannot be told from keys that were cut short: give the \
             length that all rows have, such as --length 10, or let it be stored with each, with --length stored; a \
             digest-salt takes rows of any length as they are",
        ),
        (
            "--design web-table --over x",
            "--over is registrable-domain or host, not x",
        ),
        (
            "--design composite --field text --separator ab",
            "--separator is a single character, not ab",
        ),
        (
            "--design composite --field a:text --field a:signed",
            "two fields are called `a`: give each a name of its own, or none",
        ),
        (
            "--design reverse-time --salt modulo --buckets -1",
            "--buckets is a whole number, such as 2, not -1",
        ),
        (
            "--design reverse-time --salt random-salt",
            "the design random-salt: a random salt needs --buckets, from which its width follows: a salt of unknown width \
             could not be removed from a key again",
        ),
        (
            "--design row-hasher",
            "the design row-hasher: a row hasher has a prefix, with which all its keys begin: give one, such as --prefix \
             p",
        ),
        (
            "--design unsalted --digits 2",
            "--digits is not a setting of the design unsalted, which has none",
        ),
        (
            "--design modulo --seed 3",
            "--seed is for salts that are drawn; those of the design modulo are computed",
        ),
    ] {
        assert_eq!(place.fluo(&format!("key add {arguments}")).fails(), message);
    }
    for (arguments, part) in [
        (
            "--design reversed",
            "the design reversed: reversed rows of variable length cannot be told from keys",
        ),
        (
            "--design random-salt",
            "the design random-salt: a random salt needs --buckets",
        ),
        (
            "--design random-salt --separator -",
            "the design random-salt: a random salt needs --buckets",
        ),
    ] {
        assert_says(&place.fluo(&format!("key add {arguments}")).fails(), part);
    }
    for (arguments, part) in [
        ("", "--prefix <PREFIX>"),
        (
            "--design modulo --buckets x",
            "write a whole number, such as 2",
        ),
        (
            "--design random-salt --seed x",
            "write a whole number from 0 to 18446744073709551615",
        ),
    ] {
        let run = place.fluo(&format!("key add {arguments}"));
        assert_says(&run.refuses_arguments(), part);
    }
    let message = place.fluo("key group --design modulo").fails();
    assert_eq!(
        message,
        "the keys of the design modulo have no common beginning, so they have no group: all tablets of their table are \
         spread as one, which every balancer does"
    );
}

/// Returns the error of `fluo key splits` for a spec.
fn spec_error(place: &Place, spec: &str) -> String {
    place.file("s.toml", spec);
    let run = place.fluo("key splits --spec s.toml");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    run.fails()
}

#[test]
fn refuses_a_wrong_key_design_with_the_place_of_the_error() {
    let place = Place::new();
    let modulo = "# keys\n[[key_design]]\ndesign = \"modulo\"\n";
    for (rest, part) in [
        (
            "bucket = 3\ntablets = 2",
            "line 4, column 1: unknown field `bucket`, expected one of `buckets`, ",
        ),
        (
            "tablets = 2\nbuckets = \"3\"",
            "line 5, column 11: buckets is a whole number, such as 2, not \"3\"",
        ),
        (
            "over = { befor = \"/\" }\ntablets = 2",
            "line 4, column 8: unknown variant `befor`, expected one of ",
        ),
        (
            "tablets = -1",
            "line 4, column 11: tablets is a number from 1 to 2097152",
        ),
        (
            "tablets = 0",
            "line 4, column 11: tablets is a number from 1 to 2097152",
        ),
        (
            "tablets = 4294967295",
            "line 4, column 11: tablets is a number from 1 to 2097152",
        ),
        (
            "tablets = 99999999999999999999",
            "line 4, column 11: 99999999999999999999 is a number that is too large",
        ),
        (
            "tablets = \"2\"",
            "line 4, column 11: tablets is a number from 1 to 2097152",
        ),
        (
            "",
            "[[key_design]] number 1: give the number of tablets, or the split_points, such as split_points = [\"g\", \
             \"p\"]; split_points = [] is one tablet",
        ),
        (
            "tablets = 2\nsplit_points = []",
            "line 5, column 16: tablets says how many split points to make, and split_points which: give one of them",
        ),
        (
            "split_points = 3",
            "line 4, column 16: split_points is an array of rows as text",
        ),
        (
            "split_points = [\"a\", 3]",
            "line 4, column 16: split_points is an array of rows as text",
        ),
        (
            "split_points = [\"\\\\n\"]",
            "line 4, column 16: the split point `\\n`: at byte 0: ",
        ),
        (
            "split_points = [\"b\", \"a\"]",
            "key design modulo: its split points are not ascending: `a` comes after `b`",
        ),
        (
            "buckets = 0\ntablets = 2",
            "[[key_design]] number 1: the number of buckets cannot be 0: give 1 to 1000000",
        ),
        (
            "tablets = 2\ntablets = 3",
            "line 5, column 1: duplicate key",
        ),
    ] {
        let message = spec_error(&place, &format!("{modulo}{rest}\n"));
        assert_says(&message, part);
    }
    for (spec, part) in [
        (
            "[[key_design]]\ntablets = 2\n",
            "[[key_design]] number 1: missing field `design`",
        ),
        (
            "[[key_design]]\ndesign = \"module\"\ntablets = 2\n",
            "line 2, column 10: unknown variant `module`, expected one of `row-hasher`, `modulo`, ",
        ),
        (
            "[[key_design]]\ndesign = \"row-hasher\"\ntablets = 2\n",
            "[[key_design]] number 1: missing field `prefix`",
        ),
        (
            "[[key_design]]\ndesign = \"reversed\"\ntablets = 2\n",
            "[[key_design]] number 1: reversed rows of variable length look like truncated keys",
        ),
        (
            "[key_design]\ndesign = \"modulo\"\n",
            "line 1, column 1: one bracket where there are two: write [[row_hasher]] or [[key_design]]",
        ),
    ] {
        assert_says(&spec_error(&place, spec), part);
    }
}

#[test]
fn refuses_overlapping_designs_in_a_table() {
    let place = Place::with_table();
    let plan = |spec: &str| {
        place.file("both.toml", spec);
        place.fluo("table plan --at embedded:d --spec both.toml pages")
    };
    let modulo = "[[key_design]]\ndesign = \"modulo\"\ntablets = 2\n";
    let hasher = "[[row_hasher]]\nprefix = \"p\"\ntablets = 2\n";
    assert_says(
        &plan(&format!("{modulo}{hasher}")).fails(),
        "row hasher `p` and key design modulo overlap: rows of one could be read as rows of the other; the rows of key \
         design modulo can begin with any bytes, so it must be the only recipe of its table",
    );
    let named = "[[key_design]]\ndesign = \"row-hasher\"\nprefix = \"q\"\ntablets = 2\n";
    plan(&format!("{named}{hasher}")).succeeds();
    let message =
        plan(&format!("{modulo}{hasher}").replace("tablets = 2\n[[row", "tablets = 99\n[[row"))
            .fails();
    assert_says(
        &message,
        "[[key_design]] number 1: key design modulo: 99 tablets are more than the 10 salts of this modulo design",
    );
}

#[test]
fn refuses_other_designs_beside_an_exclusive_one() {
    let place = Place::new();
    let designs = "[[key_design]]\ndesign = \"modulo\"\ntablets = 2\n[[key_design]]\ndesign = \"digest-salt\"\ntablets = \
                   2\n";
    place.file("two.toml", designs);
    for arguments in ["", "--prefix modulo"] {
        let message = place
            .fluo(&format!("key splits --spec two.toml {arguments}"))
            .fails();
        assert_says(
            &message,
            "the rows of key design modulo can begin with any bytes, so it must be the only recipe of its table",
        );
    }
}

#[test]
fn unsalted_leaves_keys_unchanged() {
    let place = Place::with_table();
    let spec = "[[key_design]]\ndesign = \"unsalted\"\n";
    place.file("u.toml", format!("{spec}split_points = [\"g\", \"p\"]\n"));
    place.fluo("key splits --spec u.toml").prints("g\np\n");
    place.fed("key add --spec u.toml", "a\n").prints("a\n");
    place
        .fluo("table apply --at embedded:d --spec u.toml pages")
        .succeeds();
    place
        .fed("table load --at embedded:d --spec u.toml pages -", "a\nh\n")
        .succeeds();
    let run = place
        .fluo("table verify --at embedded:d --spec u.toml pages")
        .succeeds();
    assert_says(
        run.text(),
        "OK: table pages is as the spec says; key design unsalted has too few rows to tell (2 rows in 3 tablets), so evenness is not proved.",
    );
    assert_says(
        &spec_error(&place, &format!("{spec}tablets = 2\n")),
        "rows that are written as they are have no alphabet to split evenly: take the points from a sample with `fluo \
         advise`",
    );
    assert_says(
        &spec_error(&place, &format!("{spec}digits = 2\nsplit_points = []\n")),
        "line 3, column 1: unknown field `digits`",
    );
}

#[test]
fn reads_the_design_from_a_spec() {
    let place = Place::new();
    place.file(
        "s.toml",
        "[[key_design]]\ndesign = \"composite\"\nfields = [{ name = \"at\", kind = \"time\", order = \"descending\" }, \
         { kind = \"text\" }]\nseparator = \",\"\nsplit_points = [\"\\\\x80\"]\n\
         [key_design.salt]\ndesign = \"digest-salt\"\nover = { fields = 1 }\n",
    );
    let row = "2023-10-08T05:47:31.903Z,a\n";
    let hex = "323032332d31302d30385430353a34373a33312e3930335a2c61\n";
    let key = place
        .fed("key add --spec s.toml --encoding hex", hex)
        .succeeds();
    place
        .fed("key remove --spec s.toml --encoding hex", key.stdout)
        .prints(hex);
    place
        .fed("key add --spec s.toml --encoding text", row)
        .succeeds();
    place
        .fluo("key splits --spec s.toml --encoding hex")
        .prints("80\n");

    place.file(
        "two.toml",
        "[[row_hasher]]\nprefix = \"p\"\ntablets = 3\n[[row_hasher]]\nprefix = \"q\"\ntablets = 2\n",
    );
    place
        .fluo("key splits --spec two.toml --prefix q")
        .prints("q:i000\nq:~\n");
    place
        .fluo("key splits --spec two.toml --prefix q --tablets 1")
        .prints("q:~\n");
    place
        .fed(
            "key add --spec two.toml --prefix p",
            "org.wikipedia/accumulo\n",
        )
        .prints("p:1yl0:org.wikipedia/accumulo\n");
    assert_eq!(
        place.fluo("key add --spec two.toml").fails(),
        "the spec two.toml has 2 designs: row hasher `p`, row hasher `q`; choose one with --prefix"
    );
    assert_eq!(
        place.fluo("key add --spec two.toml --prefix x").fails(),
        "the spec two.toml has no row hasher of this prefix"
    );
    assert_eq!(
        place.fluo("key add --spec two.toml --digits 2").fails(),
        "--digits and --spec: the spec has the settings"
    );
    assert_says(
        &place
            .fluo("key add --spec two.toml --design modulo")
            .refuses_arguments(),
        "cannot be used with",
    );
    assert_says(
        &place.fluo("key add --spec nope.toml").fails(),
        "cannot read the spec nope.toml: ",
    );
}

#[test]
fn uses_the_singular_for_one() {
    let place = Place::new();
    for (arguments, input, message) in [
        (
            "add --design reversed --length 3",
            "a\n",
            "line 1: `a` has 1 byte, but all rows of this reversed design have 3: ",
        ),
        (
            "add --design composite --field text --field text",
            "a\n",
            "line 1: `a` has 1 field separated by `\\x09`, but rows of this composite design have 2",
        ),
        (
            "add --design random-salt --buckets 1",
            "",
            "a random salt cannot have 1 bucket: ",
        ),
        (
            "splits --design modulo --buckets 1 --tablets 2",
            "",
            "2 tablets are more than the 1 salt of this modulo design: give at most 1",
        ),
    ] {
        assert_says(
            &place.fed(&format!("key {arguments}"), input).fails(),
            message,
        );
    }
}
