//! The life of tables: they are made, listed, shown and deleted.

#![cfg(test)]

mod command;

use std::process::Stdio;
use std::time::Duration;

use command::{Place, Run, assert_says};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};

#[test]
fn deletes_the_table_of_an_application_only_with_despite_application() {
    let place = Place::with_table();
    let init = "app init --at embedded:d --table links web";
    place.fluo(init).succeeds();
    for yes in ["", "--yes"] {
        assert_eq!(
            place
                .fluo(&format!("table delete --at embedded:d {yes} links"))
                .fails(),
            "table `links` belongs to the application `web`: it cannot work without the table; `fluo app remove web` \
             removes both, and --despite-application deletes the table alone"
        );
    }
    // Other tables belong to no application.
    place.fluo("table delete --at embedded:d pages").succeeds();
    place.fluo("table list --at embedded:d").prints("links\n");
    let run = place
        .fluo("table delete --at embedded:d --despite-application links")
        .succeeds();
    assert_eq!(run.stderr, "deleted table `links`\n");
    place.fluo("app remove --at embedded:d web").succeeds();
}

#[test]
fn makes_lists_shows_and_deletes_a_table() {
    let place = Place::new();
    let run = place.fluo("table create --at embedded:d pages").succeeds();
    // A typing error in the target makes another directory, so the message names it.
    let directory = place.path("d").canonicalize().unwrap();
    let made = format!("made directory `{}` with 2 servers\n", directory.display());
    assert_eq!(
        (run.text(), run.stderr.clone()),
        ("", format!("{made}created table `pages`\n"))
    );
    let run = place
        .fluo("table create --at embedded:d web.links_2")
        .succeeds();
    assert_eq!(run.stderr, "created table `web.links_2`\n");
    place
        .fluo("table list --at embedded:d")
        .prints("pages\nweb.links_2\n");
    let names = place.fluo("table list --at embedded:d --json").json();
    assert_eq!(names, serde_json::json!(["pages", "web.links_2"]));

    let shown = place.shown();
    assert_eq!(
        shown["tablets"],
        serde_json::json!([{ "end_row": null, "server": "server-001", "entries": 0 }])
    );
    assert_eq!(
        shown["properties"]["table.iterator.scan.vers.opt.maxVersions"],
        "1"
    );
    let run = place.fluo("table show --at embedded:d pages").succeeds();
    assert!(
        run.text().starts_with("table pages: 1 tablet, 0 entries\n"),
        "{}",
        run.text()
    );
    assert_says(run.text(), "  (end of table)  server-001  0\n");
    assert_says(
        run.text(),
        "  table.iterator.scan.vers.opt.maxVersions = 1\n",
    );

    let run = place
        .fluo("table delete --at embedded:d --yes pages")
        .succeeds();
    assert_eq!(
        (run.text(), run.stderr.as_str()),
        ("", "deleted table `pages`\n")
    );
    place
        .fluo("table list --at embedded:d")
        .prints("web.links_2\n");
}

#[test]
fn does_not_ask_a_script() {
    let place = Place::with_table();
    place.fluo("table delete --at embedded:d pages").succeeds();
    place.fluo("table list --at embedded:d").prints("");
}

#[test]
fn names_a_missing_table() {
    let place = Place::with_table();
    for arguments in [
        "table delete --at embedded:d --yes nope",
        "table delete --at embedded:d nope",
        "table show --at embedded:d nope",
        "table load --at embedded:d nope --prefix p s.toml",
        "table plan --at embedded:d --spec s.toml nope",
        "table apply --at embedded:d --spec s.toml nope",
        "table verify --at embedded:d --spec s.toml nope",
    ] {
        assert_eq!(
            place.fluo(arguments).fails(),
            "there is no table `nope`",
            "{arguments}"
        );
    }
}

#[test]
fn refuses_to_make_an_existing_table() {
    let place = Place::with_table();
    let message = place.fluo("table create --at embedded:d pages").fails();
    assert_eq!(message, "the table `pages` already exists");
}

#[test]
fn an_invalid_name_makes_no_directory() {
    let place = Place::new();
    for name in [
        "a/b",
        "",
        ".",
        "a.b.c",
        "a b",
        "\u{1b}[31m\n",
        &"x".repeat(1_025),
    ] {
        let message = place
            .with(["table", "create", "--at", "embedded:d", name])
            .fails();
        assert_says(
            &message,
            "cannot be the name of a table: a name has 1 to 1024 letters, digits and `_`",
        );
    }
    assert_eq!(place.names("."), ["tmp"]);
}

