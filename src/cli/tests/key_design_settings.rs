//! The settings of a design, from arguments and from a spec. Errors are reported with their place.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

#[test]
fn refuses_wrong_settings_with_a_sentence() {
    let place = Place::new();
    for (design, message) in [
        (
            "digest-salt,buckets=3",
            "the design digest-salt has no setting `buckets`, at `buckets=3` of --design: the settings are `digest`, \
             `end`, `digits`, `separator`, `over`",
        ),
        (
            "modulo,bucket=3",
            "the design modulo has no setting `bucket`, at `bucket=3` of --design: did you mean `buckets`? the settings \
             are `buckets`, `of`, `separator`, `over`",
        ),
        (
            "unsalted,digits=2",
            "the design unsalted has no setting `digits`, at `digits=2` of --design: there are no settings",
        ),
        (
            "module",
            "there is no design `module`, at `module` of --design: did you mean `modulo`? the designs are `row-hasher`, \
             `modulo`, `digest-salt`, `web-table`, `reversed`, `reverse-time`, `random-salt`, `composite`, `unsalted`",
        ),
        (
            "modulo,salt.design=digest-salt",
            "the design modulo has no setting `salt`, at `salt.design=digest-salt` of --design: the settings are \
             `buckets`, `of`, `separator`, `over`",
        ),
        (
            "modulo,buckets=-1",
            "invalid value: integer `-1`, expected u32, at `buckets=-1` of --design: `buckets` is the number of \
             buckets, 1 to 1,000,000; 10 unless given",
        ),
        (
            "modulo,buckets=x",
            "invalid type: string \"x\", expected u32, at `buckets=x` of --design: `buckets` is the number of buckets, \
             1 to 1,000,000; 10 unless given",
        ),
        (
            "modulo,buckets=0",
            "the number of buckets cannot be 0: give 1 to 1000000, in --design",
        ),
        (
            "modulo,of=x",
            "unknown variant `x`, expected `java-hash` or `number`, at `of=x` of --design: `of` is the value whose \
             modulus is the bucket: java-hash, unless given, or number",
        ),
        (
            "modulo,over.first=x",
            "invalid type: string \"x\", expected usize, at `over.first=x` of --design: `over` is the part of the row \
             that determines the salt: whole, unless given, or as in over.before = \"/\" or over.first = 4",
        ),
        (
            "modulo,over.first=0",
            "the salted part has no bytes, so that all rows would have one salt: give at least 1, in --design",
        ),
        (
            "composite,fields=[{name='a',kind='text'},{name='a',kind='signed'}]",
            "two fields are called `a`: give each a name of its own, or none, in --design",
        ),
        (
            "reverse-time,salt=modulo",
            "`salt` is not a table, at `salt=modulo` of --design: `salt` is a table with the design of a salt, which is \
             modulo, digest-salt or random-salt, and the settings of that design, as in salt.design = \
             \"digest-salt\", salt.over = \"entity\"; no salt unless given",
        ),
        (
            "reverse-time,salt.design=digest-salt,salt.bucket=3",
            "the design digest-salt has no setting `bucket`, at `salt.bucket=3` of --design: the settings are `digest`, \
             `end`, `digits`, `separator`, `over`",
        ),
        (
            "reverse-time,salt.design=modulo,salt.buckets=-1",
            "invalid value: integer `-1`, expected u32, at `salt.buckets=-1` of --design: `buckets` is the number of \
             buckets, 1 to 1,000,000; 10 unless given",
        ),
        (
            "reverse-time,salt.design=random-salt",
            "the design random-salt needs `buckets`, at `salt.design=random-salt` of --design: the number of buckets, 2 \
             to 65,536, which determines the width of the salt in a key",
        ),
        (
            "reverse-time,salt.design=reversed,salt.length=stored",
            "this design cannot salt the rows of another one, at `salt.design=reversed` of --design: salts are modulo, \
             digest-salt and random-salt",
        ),
        (
            "row-hasher",
            "the design row-hasher needs `prefix`, in --design: the start of every key, before the first `:`",
        ),
        (
            "reversed",
            "the design reversed needs `length`, in --design: the length of all rows, as in length.fixed = 10, or \
             \"stored\", to store it with each row, so that a key that was cut short is no other row; a digest-salt \
             accepts rows of any length",
        ),
        (
            "modulo,buckets=3,buckets=4",
            "duplicate key, at `buckets=4` of --design",
        ),
        (
            "modulo,buckets",
            "`buckets` is not KEY=VALUE, in --design: write --design NAME,KEY=VALUE,.., and a value with a comma in \
             quotes, as in separator=','",
        ),
        (
            "modulo --seed 3",
            "--seed is for salts that are drawn; those of the design modulo are computed",
        ),
    ] {
        let run = place.fluo(&format!("key add --design {design}"));
        assert_eq!(run.fails(), message, "{design}");
    }
    for (design, part) in [
        (
            "modulo,over=first",
            ", at `over=first` of --design: `over` is the part of the row",
        ),
        (
            "web-table,over=x",
            "unknown variant `x`, expected `registrable-domain` or `host`, at `over=x` of --design: ",
        ),
        (
            "composite",
            "the design composite needs `fields`, in --design: an array of tables",
        ),
        (
            "composite,fields=[{kind='word'}]",
            "unknown variant `word`, expected one of `text`, `bytes`, `signed`, `unsigned`, `float`, `time`, at \
             `fields=[{kind='word'}]` of --design: `fields` is an array of tables",
        ),
        (
            "composite,fields=['text']",
            "expected a table with the kind of a field, at `fields=['text']` of --design: ",
        ),
        (
            "composite,fields=[{kind='text'}],separator=ab",
            "expected a character, at `separator=ab` of --design: `separator` is the character between the fields",
        ),
        (
            "reversed,length=10",
            ", at `length=10` of --design: `length` is the length of all rows",
        ),
        (
            "reversed,length.fixed=-1",
            "expected usize, at `length.fixed=-1` of --design: `length` is the length of all rows",
        ),
        (
            "random-salt,separator=-",
            "the design random-salt needs `buckets`, in --design: ",
        ),
    ] {
        let run = place.fluo(&format!("key add --design {design}"));
        assert_says(&run.fails(), part);
    }
    for (arguments, part) in [
        ("", "--prefix <PREFIX>"),
        (
            "--design random-salt,buckets=4 --seed x",
            "write a whole number from 0 to 18446744073709551615",
        ),
        ("--prefix p --digits 3", "unexpected argument '--digits'"),
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
        "the design unsalted has no setting `digits`, at line 3, column 1 of s.toml: ",
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
            "add --design reversed,length.fixed=3",
            "a\n",
            "line 1: `a` has 1 byte, but all rows of this reversed design have 3: ",
        ),
        (
            "add --design composite,fields=[{kind='text'},{kind='text'}]",
            "a\n",
            "line 1: `a` has 1 field separated by `\\x09`, but rows of this composite design have 2",
        ),
        (
            "add --design random-salt,buckets=1",
            "",
            "a random salt cannot have 1 bucket: ",
        ),
        (
            "splits --design modulo,buckets=1 --tablets 2",
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
