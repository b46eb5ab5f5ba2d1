//! Every key design by name: well-known cases, as lines of `fluo key`.

use crate::command::{Place, assert_says};

/// Converts a row to its key and back.
#[track_caller]
fn both_ways(design: &str, row: &str, key: &str) {
    let place = Place::new();
    place
        .fed(&format!("key add {design}"), format!("{row}\n"))
        .prints(format!("{key}\n"));
    place
        .fed(&format!("key remove {design}"), format!("{key}\n"))
        .prints(format!("{row}\n"));
}

#[test]
fn modulo() {
    both_ways(
        "--design modulo",
        "polygenelubricants",
        "02|polygenelubricants",
    );
    both_ways("--design modulo,of=number", "1364248490", "00|1364248490");
    both_ways("--design modulo,of=number", "-123", "07|-123");
    both_ways(
        "--design modulo,buckets=1000,separator=-,over.before=/",
        "a/b",
        "097-a/b",
    );
}

#[test]
fn digest_salt() {
    both_ways(
        "--design digest-salt,digits=4,end=last",
        "1364248490",
        "ffe51364248490",
    );
    let first = "--design digest-salt,digits=4,separator=-";
    for (row, key) in [
        ("abc001", "9bf0-abc001"),
        ("abc002", "7006-abc002"),
        ("abc003", "95e6-abc003"),
    ] {
        both_ways(first, row, key);
    }
    both_ways("--design digest-salt,digest=sha1", "abc", "a9abc");
}

#[test]
fn web_table() {
    let place = Place::new();
    let keys = |settings: &str, url: &str| {
        let arguments = format!("key add --design web-table{settings}");
        let run = place.fed(&arguments, format!("{url}\n")).succeeds();
        run.text().trim_end().to_owned()
    };
    assert_eq!(
        keys("", "https://Support.Example.com/docs#top"),
        "5a:com.example.support/docs"
    );
    assert_eq!(keys("", "example.com"), "5a:com.example/");
    assert_ne!(
        keys(",over=host", "https://support.example.com/docs"),
        "5a:com.example.support/docs"
    );
    assert_ne!(keys(",text=reversed", "example.com"), "5a:com.example/");
    both_ways(
        "--design web-table",
        "support.example.com/docs",
        "5a:com.example.support/docs",
    );
    // MD5 of example2.com begins with 95, so it also has another salt.
    both_ways("--design web-table", "example2.com/", "95:com.example2/");
}

#[test]
fn reversed() {
    both_ways("--design reversed,length.fixed=6", "001234", "432100");
    both_ways(
        "--design reversed,length.fixed=4,unit=characters",
        "aé日z",
        "z日éa",
    );
}

#[test]
fn reverse_time() {
    both_ways(
        "--design reverse-time",
        "sensor7|1696744051903",
        "sensor7|9223370340110723904",
    );
    both_ways(
        "--design reverse-time,time=first",
        "1696744051903|sensor7",
        "9223370340110723904|sensor7",
    );
    // 8 bytes, big-endian: the row has the time, the key the maximum minus the time.
    both_ways(
        "--design reverse-time,encoding=binary --encoding hex",
        "617c0000018b0dd394bf",
        "617c7ffffe74f22c6b40",
    );
    let place = Place::new();
    let salted = "--design reverse-time,salt.design=digest-salt,salt.digits=1,salt.separator=-,salt.over=entity";
    let run = place.fed(
        &format!("key add {salted}"),
        "sensor7|1696744051903\nsensor7|1\n",
    );
    let run = run.succeeds();
    let salts: Vec<_> = run.text().lines().map(|key| &key.as_bytes()[..2]).collect();
    assert_eq!(salts[0], salts[1], "an entity has one salt");
}

