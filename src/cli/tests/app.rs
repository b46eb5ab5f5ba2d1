//! The life of applications: they are initialised, listed, shown and removed.

#![cfg(test)]

mod command;

use command::{Place, assert_says};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::Applications;

const INIT: &str = "app init --at embedded:d";

#[test]
fn initialises_lists_shows_and_removes_an_application() {
    let place = Place::new();
    let observe = r"--observe page:links=strong,count --observe a\x3a:\xff=weak,other";
    let set = "--set web.tablets=20 --set b=x=y";
    let run = place
        .fluo(&format!("{INIT} --table pages {observe} {set} web"))
        .succeeds();
    let directory = place.path("d").canonicalize().unwrap();
    let made = format!("made directory `{}` with 2 servers\n", directory.display());
    assert_eq!(
        (run.text(), run.stderr.as_str()),
        (
            "",
            format!("{made}initialised application `web` with table `pages`\n").as_str()
        )
    );
    place.fluo(&format!("{INIT} links_2")).succeeds();
    place
        .fluo("app list --at embedded:d")
        .prints("links_2  STOPPED  links_2\nweb      STOPPED  pages\n");
    let listed = place.fluo("app list --at embedded:d --json").json();
    assert_eq!(
        listed[1],
        serde_json::json!({ "name": "web", "status": "STOPPED", "table": "pages" })
    );
    place
        .fluo("app status --at embedded:d web")
        .prints("STOPPED\n");
    place
        .fluo("app status --at embedded:d nope")
        .prints("NOT_FOUND\n");
    place
        .fluo("app config --at embedded:d web")
        .prints("b = x=y\nweb.tablets = 20\n");
    place.fluo("app config --at embedded:d links_2").prints("");
    let config = place.fluo("app config --at embedded:d --json web").json();
    assert_eq!(
        config["observers"],
        serde_json::json!([
            { "family": "page", "qualifier": "links", "visibility": "", "kind": "strong", "id": "count" },
            { "family": "a:", "qualifier": r"\xff", "visibility": "", "kind": "weak", "id": "other" },
        ])
    );
    assert_eq!(
        (&config["table"], &config["settings"]["b"]),
        (&"pages".into(), &"x=y".into())
    );
    let id = config["id"].as_str().unwrap();
    // A random UUID.
    assert_eq!((id.len(), id.as_bytes()[14]), (36, b'4'), "{id}");
    let other = place
        .fluo("app config --at embedded:d --json links_2")
        .json();
    assert_ne!(other["id"], config["id"]);

    let shown = place.shown();
    assert_eq!(shown["properties"]["table.group.notify"], "ntfy");
    let run = place
        .fluo("app remove --at embedded:d --yes web")
        .succeeds();
    assert_eq!(
        (run.text(), run.stderr.as_str()),
        ("", "removed application `web` and table `pages`\n")
    );
    place.fluo("app remove --at embedded:d links_2").succeeds();
    place.fluo("app list --at embedded:d").prints("");
    place.fluo("table list --at embedded:d").prints("");
    EmbeddedTables::check(place.path("d")).unwrap();
}

#[test]
fn keeps_existing_data_unless_clear_is_given() {
    let place = Place::with_table();
    assert_eq!(
        place.fluo(&format!("{INIT} pages")).fails(),
        "the table `pages` exists and belongs to no application; an interrupted creation or removal may have \
         left it; replace it with `clear`, or choose another table for `pages`"
    );
    place
        .fluo(&format!("{INIT} --clear --set a=1 pages"))
        .succeeds();
    assert_eq!(
        place.fluo(&format!("{INIT} pages")).fails(),
        "the application `pages` is already initialised; open it, or remove it first; --clear removes it and its \
         table first, with all that is in it"
    );
    assert_eq!(
        place.fluo(&format!("{INIT} --table other pages")).fails(),
        "the application `pages` is already initialised; open it, or remove it first; `fluo app remove pages` removes \
         it and its table `pages`"
    );
    assert_eq!(
        place.fluo(&format!("{INIT} --table pages web")).fails(),
        "the table `pages` belongs to the application `pages`; choose another table for `web`"
    );
    assert_eq!(
        place
            .fluo(&format!("{INIT} --clear --table pages web"))
            .fails(),
        "the table `pages` belongs to the application `pages`; choose another table for `web`"
    );
    assert_eq!(
        place
            .fluo(&format!("{INIT} --clear --table other pages"))
            .fails(),
        "the application `pages` has the table `pages`, which would be left behind if `pages` were created with \
         `other`; choose `pages`, or remove the application and its table first"
    );
    place
        .fluo("app config --at embedded:d pages")
        .prints("a = 1\n");
    place
        .fluo(&format!("{INIT} --clear --yes pages"))
        .succeeds();
    place.fluo("app config --at embedded:d pages").prints("");
}

