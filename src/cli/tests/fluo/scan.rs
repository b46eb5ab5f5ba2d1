//! `fluo scan` prints the committed cells of an application, as of one moment.

use std::io::{BufRead, BufReader};

use crate::application::{Web, page, place};
use crate::command::{Place, assert_says, ended};
use fluo_table::Column;

const SCAN: &str = "scan --at embedded:d";

async fn loaded() -> Place {
    let place = place();
    let web = Web::open(&place).await;
    web.set(&[
        (b"com.example", page("title"), b"old"),
        (b"com.example", page("text"), b"an example, \"quoted\""),
        (b"org.apache", page("title"), b"Apache"),
        (b"org.wikipedia", page("title"), b"Wikipedia"),
        (b"org.wikipedia", Column::new("stat", "visits"), b"7"),
        (b"\xff\\\n", page("title"), b"\x00 odd\t"),
    ])
    .await;
    web.set(&[(b"com.example", page("title"), b"new")]).await;
    let secret = page("note").with_visibility("eu");
    web.set(&[(b"org.apache", secret, b"seen in the EU")]).await;
    place
}

#[tokio::test]
async fn prints_cells_like_java_fluo() {
    let place = loaded().await;
    place.fluo(&format!("{SCAN} web")).prints(
        "com.example page text \tan example, \"quoted\"\n\
         com.example page title \tnew\n\
         org.apache page title \tApache\n\
         org.wikipedia page title \tWikipedia\n\
         org.wikipedia stat visits \t7\n\
         \\xff\\x5c\\x0a page title \t\\x00 odd\\x09\n",
    );
}

#[tokio::test]
async fn selects_rows_and_columns() {
    let place = loaded().await;
    let rows = |arguments: &[&str]| {
        let scan = ["scan", "--at", "embedded:d"];
        let run = place.with(scan.iter().chain(arguments).chain(&["web"]));
        let run = run.succeeds();
        assert_eq!(run.stderr, "");
        let first = |line: &str| line.split(' ').next().unwrap().to_owned();
        run.text().lines().map(first).collect::<Vec<_>>()
    };
    let [example, apache, wikipedia, odd] = [
        "com.example",
        "org.apache",
        "org.wikipedia",
        r"\xff\x5c\x0a",
    ];
    for (arguments, expected) in [
        (
            &["--start", "org.apache", "--column", "page"][..],
            vec![apache, wikipedia, odd],
        ),
        // The end is inclusive.
        (&["--end", "org.apache"], vec![example, example, apache]),
        (&["--start", "d", "--end", "org.apache"], vec![apache]),
        (
            &["--start", "org.apache", "--end", "org.apache"],
            vec![apache],
        ),
        (&["--start", "x", "--end", "y"], vec![]),
        (&["--row", "org.apache"], vec![apache]),
        (&["--row", "org"], vec![]),
        (&["--prefix", "org."], vec![apache, wikipedia, wikipedia]),
        (
            &["--prefix", ""],
            vec![example, example, apache, wikipedia, wikipedia, odd],
        ),
        (&["--row", odd], vec![odd]),
        (&["--column", "stat:visits"], vec![wikipedia]),
        (
            &["--column", "stat", "--column", "page:text"],
            vec![example, wikipedia],
        ),
        (&["--column", "page:no"], vec![]),
        (&["--limit", "0"], vec![]),
        (&["--limit", "1"], vec![example]),
        (&["--limit", "3"], vec![example, example, apache]),
        (
            &["--limit", "7"],
            vec![example, example, apache, wikipedia, wikipedia, odd],
        ),
        // A cell with a visibility that the label allows.
        (
            &["--row", apache, "--authorization", "eu"],
            vec![apache, apache],
        ),
        (&["--row", apache, "--authorization", "us"], vec![apache]),
    ] {
        assert_eq!(rows(arguments), expected, "{arguments:?}");
    }
}

#[tokio::test]
async fn reads_and_writes_bytes_in_an_encoding() {
    let place = loaded().await;
    let hex = "--encoding hex --prefix ff5c --column 70616765:7469746c65";
    place
        .fluo(&format!("{SCAN} {hex} web"))
        .prints("ff5c0a 70616765 7469746c65 \t00206f646409\n");
    let base64 = "--encoding base64 --row /1wK --column cGFnZQ==";
    place
        .fluo(&format!("{SCAN} {base64} web"))
        .prints("/1wK cGFnZQ== dGl0bGU= \tACBvZGQJ\n");
}

#[tokio::test]
async fn prints_csv_and_json() {
    let place = loaded().await;
    let row = "--row com.example";
    let csv = place.fluo(&format!("{SCAN} {row} --format csv web"));
    csv.prints(
        "row,family,qualifier,visibility,timestamp,value\n\
         com.example,page,text,,3,\"an example, \"\"quoted\"\"\"\n\
         com.example,page,title,,6,new\n",
    );
    let json = place.fluo(&format!(
        "{SCAN} {row} --column page:text --format json web"
    ));
    json.prints(
        "{\"row\":\"com.example\",\"family\":\"page\",\"qualifier\":\"text\",\"visibility\":\"\",\"timestamp\":3,\
         \"value\":\"an example, \\\"quoted\\\"\"}\n",
    );
    let nothing = "--row nothing --format";
    place
        .fluo(&format!("{SCAN} {nothing} csv web"))
        .prints("row,family,qualifier,visibility,timestamp,value\n");
    place.fluo(&format!("{SCAN} {nothing} json web")).prints("");
}

