//! The settings of a design, from arguments and from a spec. Errors are reported with their place.

use crate::command::{Place, assert_says};

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
            "the design modulo has no setting `bucket`, at line 4, column 1 of s.toml: did you mean `buckets`? the \
             settings are `buckets`, `of`, `separator`, `over`, `tablets`, `split_points`, `before`",
        ),
        (
            "tablets = 2\nbuckets = \"3\"",
            "invalid type: string \"3\", expected u32, at line 5, column 11 of s.toml: `buckets` is the number of",
        ),
        (
            "over = { befor = \"/\" }\ntablets = 2",
            "unknown variant `befor`, expected one of `whole`, `before`, `first`, `fields`, `entity`, at line 4, column \
             10 of s.toml: `over` is the part of the row",
        ),
        (
            "tablets = -1",
            "a table cannot have -1 tablets, at line 4, column 11 of s.toml: `tablets` is a number from 1 to 2097152",
        ),
        (
            "tablets = 0",
            "a table cannot have 0 tablets, at line 4, column 11 of s.toml: ",
        ),
        (
            "tablets = 4294967295",
            "a table cannot have 4294967295 tablets, at line 4, column 11 of s.toml: ",
        ),
        (
            "tablets = 99999999999999999999",
            ", at line 4, column 11 of s.toml: `tablets` is a number from 1 to 2097152",
        ),
        (
            "tablets = \"2\"",
            "invalid type: string \"2\", expected i64, at line 4, column 11 of s.toml: ",
        ),
        (
            "",
            "the design has no tablets, at line 2, column 1 of s.toml: give their number, as in tablets = 16, or \
             split_points = [\"g\", \"p\"]; split_points = [] is one tablet",
        ),
        (
            "tablets = 2\nsplit_points = []",
            "tablets is the number of split points to make, and split_points has the points, at line 2, column 1 of \
             s.toml: give one of them",
        ),
        (
            "split_points = 3",
            "invalid type: integer `3`, expected a sequence, at line 4, column 16 of s.toml: `split_points` is an array \
             of rows as text",
        ),
        (
            "split_points = [\"a\", 3]",
            "invalid type: integer `3`, expected a string, at line 4, column 22 of s.toml: ",
        ),
        (
            "split_points = [\"\\\\n\"]",
            "the split point `\\n`: at byte 0: ",
        ),
        (
            "split_points = [\"b\", \"a\"]",
            "key design modulo: its split points are not ascending: `a` comes after `b`",
        ),
        (
            "buckets = 0\ntablets = 2",
            "the number of buckets cannot be 0: give 1 to 1000000, at line 2, column 1 of s.toml",
        ),
        (
            "tablets = 2\ntablets = 3",
            "duplicate key, at line 5, column 1 of s.toml",
        ),
        (
            "tablets = 2\n[[key_design.before]]\ndesign = \"modulo\"\nbukets = 2",
            "the design modulo has no setting `bukets`, at line 7, column 1 of s.toml: did you mean `buckets`? ",
        ),
        (
            "tablets = 2\nbefore = [3]",
            "`before` is not an array of tables, at line 5, column 11 of s.toml: write [[before]], with two brackets",
        ),
    ] {
        let message = spec_error(&place, &format!("{modulo}{rest}\n"));
        assert_says(&message, part);
    }
    for (spec, part) in [
        (
            "[[key_design]]\ntablets = 2\n",
            "the design has no name, at line 1, column 1 of s.toml: the designs are `row-hasher`, ",
        ),
        (
            "[[key_design]]\ndesign = \"module\"\ntablets = 2\n",
            "there is no design `module`, at line 2, column 10 of s.toml: did you mean `modulo`? the designs are ",
        ),
        (
            "[[key_design]]\ndesign = \"row-hasher\"\ntablets = 2\n",
            "the design row-hasher needs `prefix`, at line 1, column 1 of s.toml: ",
        ),
        (
            "[[key_design]]\ndesign = \"reversed\"\ntablets = 2\n",
            "the design reversed needs `length`, at line 1, column 1 of s.toml: ",
        ),
        (
            "[[key_design]]\ndesign = \"reverse-time\"\ntablets = 2\nsalt = { design = \"modulo\", buckets = -1 }\n",
            "invalid value: integer `-1`, expected u32, at line 4, column 39 of s.toml: `buckets` is ",
        ),
        (
            "[key_design]\ndesign = \"modulo\"\n",
            "`key_design` is not an array of tables, at line 1, column 1 of s.toml: write [[key_design]], with two \
             brackets",
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
        "99 tablets are more than the 10 salts of this modulo design: give at most 10, at line 1, column 1 of both.toml",
    );
}

#[test]
fn unsalted_leaves_keys_unchanged() {
    let place = Place::with_table();
    place.file(
        "u.toml",
        "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = [\"g\", \"p\"]\n",
    );
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
        "OK: table pages is as the spec says; key design unsalted has too few rows to tell (2), so evenness is not proved.",
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
        .fed(
            "key add --spec two.toml --prefix p",
            "org.wikipedia/accumulo\n",
        )
        .prints("p:1yl0:org.wikipedia/accumulo\n");
}

#[test]
fn uses_the_singular_for_one() {
    let place = Place::new();
    for (arguments, input, message) in [
        (
            "add --design reversed,length.fixed=3",
            "a\n",
            "line 1: `a` has 1 byte, but all rows of this reversed design have 3: ",
        ),
        (
            "add --design composite,fields=[{kind='text'},{kind='text'}]",
            "a\n",
            "line 1: `a` has 1 field separated by `\\x09`, but rows of this composite design have 2",
        ),
    ] {
        assert_says(
            &place.fed(&format!("key {arguments}"), input).fails(),
            message,
        );
    }
}