/// Interrupts a run between its two steps leaves a table without an application.
#[tokio::test]
async fn names_the_table_that_an_interrupted_run_leaves() {
    let place = Place::new();
    let lose = async |table: &str| {
        place
            .fluo(&format!("{INIT} --table {table} web"))
            .succeeds();
        let tables = EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap();
        tables.applications().remove("web").await.unwrap();
    };
    lose("web").await;
    let remove = "app remove --at embedded:d web";
    assert_eq!(
        place.fluo(remove).fails(),
        "there is no application `web`, but a table of this name that is no application's, and that may be left by an \
         `app remove` or `app init` that was interrupted; `fluo table delete --at embedded:d web` deletes it, and \
         `fluo app init --at embedded:d --clear web` makes an application with a new one"
    );
    assert_says(
        &place.fluo(&format!("{INIT} web")).fails(),
        "an interrupted creation or removal may have left it; replace it with `clear`",
    );
    place
        .fluo("app init --at embedded:d --clear web")
        .succeeds();
    place.fluo(remove).succeeds();
    lose("web").await;
    place.fluo("table delete --at embedded:d web").succeeds();
    let error = "application `web` does not exist; create it first, with `fluo app init`";
    assert_eq!(place.fluo(remove).fails(), error);
    // A table of another name, or one made for something else, is not attributed to the
    // application.
    lose("pages").await;
    place.fluo("table create --at embedded:d web").succeeds();
    assert_eq!(place.fluo(remove).fails(), error);
}

#[test]
fn names_a_missing_application() {
    let place = Place::with_table();
    for command in ["config", "remove"] {
        assert_eq!(
            place
                .fluo(&format!("app {command} --at embedded:d nope"))
                .fails(),
            "application `nope` does not exist; create it first, with `fluo app init`"
        );
    }
    assert_says(
        &place.fluo("app list --at embedded:none").fails(),
        "the directory `none` does not exist; name another one, or make a first application with `fluo app init`",
    );
}

#[test]
fn a_wrong_request_makes_no_directory() {
    let place = Place::new();
    for (arguments, part) in [
        (
            ["--table", "pages", "a/b"].as_slice(),
            "`a/b` cannot be the name of an application",
        ),
        (
            &["--table", "pages", "a\u{1b}"],
            "`a\\u{1b}` cannot be the name of an application",
        ),
        (&["web-index"], "`web-index` cannot be the name of a table"),
        (
            &["--observe", "ntfy:q=weak,a", "web"],
            "ntfy:q (weak, `a`) cannot be observed",
        ),
        (
            &[
                "--observe",
                "f:q=weak,a",
                "--observe",
                "f:q=strong,b",
                "web",
            ],
            "f:q (strong, `b`) cannot be observed beside f:q (weak, `a`); a column has one observer, and an id is used once",
        ),
    ] {
        let init = ["app", "init", "--at", "embedded:d"];
        let message = place.with(init.iter().chain(arguments)).fails();
        assert_says(&message, part);
    }
    for (arguments, part) in [
        (
            "--observe f:q web",
            "write FAMILY:QUALIFIER=strong,ID or FAMILY:QUALIFIER=weak,ID",
        ),
        (
            "--observe f:q=weak web",
            "the observer has no id, by which programs know it; write FAMILY:QUALIFIER=weak,ID",
        ),
        (
            "--observe f:q=loud web",
            "`loud` is not a kind of observer; it is strong or weak",
        ),
        (
            "--at embedded:e web",
            "the argument '--at <TARGET>' cannot be used multiple times",
        ),
        (
            "--set a web",
            "a setting has a name and a value; write NAME=VALUE",
        ),
        ("", "<NAME>"),
    ] {
        let run = place.fluo(&format!("{INIT} {arguments}"));
        assert_says(&run.refuses_arguments(), part);
    }
    assert_eq!(
        place
            .fluo(&format!("{INIT} --set a=1 --set b=2 --set a=1 web"))
            .fails(),
        "--set `a` is given twice; a setting has one value, so give it once"
    );
    assert_eq!(place.names("."), ["tmp"]);
}