#[test]
fn random_salt() {
    let place = Place::new();
    let design = "--design random-salt,buckets=10";
    let rows = "row\n".repeat(1_000);
    let keys = |seed: &str| {
        let run = place.fed(&format!("key add {design} {seed}"), &rows);
        run.succeeds().text().to_owned()
    };
    let seeded = keys("--seed 7");
    assert_eq!(seeded, keys("--seed 7"), "a seed repeats the salts");
    assert_ne!(seeded, keys("--seed 8"));
    assert_ne!(keys(""), keys(""));
    for bucket in 0..10 {
        let key = format!("{bucket:02}|row\n");
        assert!(seeded.matches(&key).count() > 50, "{key}");
    }
    place
        .fed(&format!("key remove {design}"), seeded)
        .prints(&rows);
    let message = place
        .fed(&format!("key remove {design}"), "10|row\n")
        .fails();
    assert_says(&message, "line 1: ");
    assert_says(&message, "its salt is `10`, and salts are `00` to `09`");
}

/// Covers fields at the end of the byte range: the successor of a field that ends in `ff` differs
/// from the successor of the bytes `ff`.
#[test]
fn composite_fields_that_end_in_ff() {
    let place = Place::new();
    let design = "--design composite,fields=[{name='id',kind='bytes'},{name='n',kind='signed'}]";
    let rows = "61ff\t7\n61ff00\t7\n61ffff\t7\n62\t7\n";
    let hex = |text: &str| -> String { text.bytes().map(|byte| format!("{byte:02x}")).collect() };
    let given: String = rows.lines().map(|row| format!("{}\n", hex(row))).collect();
    let written = "61ff00008000000000000007\n61ff00ff00008000000000000007\n61ffff00008000000000000007\n\
                   6200008000000000000007\n";
    place
        .fed(&format!("key add {design} --encoding hex"), &given)
        .prints(written);
    place
        .fed(&format!("key remove {design} --encoding hex"), written)
        .prints(given);
    for (prefix, spans) in [
        // The whole field: neither 61ff00 nor 61ffff.
        ("61ff\t", "[a\\xff\\x00\\x00, a\\xff\\x00\\x01)\n"),
        // Fields that begin with it.
        ("61ff", "[a\\xff, b)\n"),
        ("ff", "[\\xff, end of table)\n"),
    ] {
        let arguments = format!("key spans {design} --prefix-of");
        let arguments = arguments.split(' ').chain([prefix]);
        place.with(arguments).prints(spans);
    }
}

#[test]
fn composite() {
    let place = Place::new();
    let design = "--design composite,fields=[{name='tenant',kind='text'},{name='amount',kind='signed',order='descending'}],\
                  salt.design=digest-salt,salt.digits=1,salt.over.fields=1 --encoding hex";
    // acme<tab>12, acme<tab>9
    let run = place.fed(
        &format!("key add {design}"),
        "61636d65093132\n61636d650939\n",
    );
    let keys: Vec<_> = run.succeeds().text().lines().map(str::to_owned).collect();
    assert_eq!(keys[0], "3561636d6500007ffffffffffffff3");
    assert!(keys[1] > keys[0], "the larger amount comes first");
    assert_eq!(
        keys[0].as_bytes()[..2],
        keys[1].as_bytes()[..2],
        "and the tenant in one piece"
    );
    place
        .fed(&format!("key remove {design}"), &keys[0])
        .prints("61636d65093132\n");
    let spans = place.fluo(&format!("key spans {design} --prefix-of 61636d6509"));
    assert_eq!(
        spans.succeeds().text(),
        "[5acme\\x00\\x00, 5acme\\x00\\x01)\n"
    );
}

#[test]
fn refuses_rows_without_a_key_with_their_line() {
    let place = Place::new();
    for (design, rows, part) in [
        (
            "modulo",
            b"ok\n\xff\n".as_slice(),
            "line 2: `\\xff` is not UTF-8 text, which Java's String.hashCode needs: use a digest-salt",
        ),
        (
            "modulo,of=number",
            b"1\n2\nx\n",
            "line 3: `x` is not a whole number",
        ),
        (
            "web-table",
            b"a.com\norg.01/x\n",
            "line 2: `org.01/x` has no key in a web table",
        ),
        ("reversed,length.fixed=6", b"123456\n12345\n", "line 2: "),
        ("reverse-time", b"a|1\nb\n", "line 2: "),
        (
            "composite,fields=[{kind='unsigned'}]",
            b"1\n-1\n",
            "line 2: ",
        ),
    ] {
        let run = place.fed(&format!("key add --design {design}"), rows);
        assert_eq!(run.code, Some(2), "{design}");
        assert_says(&run.error(), part);
        let before = run.stdout.iter().filter(|byte| **byte == b'\n').count();
        assert_says(&run.error(), &format!("line {}: ", before + 1));
    }
    let message = place.fed(
        "key remove --design modulo",
        "02|polygenelubricants\n03|polygenelubricants\n",
    );
    assert_says(
        &message.error(),
        "line 2: `03|polygenelubricants` is not a key of this modulo design: its salt is `03`, but that of its row \
         is `02`",
    );
}

