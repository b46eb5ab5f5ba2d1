//! The life of applications: they are initialized, listed, shown and removed.

use crate::command::{Place, assert_says};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::TableAdmin;
use fluo_table::coordination::Applications;

const INIT: &str = "app init --at embedded:d";

/// Interrupts a run between its two steps leaves a table without an application.
#[tokio::test]
async fn names_the_table_that_an_interrupted_run_leaves() {
    let place = Place::new();
    let lose = async |table: &str| {
        place.runs(&format!("{INIT} --table {table} web"));
        let tables = EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap();
        tables.applications().remove("web").await.unwrap();
    };
    lose("web").await;
    let remove = "app remove --at embedded:d --yes web";
    assert_eq!(
        place.fails(remove),
        "there is no application `web`; an interrupted command left its table, which `fluo table delete --at embedded:d web` \
         deletes"
    );
    assert_says(
        &place.fails(&format!("{INIT} web")),
        "table `web` exists without an application; replace it, or choose another table for `web`; --clear replaces it",
    );
    place.runs("app init --at embedded:d --clear --yes web");
    place.runs(remove);
    lose("web").await;
    place.runs("table delete --yes --at embedded:d web");
    let error = "application `web` does not exist; create it first, with `fluo app init`";
    assert_eq!(place.fails(remove), error);
    // A table of another name, or one made for something else, is not attributed to the
    // application.
    lose("pages").await;
    place.runs("table create --at embedded:d web");
    let error =
        "application `web` does not exist; `web` is a table, whose cells `fluo table scan` prints";
    assert_eq!(place.fails(remove), error);
}

#[tokio::test]
async fn names_the_command_that_replaces_an_application_without_its_table() {
    let place = Place::new();
    place.runs(&format!("{INIT} web"));
    let tables = EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap();
    tables.delete_table("web").await.unwrap();
    drop(tables);
    let commands = ["app gc", "app plan", "app apply --yes", "app verify", "scan", "queue list"];
    for command in commands {
        assert_eq!(
            place.fails(&format!("{command} --at embedded:d web")),
            "table `web` of application `web` does not exist; create the application again, with `fluo app init --clear`",
            "{command}"
        );
    }
    place.runs("app init --at embedded:d --clear --yes web");
    for command in commands {
        place.runs(&format!("{command} --at embedded:d web"));
    }
}

#[test]
fn a_setting_has_one_change() {
    let place = Place::new();
    place.runs(&format!("{INIT} --set a=1 web"));
    let config = "app config --at embedded:d";
    for changes in ["--set a=2 --set a=3", "--set a=2 --unset a", "--unset a --unset a"] {
        assert_eq!(
            place.fails(&format!("{config} {changes} web")),
            "the setting `a` is given twice; a setting has one value, so give it once"
        );
    }
    assert_eq!(place.runs(&format!("{config} --get a web")).text(), "1\n");
}

/// Covers an application that runs elsewhere: only one process can open a directory, so an
/// application that runs elsewhere cannot even be inspected.
#[tokio::test]
async fn refuses_a_directory_that_another_process_has_open() {
    let place = Place::new();
    place.runs(&format!("{INIT} web"));
    let tables = EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap();
    let web = tables.applications().open("web").await.unwrap();
    drop(tables);
    let program = std::env::current_exe().unwrap();
    for arguments in [
        "app list --at embedded:d",
        "app status --at embedded:d web",
        "app init --at embedded:d other",
        "app remove --yes --at embedded:d web",
        "table list --at embedded:d",
    ] {
        assert_eq!(
            place.fails(arguments),
            format!(
                "the directory `d` is open in process {} (`{}`); wait until it ends, or stop it",
                std::process::id(),
                program.file_name().unwrap().display()
            )
        );
    }
    drop(web);
    place.fluo("app status --at embedded:d web").prints("STOPPED\n");
}

/// Covers a bug: `while read t; do fluo table delete .. $t; done` deleted without a question.
#[test]
fn a_script_needs_yes_to_delete() {
    let place = Place::new();
    place.runs(&format!("{INIT} web"));
    for (arguments, refusal) in [
        ("app remove --at embedded:d web", "application `web` was not removed"),
        ("app init --at embedded:d --clear web", "application `web` was not initialized"),
        ("table delete --at embedded:d --despite-application web", "table `web` was not deleted"),
    ] {
        let reason = "because no terminal can confirm it; give --yes";
        assert_eq!(place.fails(arguments), format!("{refusal}, {reason}"));
        place.fluo("app status --at embedded:d web").prints("STOPPED\n");
        place.fluo("table list --at embedded:d").prints("web\n");
    }
}

#[cfg(unix)]
#[test]
fn asks_for_confirmation_at_a_terminal() {
    let place = Place::new();
    place.runs(&format!("{INIT} web"));
    let question = "remove application `web`, and delete table `web` and all its rows? type its name to confirm:";
    for (arguments, refusal) in [
        ("app remove --at embedded:d web", "application `web` was not removed"),
        ("app init --at embedded:d --clear web", "application `web` was not initialized"),
    ] {
        let session = place.at_terminal(arguments, &[]);
        session.waits_for(question);
        session.types("no\r");
        let (code, shown) = session.ended();
        assert_eq!(code, Some(2));
        assert_says(&shown, refusal);
        place.fluo("app status --at embedded:d web").prints("STOPPED\n");
    }
    // No question if nothing would be deleted.
    let other = format!("{INIT} --clear --table other web");
    let (code, shown) = place.at_terminal(&other, &[]).ended();
    assert_eq!(code, Some(2));
    assert_says(&shown, "application `web` has table `web`, not `other`; use `web`");
    let (code, shown) = place.at_terminal(&format!("{INIT} --clear new"), &[]).ended();
    assert_eq!(code, Some(0), "{shown}");
    let session = place.at_terminal("app remove --at embedded:d web", &[]);
    session.waits_for("type its name to confirm:");
    session.types("web\r");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(0), "{shown}");
    place.fluo("app status --at embedded:d web").prints("NOT_FOUND\n");
}