#[test]
fn refuses_a_live_accumulo() {
    let place = Place::new();
    for command in ["init", "list", "status", "config", "remove"] {
        let name = if command == "list" { "" } else { "web" };
        let run = place.fluo(&format!("app {command} --at proxy:localhost:1 {name}"));
        assert_says(
            &run.refuses_arguments(),
            "applications on Accumulo keep what their processes share in ZooKeeper, which this build cannot reach yet; \
             write embedded:DIR",
        );
    }
}

#[test]
fn escapes_names_with_terminal_controls() {
    let place = Place::new();
    place
        .with([
            "app",
            "init",
            "--at",
            "embedded:d",
            "--set",
            "a\n=\u{1b}[31m = \u{202e}\\",
            "web",
        ])
        .succeeds();
    place
        .fluo("app config --at embedded:d web")
        .prints("a\\x0a = \\x1b[31m = \\xe2\\x80\\xae\\x5c\n");
    let run = place.fluo("app config --at embedded:d --json web");
    assert_says(run.text(), "\\u001b[31m = \\u202e");
    assert_eq!(run.json()["settings"]["a\n"], "\u{1b}[31m = \u{202e}\\");
}

/// Covers an application that runs elsewhere: only one process can open a directory, so an
/// application that runs elsewhere cannot even be inspected.
#[tokio::test]
async fn refuses_a_directory_that_another_process_has_open() {
    let place = Place::new();
    place.fluo(&format!("{INIT} web")).succeeds();
    let tables = EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap();
    let web = tables.applications().open("web").await.unwrap();
    drop(tables);
    let program = std::env::current_exe().unwrap();
    for arguments in [
        "app list --at embedded:d",
        "app status --at embedded:d web",
        "app init --at embedded:d other",
        "app remove --at embedded:d web",
        "table list --at embedded:d",
    ] {
        assert_eq!(
            place.fluo(arguments).fails(),
            format!(
                "the directory `d` is open in process {} (`{}`); wait until it ends, or stop it",
                std::process::id(),
                program.file_name().unwrap().display()
            )
        );
    }
    drop(web);
    place
        .fluo("app status --at embedded:d web")
        .prints("STOPPED\n");
}

#[test]
fn reports_a_path_that_cannot_be_a_directory() {
    let place = Place::new();
    place.file("f", "");
    for arguments in [
        "app list --at embedded:f/d",
        "app init --at embedded:f/d web",
        "scan --at embedded:f/d web",
        "table create --at embedded:f/d pages",
    ] {
        assert_eq!(
            place.fluo(arguments).fails(),
            "cannot read `f/d`: Not a directory (os error 20); a part of this path is a file, and no directory can be \
             below it: write another path"
        );
    }
}

#[cfg(unix)]
#[test]
fn asks_for_confirmation_at_a_terminal() {
    let place = Place::new();
    place.fluo(&format!("{INIT} web")).succeeds();
    for (arguments, question, refusal) in [
        (
            "app remove --at embedded:d web",
            "remove application `web`, and delete table `web` and all its rows? type its name to confirm:",
            "application `web` was not removed",
        ),
        (
            "app init --at embedded:d --clear web",
            "remove application `web`, and delete table `web` and all its rows? type its name to confirm:",
            "application `web` was not initialised",
        ),
    ] {
        let session = place.at_terminal(arguments, &[]);
        session.waits_for(question);
        session.types("no\r");
        let (code, shown) = session.ended();
        assert_eq!(code, Some(2));
        assert_says(&shown, refusal);
        place
            .fluo("app status --at embedded:d web")
            .prints("STOPPED\n");
    }
    // No question if nothing would be deleted.
    let other = format!("{INIT} --clear --table other web");
    let (code, shown) = place.at_terminal(&other, &[]).ended();
    assert_eq!(code, Some(2));
    assert_says(
        &shown,
        "the application `web` has the table `web`, which would be left behind",
    );
    let (code, shown) = place
        .at_terminal(&format!("{INIT} --clear new"), &[])
        .ended();
    assert_eq!(code, Some(0), "{shown}");
    let session = place.at_terminal("app remove --at embedded:d web", &[]);
    session.waits_for("type its name to confirm:");
    session.types("web\r");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(0), "{shown}");
    place
        .fluo("app status --at embedded:d web")
        .prints("NOT_FOUND\n");
}