/// Blanks and a `:` separate names on a line, so they are escaped within names.
#[tokio::test]
async fn lines_can_be_parsed() {
    let place = place();
    let web = Web::open(&place).await;
    let row = "a \u{202e}:b".as_bytes();
    web.set(&[(row, Column::new("a b:c", "d e:f"), b"a value: of words")])
        .await;
    drop(web);
    let scan = |arguments: &[&str]| {
        let command = ["scan", "--at", "embedded:d"];
        let run = place.with(command.iter().chain(arguments).chain(&["web"]));
        run.succeeds().text().to_owned()
    };
    let (row, family, qualifier) = (r"a\x20\xe2\x80\xae:b", r"a\x20b\x3ac", r"d\x20e:f");
    let line = format!("{row} {family} {qualifier} \ta value: of words\n");
    assert_eq!(scan(&[]), line);
    // Printed names are valid arguments.
    let column = format!("{family}:{qualifier}");
    assert_eq!(scan(&["--row", row, "--column", &column]), line);
    let lock = format!(
        "{row} {family}:{qualifier} [] 3-LOCK\t{row} {family} {qualifier}  WRITE NOT_DELETE "
    );
    assert_says(&scan(&["--raw"]), &lock);
    // Separators are not escaped in fields of their own.
    assert_says(
        &scan(&["--format", "csv"]),
        "\na \\xe2\\x80\\xae:b,a b:c,d e:f,,3,a value: of words\n",
    );
    assert_says(
        &scan(&["--format", "json"]),
        "\"family\":\"a b:c\",\"qualifier\":\"d e:f\"",
    );
}

/// Selects a row that is not a target with a password.
#[tokio::test]
async fn accepts_a_row_that_looks_like_a_target() {
    let place = place();
    let web = Web::open(&place).await;
    web.set(&[(b"proxy:a@b", page("title"), b"v")]).await;
    drop(web);
    for arguments in [
        "--row proxy:a@b",
        "--prefix proxy:a@",
        "--start proxy:a@b --end proxy:a@b",
    ] {
        place
            .fluo(&format!("{SCAN} {arguments} web"))
            .prints("proxy:a@b page title \tv\n");
    }
}

#[tokio::test]
async fn shows_the_lock_of_a_crashed_process_raw_and_resolves_it_otherwise() {
    let place = place();
    let web = Web::open(&place).await;
    web.set(&[(b"a", page("title"), b"committed")]).await;
    let start = web.crash_locking("a", &page("title")).await;
    drop(web);
    let raw = || place.fluo(&format!("{SCAN} --raw web")).succeeds();
    let lock = format!("a page:title [] {start}-LOCK\ta page title  WRITE NOT_DELETE NOT_TRIGGER ");
    assert_says(raw().text(), &lock);
    assert!(!raw().text().contains("DEL_LOCK"), "{}", raw().text());
    place
        .fluo(&format!("{SCAN} web"))
        .prints("a page title \tcommitted\n");
    assert_says(
        raw().text(),
        &format!("a page:title [] {start}-DEL_LOCK\tABORT PRIMARY 0\n"),
    );
    assert_says(raw().text(), &lock);
}

/// Creates more cells than a pipe holds.
async fn with_many_cells() -> Place {
    let place = place();
    let client = Web::open(&place).await.client().await;
    let value = vec![b'x'; 1_000];
    for part in 0..4 {
        client
            .run(async |tx| {
                (0..250).try_for_each(|row| {
                    tx.set(format!("{part}{row:03}"), &page("title"), value.clone())
                })
            })
            .await
            .unwrap();
    }
    place
}

#[tokio::test]
async fn a_closed_output_ends_a_scan_without_a_failure() {
    let place = with_many_cells().await;
    let all = place.fluo(&format!("{SCAN} web")).succeeds();
    assert_eq!(all.text().lines().count(), 1_000);
    assert_eq!(all.stderr, "");
    for arguments in ["", "--raw", "--format csv", "--format json"] {
        let arguments = format!("{SCAN} {arguments} web");
        let mut child = place.command(arguments.split_whitespace()).spawn().unwrap();
        let mut stdout = BufReader::with_capacity(16, child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        drop(stdout);
        let run = ended(child).succeeds();
        assert_eq!(run.stderr, "", "{arguments}");
    }
    let full = std::path::Path::new("/dev/full");
    if full.exists() {
        let message = place.printing_into(&format!("{SCAN} web"), full).fails();
        assert_says(
            &message,
            "cannot write to standard output: No space left on device",
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_ends_a_scan_that_waits_for_its_reader() {
    let place = with_many_cells().await;
    let mut child = place
        .command(format!("{SCAN} web").split(' '))
        .spawn()
        .unwrap();
    // The scan waits, because its output is not read further.
    let mut stdout = BufReader::with_capacity(16, child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    crate::command::signal(child.id(), "INT");
    let run = ended(child);
    assert_eq!((run.code, run.stderr.as_str()), (Some(130), ""));
    place
        .fluo(&format!("{SCAN} --limit 1 --raw web"))
        .succeeds();
}

#[cfg(unix)]
#[tokio::test]
async fn shows_no_progress_between_cells_at_a_terminal() {
    let place = loaded().await;
    let (code, shown) = place.at_terminal(&format!("{SCAN} web"), &[]).ended();
    assert_eq!(code, Some(0));
    assert_says(&shown, "org.wikipedia stat visits");
    assert!(
        !shown.contains("cells") && !shown.contains('\u{1b}'),
        "{shown}"
    );
}