#[test]
fn sets_versions_and_servers() {
    let place = Place::new();
    place
        .fluo("table create --at embedded:d --servers 3 --versions all pages")
        .succeeds();
    place
        .fluo("table create --at embedded:d --servers 3 --versions 7 seven")
        .succeeds();
    let properties = place.shown()["properties"].clone();
    assert_eq!(
        properties.get("table.iterator.scan.vers.opt.maxVersions"),
        None
    );
    place.file("s.toml", command::SPEC);
    let plan = place
        .fluo("table plan --at embedded:d --spec s.toml --json pages")
        .json();
    assert_eq!(plan["servers"], 3);
    let seven = place.fluo("table show --at embedded:d seven").succeeds();
    assert_says(seven.text(), "table.iterator.scan.vers.opt.maxVersions = 7");

    let message = place
        .fluo("table create --at embedded:d --servers 4 more")
        .fails();
    assert_eq!(
        message,
        "embedded:d has 3 servers since it was made, and keeps them; leave --servers out"
    );
    place
        .fluo("table list --at embedded:d")
        .prints("pages\nseven\n");
}

#[test]
fn refuses_numbers_out_of_bounds() {
    let place = Place::new();
    for (option, part) in [
        ("--versions 0", "write a number from 1 on, or all"),
        ("--versions some", "write a number from 1 on, or all"),
        ("--servers 0", "'--servers <SERVERS>'"),
        ("--servers 99999999999999999999", "'--servers <SERVERS>'"),
    ] {
        let run = place.fluo(&format!("table create --at embedded:d {option} pages"));
        assert_says(&run.refuses_arguments(), part);
    }
    let message = place
        .fluo("table create --at embedded:d --servers 10001 pages")
        .fails();
    assert_says(
        &message,
        "`servers` is 10001; it must be at least 1 and at most 10000",
    );
    assert_eq!(place.names("."), ["tmp"]);
}

#[test]
fn refuses_wrong_targets() {
    let place = Place::new();
    for (target, part) in [
        (
            "d",
            "a target has a kind and a place; write embedded:DIR or proxy:HOST:PORT",
        ),
        (
            "",
            "a target has a kind and a place; write embedded:DIR or proxy:HOST:PORT",
        ),
        ("embedded:", "the directory is missing; write embedded:DIR"),
        (
            "proxy:host",
            "the port is missing; write proxy:HOST:PORT, such as proxy:localhost:42424",
        ),
        (
            "Embedded:d",
            "`Embedded` is not a kind of target; write embedded:DIR or proxy:HOST:PORT",
        ),
    ] {
        assert_says(
            &place
                .with(["table", "list", "--at", target])
                .refuses_arguments(),
            part,
        );
    }
    assert_says(
        &place.fluo("table list").refuses_arguments(),
        "--at <TARGET>",
    );
}

#[test]
fn names_the_remedy_for_a_target_without_tables() {
    let place = Place::new();
    let message = place.fluo("table list --at embedded:none").fails();
    assert_says(
        &message,
        "the directory `none` does not exist; name another one, or make a first table with `fluo table create`",
    );
    let message = place.fluo("table list --at embedded:tmp").fails();
    assert_says(
        &message,
        "the directory `tmp` has no tables in it (no file `fluo.redb`); name another one, or make a first table",
    );
    assert_eq!(place.names("."), ["tmp"]);
    assert!(place.names("tmp").is_empty(), "looking makes nothing");

    place.file("file", "");
    assert_says(
        &place.fluo("table list --at embedded:file").fails(),
        "`file` is a file",
    );
    assert_says(
        &place.fluo("table create --at embedded:file pages").fails(),
        "`file` is a file",
    );
    assert_says(
        &place
            .fluo("table create --at embedded:file/d pages")
            .fails(),
        "cannot read `file/d`",
    );
}