#[test]
fn escapes_bytes_in_the_page_about_a_design() {
    let place = Place::new();
    let page = |arguments: &str| {
        let run = place.fluo(&format!("key design {arguments}")).succeeds();
        run.text().to_owned()
    };
    let told = page("--prefix p");
    assert_says(&told, "\n keys         begin with p:\n");
    assert_says(&told, "\n by prefix    impossible: ");
    assert_says(&told, "\n group        (\\Qp:\\E).*\n");
    assert_says(&told, "\n by suffix    impossible: ");
    assert_says(
        &page("--design row-hasher"),
        "prefix=p, as this design needs settings and none were given",
    );
    let told = page("--design composite");
    assert_says(&told, "composite (fields separated by `\\x09`: ");
    assert_says(&told, " by suffix ");
    assert_says(
        &told,
        "fields=[{kind=\"text\"},{kind=\"time\",order=\"descending\"}], as this design needs settings and none were given",
    );
}

#[test]
fn json_about_a_design_has_an_example_if_it_needs_settings() {
    let place = Place::new();
    for (name, example) in [
        ("row-hasher", "prefix=p"),
        ("reversed", "length.fixed=10"),
        ("random-salt", "buckets=16"),
        (
            "composite",
            "fields=[{kind=\"text\"},{kind=\"time\",order=\"descending\"}]",
        ),
    ] {
        let json = place.fluo(&format!("key design --json --design {name}"));
        assert_eq!(json.json()["example"], example);
        let given = place.fluo(&format!("key design --json --design {name},{example}"));
        assert!(given.json().get("example").is_none());
    }
}

#[test]
fn json_about_a_design_has_its_reads() {
    let place = Place::new();
    let json = place
        .fluo("key design --design reversed,length.fixed=6 --json")
        .json();
    assert_eq!(json["design"], "reversed");
    assert_eq!(
        json["scans"][0],
        serde_json::json!({ "by": "row", "possible": true, "pieces": 1, "sentence": "in one piece" })
    );
    assert_eq!(json["scans"][1]["possible"], false);
    assert_says(
        json["scans"][1]["sentence"].as_str().unwrap(),
        "impossible: rows with one prefix are scattered if rows are reversed",
    );
    assert_eq!(json.get("group"), None);

    let json = place.fluo("key design --design web-table --json").json();
    assert_eq!(
        json["scans"][1],
        serde_json::json!({
            "by": "prefix",
            "possible": true,
            "pieces": 2,
            "only": "prefixes that hold the whole host and the `/` behind it, such as `https://example.com/docs/`",
            "sentence": "fanned out over up to 2 pieces, but only prefixes that hold the whole host and the `/` behind \
                         it, such as `https://example.com/docs/`",
        })
    );
    assert_eq!(json["scans"][5]["by"], "domain");
    assert_eq!(json["scans"][5]["pieces"], 1);
}

#[test]
fn escapes_the_bounds_of_selected_rows() {
    let place = Place::new();
    let spans = |set: &str| {
        let run = place.fluo(&format!("key spans --design modulo,buckets=1 {set}"));
        run.succeeds().text().to_owned()
    };
    assert_eq!(spans("--row a"), "[00|a, 00|a\\x00)\n");
    assert_eq!(
        spans("--encoding hex --row 000a"),
        "[00|\\x00\\x0a, 00|\\x00\\x0a\\x00)\n"
    );
    assert_eq!(spans("--from b --to a"), "", "no row is in it");
}
