//! `fluo wait` ends when no notification waits.

use std::time::{Duration, Instant};

use crate::application::{Web, failed, page, place};
use crate::command::{Place, assert_says, ended};
use fluo_engine::{Observers, Transaction, observer_fn};
use fluo_table::{Bytes, Column};

const WAIT: &str = "wait --at embedded:d";

async fn with_change() -> Place {
    let place = place();
    let web = Web::open(&place).await;
    web.set(&[(b"r", page("text"), b"v")]).await;
    place
}

async fn set_aside(place: &Place, row: &'static str) {
    let failed = failed(row, page("text"), "no such page");
    let web = Web::open(place).await;
    web.coordination.add_dead_letter(failed).await.unwrap();
}

/// Runs the observers until no notification waits.
async fn work(place: &Place) {
    let web = Web::open_when_free(place).await;
    let client = web.client().await;
    let nothing =
        || observer_fn(async |_: Transaction, _: Bytes, _: Column| Ok::<_, fluo_table::Error>(()));
    let observers = Observers::new()
        .strong(page("text"), "count", nothing())
        .unwrap()
        .weak(page("links"), "export", nothing())
        .unwrap();
    let client = client.with_observers(observers);
    let worker = client.worker().start();
    let worker = worker.await.unwrap();
    client.wait_until_idle().await.unwrap();
    worker.stop().await;
}

#[track_caller]
fn says(place: &Place, arguments: &str, code: i32, stderr: &str) {
    let run = place.fluo(&format!("{WAIT} {arguments} web"));
    assert_eq!((run.code, run.text(), run.stderr.as_str()), (Some(code), "", stderr));
}

#[tokio::test]
async fn ends_at_once_if_the_application_is_idle() {
    let place = place();
    let idle = "idle: no notification waits";
    says(&place, "", 0, &format!("{idle}\n"));
    says(&place, "--timeout 0s", 0, &format!("{idle}\n"));
    set_aside(&place, "bad").await;
    let failed = "see `fluo notifications failed`";
    says(&place, "", 0, &format!("{idle}; 1 is in the dead letters, {failed}\n"));
    set_aside(&place, "worse").await;
    says(&place, "", 0, &format!("{idle}; 2 are in the dead letters, {failed}\n"));
}

#[tokio::test]
async fn reports_waiting_notifications_after_the_timeout() {
    let place = with_change().await;
    let run = place.fluo(&format!("{WAIT} --timeout 0s web"));
    assert_eq!(run.code, Some(1));
    assert_says(&run.stderr, "not idle after ");
    assert_says(&run.stderr, " s: 1 notification waits\n");
    let start = Instant::now();
    let run = place.fluo(&format!("{WAIT} --timeout 700ms web"));
    assert_eq!(run.code, Some(1));
    assert_says(&run.stderr, "not idle after ");
    assert!(start.elapsed() >= Duration::from_millis(700));
    let run = place.fluo(&format!("{WAIT} --timeout 5 web"));
    assert_says(&run.refuses_arguments(), "write a number and a unit, such as 60s, 2m or 500ms");
}

#[tokio::test]
async fn ends_when_the_observers_of_another_process_have_run() {
    let place = with_change().await;
    let child = place.command(format!("{WAIT} web").split(' ')).spawn().unwrap();
    work(&place).await;
    let run = ended(child).succeeds();
    assert_says(&run.stderr, "idle: no notification waits\n");
}

#[tokio::test]
async fn waits_for_a_process_that_has_the_directory_open() {
    let place = place();
    let web = Web::open(&place).await;
    let program = std::env::current_exe().unwrap();
    let held = format!(
        "the directory `d` is open in process {} (`{}`); wait until it ends, or stop it",
        std::process::id(),
        program.file_name().unwrap().display()
    );
    let run = place.fluo(&format!("{WAIT} --timeout 100ms web"));
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert_says(&run.stderr, &format!("note: waiting: {held}\nerror: it is not known after "));
    let unknown = format!(" s whether the application is idle: {held}");
    assert_says(&run.error(), &unknown);
    assert_eq!(run.stderr.matches("note:").count(), 1);
    let child = place.command(format!("{WAIT} web").split(' ')).spawn().unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(web);
    let run = ended(child).succeeds();
    assert_says(&run.stderr, "idle: no notification waits\n");
}

#[cfg(unix)]
#[tokio::test]
async fn shows_waiting_notifications_at_a_terminal_until_ctrl_c() {
    let place = with_change().await;
    let session = place.at_terminal(&format!("{WAIT} web"), &[]);
    session.waits_for("1 notification waits");
    session.types("\u{3}");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(130), "{shown}");
}