#[test]
fn accepts_directories_with_odd_names() {
    let place = Place::new();
    for target in [
        "embedded:a/b/c",
        "embedded:x:y",
        "embedded: ",
        "embedded:é\u{1b}[31m\n",
    ] {
        place
            .with(["table", "create", "--at", target, "--parents", "pages"])
            .succeeds();
        place
            .with(["table", "list", "--at", target])
            .prints("pages\n");
    }
}

/// Covers a bug: `embedded:~/data` made a directory of the name `~`, because shells expand a tilde
/// only at the start of a word.
#[test]
fn expands_a_leading_tilde() {
    let place = Place::new();
    let at_home = |home: &str, arguments: &str| {
        let mut command = place.command(arguments.split_whitespace());
        Run::of(command.env("HOME", place.path(home)).output().unwrap())
    };
    std::fs::create_dir(place.path("home")).unwrap();
    at_home("home", "table create --at embedded:~/d pages").succeeds();
    at_home("home", "app init --at embedded:~/d web").succeeds();
    place
        .fluo("table list --at embedded:home/d")
        .prints("pages\nweb\n");
    assert_eq!(place.names("."), ["home", "tmp"]);
    // A directory of this name can still be reached.
    place
        .fluo("table create --at embedded:./~/d --parents pages")
        .succeeds();
    assert_eq!(place.names("~"), ["d"]);

    for arguments in [
        "table list --at embedded:~bob/d",
        "app list --at embedded:~bob/d",
    ] {
        assert_says(
            &place.fluo(arguments).refuses_arguments(),
            "`~bob/d` may be in the home directory of another user, and only `~/` is expanded; write its path, or \
             embedded:./~bob/d for a directory of that name",
        );
    }
    let mut homeless = place.command(["table", "list", "--at", "embedded:~/d"]);
    let run = Run::of(homeless.env("HOME", "").output().unwrap());
    assert_says(
        &run.refuses_arguments(),
        "`~/d` is in the home directory, and HOME does not say where that is; set HOME or write the path",
    );
}

/// Covers a bug: a typing error in the path made a chain of new directories.
#[test]
fn makes_missing_parents_only_with_parents() {
    let place = Place::new();
    for command in ["table create", "app init"] {
        let create = format!("{command} --at embedded:a/b/c");
        assert_eq!(
            place.fluo(&format!("{create} web")).fails(),
            "cannot create the directory `a/b/c`: the directory `a` above it does not exist; make that one first, or give \
             --parents"
        );
        assert_eq!(place.names("."), ["tmp"]);
        let run = place.fluo(&format!("{create} --parents web")).succeeds();
        let directory = place.path("a/b/c").canonicalize().unwrap();
        assert_says(
            &run.stderr,
            &format!("made directory `{}` with 2 servers\n", directory.display()),
        );
        std::fs::remove_dir_all(place.path("a")).unwrap();
    }
}

/// Covers a bug: the message said twice that the directory is open, but named neither the process
/// nor the command.
#[test]
fn names_the_command_that_has_a_directory_open() {
    let place = Place::with_table();
    let load = "table load --at embedded:d pages --prefix p -";
    let mut command = place.command(load.split(' '));
    let mut loading = command.stdin(Stdio::piped()).spawn().unwrap();
    while place.read("d/fluo.lock").is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = loading.id();
    for arguments in ["table list --at embedded:d", "table check --at embedded:d"] {
        assert_eq!(
            place.fluo(arguments).fails(),
            format!(
                "the directory `d` is open in process {id} (`fluo table load`); wait until it ends, or stop it"
            )
        );
    }
    // The lock file of a killed process blocks no other process.
    loading.kill().unwrap();
    loading.wait().unwrap();
    assert_eq!(place.read("d/fluo.lock"), format!("{id} fluo table load\n"));
    place.fluo("table list --at embedded:d").prints("pages\n");
    assert_eq!(place.read("d/fluo.lock"), "");
}

#[test]
fn refuses_a_directory_that_another_process_has_open() {
    let place = Place::with_table();
    let held = EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap();
    for arguments in [
        "table list --at embedded:d",
        "table create --at embedded:d more",
        "table load --at embedded:d pages --prefix p s.toml",
        "table apply --at embedded:d --spec s.toml pages",
    ] {
        assert_says(
            &place.fluo(arguments).fails(),
            "the directory `d` is open in process ",
        );
    }
    drop(held);
    place.fluo("table list --at embedded:d").prints("pages\n");
}
